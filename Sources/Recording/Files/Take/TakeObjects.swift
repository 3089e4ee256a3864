import Music

/// The copies of a take's finished files in an object store: `objects.json` in its folder, written before the first byte
/// leaves and after every file that has arrived.
///
/// There is no other queue: a take waits for its upload while this list does not say that all files of its present
/// manifest have arrived.
package struct TakeObjects: Sidecar, Hashable {
  package static let currentVersion = 1
  package static let fileName = "objects.json"
  /// The folder of the data folder with an empty file for each purged take whose objects are to be removed.
  package static let purgedFolder = "_objects"

  /// A file that has arrived.
  package struct Entry: Hashable, Sendable, Codable {
    package var name: String
    /// Below the store's prefix: `takes/<take>/<revision>/<name>`.
    package var key: String
    /// In bytes.
    package var size: Int64
    package var digest: FileDigest
    /// True for a sound file, which may be removed here once everything has arrived.
    package var isSound: Bool

    package init(name: String, key: String, size: Int64, digest: FileDigest, isSound: Bool) {
      self.name = name
      self.key = key
      self.size = size
      self.digest = digest
      self.isSound = isSound
    }
  }

  package var version = TakeObjects.currentVersion
  package var take: TakeID
  /// The store, such as `s3://band/jamjar`.
  package var place: String
  /// Names the rendering: the beginning of the SHA-256 of its manifest.
  package var revision: String
  package var files: [Entry]
  /// True once all files of the rendering have arrived.
  package var isComplete: Bool

  package init(take: TakeID, place: String, revision: String) {
    self.take = take
    self.place = place
    self.revision = revision
    files = []
    isComplete = false
  }

  package func check() throws(ValueProblem) {
    for file in files where !NumberRule.bytes.contains(file.size) {
      throw ValueProblem("size of \(file.name)", "\(file.size) bytes", "0 to 2^60")
    }
  }

  package func entry(_ name: String) -> Entry? { files.first { $0.name == name } }

  /// Bytes that have arrived.
  package var bytes: Int64 { files.reduce(0) { $0.addingReportingOverflow($1.size).partialValue } }

  package static func key(_ name: String, of take: TakeID, revision: String) -> String {
    prefix(of: take) + "\(revision)/\(name)"
  }

  /// The beginning of the keys of all objects of a take.
  package static func prefix(of take: TakeID) -> String { "takes/\(take)/" }

  /// The name of the rendering that has this manifest.
  package static func revision(ofManifest bytes: [UInt8]) -> String {
    SHA256.hash(bytes).prefix(8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// Removes the sound files of the take in `folder`, all of which have arrived.
  /// - Returns: the bytes freed; 0 if the list is not, or no longer, that of the files here.
  package static func evict(from folder: TakeFolder) throws(FileProblem) -> Int64 {
    let manifest = try folder.read(TakeFolder.manifestName)
    guard let list = try TakeObjects.read(fileName, in: folder), list.isComplete,
      list.revision == revision(ofManifest: manifest)
    else { return 0 }
    var freed: Int64 = 0
    for file in list.files where file.isSound && folder.has(file.name) {
      try folder.remove(file.name)
      freed += file.size  // in range: sizes of files that were here
    }
    return freed
  }

  /// Bytes of the sound files that are here.
  package func localBytes(in folder: TakeFolder) -> Int64 {
    files.filter { $0.isSound && folder.has($0.name) }.reduce(0) { $0.addingReportingOverflow($1.size).partialValue }
  }
}

/// Files that come back from an object store.
extension TakeFolder {
  /// The name of the unfinished copy of `name`.
  package static func returningName(_ name: String) -> String { partName("returning-\(name)") }

  /// Begins the file that comes back, removing the remains of an earlier attempt.
  package func beginReturn(of name: String) throws(FileProblem) {
    try remove(TakeFolder.returningName(name))
    try createEmpty(TakeFolder.returningName(name))
  }

  /// Gives the file that came back its name if it has the bytes that left.
  /// - Returns: false if it has others; it is removed then.
  package func finishReturn(of file: TakeObjects.Entry) throws(FileProblem) -> Bool {
    let part = TakeFolder.returningName(file.name)
    guard try size(of: part) == file.size, try FileDigest(of: part, in: self) == file.digest else {
      try remove(part)
      return false
    }
    try publish(part, as: file.name, replaces: true)
    try synchronize()
    return true
  }
}

/// Removed takes whose objects remain to be removed.
extension TakeObjects {
  /// Notes that the objects of a take are to be removed, if it has any.
  package static func notePurge(of take: TakeID, folder path: String, in root: String) throws(FileProblem) {
    guard let folder = try? TakeFolder(existing: path, in: root), folder.has(fileName) else { return }
    let notes = try TakeFolder.obtain(purgedFolder, in: root)
    if !notes.has(take.description) { try notes.createEmpty(take.description) }
  }

  /// The takes so noted.
  package static func purged(in root: String) throws(FileProblem) -> [TakeID] {
    do throws(FileProblem) {
      return try TakeFolder(existing: purgedFolder, in: root).names().compactMap { TakeID($0) }
    } catch  where error.isMissing {
      return []
    }
  }

  /// Forgets a take whose objects are gone.
  package static func forgetPurge(of take: TakeID, in root: String) throws(FileProblem) {
    let notes = try TakeFolder(existing: purgedFolder, in: root)
    try notes.remove(take.description)
    try notes.synchronize()
  }
}
