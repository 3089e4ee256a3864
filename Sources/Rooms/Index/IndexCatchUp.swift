import Library
import Logging
import Music
import Recording
import Signaling

/// Adds entries to the index that exist on disk but are missing from it: after the service ended with waiting writes,
/// and in place of a backlog that became too long.
///
/// Existing entries are only compared, not written again: the index may have a hundred thousand takes and lack one.
struct IndexCatchUp: Sendable {
  let library: Library
  /// Receives the ends of takes that were never announced.
  let events: EventFeed?
  let logger: Logger

  /// - Parameter index: the index itself, not the backlog.
  /// - Throws: `IndexProblem` if it is unusable; unreadable files are logged and skipped.
  func run(_ index: any TakeIndex) async throws {
    for path in try IndexRebuild.folders(under: library.root) {
      try await pass(path) {
        let manifest = try Manifest(of: TakeFolder(existing: path, in: library.root))
        try await compare(try library.shelved(manifest.contents), with: index)
      }
    }
    let names = (try? TakeFolder(existing: SessionFile.folder, in: library.root).names()) ?? []
    for name in names where name.hasSuffix(".json") {
      try await pass("\(SessionFile.folder)/\(name)") {
        guard let file = try SessionFile.read(name, in: TakeFolder(existing: SessionFile.folder, in: library.root)),
          try await index.session(file.session.id) != file.session
        else { return }
        try await index.open(file.session)
      }
    }
  }

  private func compare(_ disk: TakeContents, with index: any TakeIndex) async throws {
    let id = disk.take.id
    let known = try await index.take(id)
    var take = disk.take
    take.trackCount = disk.tracks.count
    // The song's own file determines its fields.
    if take.song?.id == known?.song?.id { take.song = known?.song }
    if take == known, try await index.tracks(of: id) == disk.tracks.sorted(by: { $0.number < $1.number }),
      try await index.files(of: id) == disk.files.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) })
    {
      return
    }
    try await index.store(disk)
    logger.notice("added a finished take to the index", metadata: ["take": "\(id)"])
    guard known.map({ [.rolling, .captured, .rendering].contains($0.state) }) ?? true, take.deletedAt == nil else {
      return
    }
    let kind: ServiceEventKind = take.state == .ready ? .takeReady : .takeIncomplete
    events?.publish(kind, room: take.room, .take(take))
  }

  private func pass(_ path: String, _ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch let problem as any IndexProblem where problem.isIndexUnavailable {
      throw problem
    } catch {
      logger.error("a file cannot be added to the index", metadata: ["file": "\(path)", "error": "\(error)"])
    }
  }
}

/// `_library/index-behind`: exists while the index lacks recorded data, so that the next start knows, however this
/// one ends.
struct BehindMark: Sendable {
  private static let name = "index-behind"
  private static let text = "The index lacks takes or sessions that are on the disk; the service adds them by itself.\n"

  /// The data folder.
  let root: String

  var isThere: Bool {
    (try? TakeFolder(existing: Library.folder, in: root))?.has(BehindMark.name) ?? false
  }

  /// - Throws: `FileProblem`.
  func set() throws {
    try TakeFolder.obtain(Library.folder, in: root).write(Array(BehindMark.text.utf8), as: BehindMark.name)
  }

  func remove() throws {
    let folder = try TakeFolder(existing: Library.folder, in: root)
    try folder.remove(BehindMark.name)
    try folder.synchronize()
  }
}
