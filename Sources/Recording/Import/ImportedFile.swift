import Music

/// A file of which an imported take was made.
package struct ImportedFile: Hashable, Sendable, Codable {
  /// Without its folder.
  package var name: String
  package var digest: FileDigest

  package init(name: String, digest: FileDigest) {
    self.name = name
    self.digest = digest
  }

  /// Reads the whole file.
  package init(_ source: ImportPlan.Source) throws(FileProblem) {
    name = source.name
    digest = try FileDigest(of: source.name, in: TakeFolder(dataFolder: source.folder))
  }
}

/// Which take was made of certain files: `_library/imports/<key>.json`.
package struct ImportRecord: Sidecar, Hashable {
  package static let currentVersion = 1
  package static let folder = "_library/imports"

  package var version = ImportRecord.currentVersion
  package var take: TakeID
  package var files: [ImportedFile]

  package init(take: TakeID, files: [ImportedFile]) {
    self.take = take
    self.files = files
  }

  /// It has no number.
  package func check() {}

  /// The file's name: equal for equal contents, whatever the files are called.
  package static func name(of files: [ImportedFile]) -> String {
    let sum = SHA256.hash(Array(files.map(\.digest.value).sorted().joined(separator: "\n").utf8))
    return sum.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + ".json"
  }
}
