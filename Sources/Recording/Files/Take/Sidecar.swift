import Foundation
import Music

/// A small JSON file of people's edits, beside what the recorder wrote.
package protocol Sidecar: Codable, Sendable {
  /// The version that this release writes, and the newest that it reads.
  static var currentVersion: Int { get }
  var version: Int { get }
  /// Whether its numbers can be: the disk may be damaged, or somebody may have written the file by hand, and what follows
  /// calculates with them. (Positions on a time line and words are checked where they are decoded.)
  /// - Throws: `ValueProblem` that names the field, its value, and what is permitted.
  func check() throws(ValueProblem)
}

extension Sidecar {
  /// Most bytes of a sidecar.
  private static var limit: Int { 4 << 20 }

  /// Reads the file `name`, nil where there is none.
  /// - Throws: `FileProblem` that says what is wrong: newer version, or the JSON's fault and its place.
  package static func read(_ name: String, in folder: TakeFolder) throws(FileProblem) -> Self? {
    let bytes: [UInt8]
    do throws(FileProblem) {
      bytes = try folder.read(name, limit: limit)
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

  /// Writes the file `name`: it is there as a whole or as it was before, even after a power loss.
  package func write(_ name: String, in folder: TakeFolder) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try folder.write(Array(try encoder.encode(self)) + [UInt8(ascii: "\n")], as: name)
  }
}

/// What every version of a sidecar has.
private struct SidecarHead: Decodable {
  var version: Int
}
