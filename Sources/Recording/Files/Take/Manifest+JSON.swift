import Foundation
import Music

extension Manifest {
  /// The manifest as JSON: sorted keys, an indentation of two spaces, a newline at the end. Equal manifests give
  /// equal bytes.
  package func encoded() throws -> [UInt8] {
    let encoder = JSONEncoder.withInfinity()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(self)) + [UInt8(ascii: "\n")]
  }

  /// Decodes a manifest.
  ///
  /// - Throws: `FileProblem` that names the fault: a newer version, or the JSON error and its position.
  package init(decoding bytes: [UInt8], path: String) throws(FileProblem) {
    struct Head: Decodable {
      var version: Int
    }
    let decoder = JSONDecoder.withInfinity()
    do {
      let found = try decoder.decode(Head.self, from: Data(bytes)).version
      guard found <= Manifest.currentVersion else {
        throw FileProblem(
          path: path, operation: .decode, code: 0,
          detail: "it has version \(found), this release reads up to \(Manifest.currentVersion)")
      }
      self = try decoder.decode(Manifest.self, from: Data(bytes))
      try check()
    } catch let problem as FileProblem {
      throw problem
    } catch {
      throw FileProblem(path: path, operation: .decode, code: 0, detail: Manifest.explain(error))
    }
  }

  /// Writes the manifest into `folder` atomically, after the names of all other files are durable.
  package func write(in folder: TakeFolder) throws {
    try folder.synchronize()
    try folder.write(try encoded(), as: TakeFolder.manifestName)
  }

  /// Reads the manifest of `folder`; `take.folder` is set to its actual path, in case it was moved.
  package init(of folder: TakeFolder) throws(FileProblem) {
    try self.init(
      decoding: try folder.read(TakeFolder.manifestName), path: folder.label(TakeFolder.manifestName))
    take.folder = folder.path
  }

  static func explain(_ error: any Error) -> String {
    guard let error = error as? DecodingError else { return "\(error)" }
    func place(_ context: DecodingError.Context) -> String {
      let path = context.codingPath.map(\.stringValue).joined(separator: ".")
      return path.isEmpty ? "at the top" : "at \(path)"
    }
    switch error {
    case .keyNotFound(let key, let context): return "\"\(key.stringValue)\" is missing \(place(context))"
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
      return "\(context.debugDescription) \(place(context))"
    @unknown default: return "\(error)"
    }
  }
}
