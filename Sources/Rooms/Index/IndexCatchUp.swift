import Library
import Logging
import Music
import Recording
import Signaling

/// Tells the index what it lacks of what lies on the disk: after an end of the service with writes that waited, and in
/// place of so many writes that they were not kept.
///
/// What the index has is compared, not written again: it may have a hundred thousand takes, and lack one.
struct IndexCatchUp: Sendable {
  let library: Library
  /// Receives the ends of takes that were never announced.
  let events: EventFeed?
  let logger: Logger

  /// - Parameter index: the index itself, not what waits for it.
  /// - Throws: `IndexProblem` where it cannot be used; a file that cannot be read is logged and passed over.
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
    // A song's words are those of its own file.
    if take.song?.id == known?.song?.id { take.song = known?.song }
    if take == known, try await index.tracks(of: id) == disk.tracks.sorted(by: { $0.number < $1.number }),
      try await index.files(of: id) == disk.files.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) })
    {
      return
    }
    try await index.store(disk)
    logger.notice("took a finished take into the index", metadata: ["take": "\(id)"])
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
      logger.error("a file cannot be taken into the index", metadata: ["file": "\(path)", "error": "\(error)"])
    }
  }
}

/// `_library/index-behind`: there while the index lacks something that was recorded, so that the next start knows, however
/// this one ends.
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
