import Foundation
import Music

extension Manifest {
  /// The manifest as JSON: sorted keys, two blanks of indentation, a line break at the end; equal manifests are equal
  /// bytes.
  package func encoded() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    // A level of silence has no number in JSON; tracks say nil then, and this is the net below.
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return Array(try encoder.encode(self)) + [UInt8(ascii: "\n")]
  }

  /// Reads a manifest.
  ///
  /// - Throws: `FileProblem` that says what is wrong: newer version, or the JSON's fault and its place.
  package init(decoding bytes: [UInt8], path: String) throws(FileProblem) {
    struct Head: Decodable {
      var version: Int
    }
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
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

  /// Writes the manifest into `folder`, as a whole or not at all; the names of all other files last before it is there.
  package func write(in folder: TakeFolder) throws {
    try folder.synchronize()
    try folder.write(try encoded(), as: TakeFolder.manifestName)
  }

  /// Reads the manifest of `folder`; `take.folder` is where it was found, though it may have been moved.
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
