import Foundation
import Music

/// A small JSON file with users' edits, beside the recorder's files.
package protocol Sidecar: Codable, Sendable {
  /// The version that this release writes, and the newest that it reads.
  static var currentVersion: Int { get }
  /// Maximum size in bytes, of what is written as of what is read.
  static var sizeLimit: Int { get }
  /// True for a file with secrets, which is for the service's user alone.
  static var isPrivate: Bool { get }
  /// True for a file with numbers that may be infinite, as an unknown bound is; of another, they are faults.
  static var hasInfinity: Bool { get }
  var version: Int { get }
  /// Checks the plausibility of its numbers, which later calculations rely on: the disk may be damaged, or the file
  /// edited by hand. (Positions on a time line and texts are checked during decoding.)
  /// - Throws: `ValueProblem` with the field, its value, and the permitted range.
  func check() throws(ValueProblem)
}

extension Sidecar {
  package static var sizeLimit: Int { 4 << 20 }
  package static var isPrivate: Bool { false }
  package static var hasInfinity: Bool { false }

  /// Reads the file `name`; nil if it does not exist.
  /// - Throws: `FileProblem` that names the fault: a newer version, or the JSON error and its position.
  package static func read(_ name: String, in folder: TakeFolder) throws(FileProblem) -> Self? {
    let bytes: [UInt8]
    do throws(FileProblem) {
      bytes = try folder.read(name, limit: sizeLimit)
    } catch  where error.isMissing {
      return nil
    }
    // Earlier releases let the group read it.
    if isPrivate { folder.makePrivate(name) }
    do {
      let decoder = hasInfinity ? JSONDecoder.withInfinity() : JSONDecoder()
      let found = try decoder.decode(SidecarHead.self, from: Data(bytes)).version
      guard found <= currentVersion else {
        throw FileProblem(
          path: folder.label(name), operation: .decode, code: 0,
          detail: "it has version \(found), this release reads up to \(currentVersion)")
      }
      let value = try decoder.decode(Self.self, from: Data(bytes))
      try value.check()
      return value
    } catch let problem as FileProblem {
      throw problem
    } catch {
      throw FileProblem(path: folder.label(name), operation: .decode, code: 0, detail: Manifest.explain(error))
    }
  }

  /// Writes the file `name` atomically, even in case of a power failure.
  /// - Throws: `FileProblem`, `isTooLarge` if it could not be read again; the former file remains then.
  package func write(_ name: String, in folder: TakeFolder) throws {
    let encoder = Self.hasInfinity ? JSONEncoder.withInfinity() : JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let bytes = Array(try encoder.encode(self)) + [UInt8(ascii: "\n")]
    guard bytes.count <= Self.sizeLimit else {
      throw FileProblem.tooLarge(folder.label(name), size: bytes.count, limit: Self.sizeLimit)
    }
    try folder.write(bytes, as: name, isPrivate: Self.isPrivate)
  }
}

/// The fields common to all versions of a sidecar.
private struct SidecarHead: Decodable {
  var version: Int
}

/// A sidecar in the folder of a take, which belongs to that take.
package protocol TakeSidecar: Sidecar {
  static var fileName: String { get }
  var take: TakeID { get }
  /// Creates an empty one.
  init(take: TakeID)
}

extension TakeSidecar {
  /// Reads that of the take in `folder`; empty if the file does not exist.
  /// - Throws: `FileProblem` if the file is unreadable or belongs to another take.
  package init(of take: TakeID, in folder: TakeFolder) throws(FileProblem) {
    guard let found = try Self.read(Self.fileName, in: folder) else {
      self.init(take: take)
      return
    }
    guard found.take == take else {
      throw FileProblem(
        path: folder.label(Self.fileName), operation: .decode, code: 0,
        detail: "it belongs to the take \(found.take), not to \(take)")
    }
    self = found
  }
}
