import Foundation
import Music

/// A small JSON file with users' edits, beside the recorder's files.
package protocol Sidecar: Codable, Sendable {
  /// The version that this release writes, and the newest that it reads.
  static var currentVersion: Int { get }
  /// Maximum size in bytes, of what is written as of what is read.
  static var sizeLimit: Int { get }
  var version: Int { get }
  /// Checks the plausibility of its numbers, which later calculations rely on: the disk may be damaged, or the file
  /// edited by hand. (Positions on a time line and texts are checked during decoding.)
  /// - Throws: `ValueProblem` with the field, its value, and the permitted range.
  func check() throws(ValueProblem)
}

extension Sidecar {
  package static var sizeLimit: Int { 4 << 20 }

  /// Reads the file `name`; nil if it does not exist.
  /// - Throws: `FileProblem` that names the fault: a newer version, or the JSON error and its position.
  package static func read(_ name: String, in folder: TakeFolder) throws(FileProblem) -> Self? {
    let bytes: [UInt8]
    do throws(FileProblem) {
      bytes = try folder.read(name, limit: sizeLimit)
    } catch  where error.isMissing {
      return nil
    }
    do {
      let found = try JSONDecoder().decode(SidecarHead.self, from: Data(bytes)).version
      guard found <= currentVersion else {
        throw FileProblem(
          path: folder.label(name), operation: .decode, code: 0,
          detail: "it has version \(found), this release reads up to \(currentVersion)")
      }
      let value = try JSONDecoder().decode(Self.self, from: Data(bytes))
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
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let bytes = Array(try encoder.encode(self)) + [UInt8(ascii: "\n")]
    guard bytes.count <= Self.sizeLimit else {
      throw FileProblem.tooLarge(folder.label(name), size: bytes.count, limit: Self.sizeLimit)
    }
    try folder.write(bytes, as: name)
  }
}

/// The fields common to all versions of a sidecar.
private struct SidecarHead: Decodable {
  var version: Int
}
