import Catalog
import Foundation
import Logging
import Music
import Recording

@testable import Library
@testable import Rooms

/// A data folder with finished takes, an index, and the library over both; removed with the test.
final class SongBook: Sendable {
  static let noon = WallTime(milliseconds: 1_795_262_400_000)

  let root: String
  let index: SQLiteCatalog
  let library: Library

  init() throws {
    root = NSTemporaryDirectory() + "jamjar-library-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    index = try SQLiteCatalog.open(at: root + "/jamjar.sqlite", now: SongBook.noon)
    library = try Library(recordings: root, index: index)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: root)
  }

  /// A finished take with its folder, files, manifest and row.
  func record(
    _ room: String = "Cellar", at seconds: Int64 = 0, song: Song? = nil, people: [Participant]? = nil,
    cues: [Cue] = []
  ) async throws -> Take {
    let time = WallTime(milliseconds: SongBook.noon.milliseconds + seconds * 1_000)
    let session = Session(id: SessionID(at: time), room: try RoomName(checking: room), startedAt: time)
    try await library.open(session)
    var take = Take(
      id: TakeID(at: time), number: 1, state: .rolling, room: session.room, session: session.id, song: song,
      startedAt: time, folder: "")
    take = try await index.create(take, songTitle: nil) { TakeFolder.relativePath(for: $0) }
    let folder = try TakeFolder.create(for: take, in: root)
    try folder.write(Array("journal of \(take.id)".utf8), as: TakeFolder.journalName)
    try folder.write(Array("sound of \(take.id)".utf8), as: "01-ada.flac")
    take.state = .ready
    take.length = SamplePosition(480_000)
    take.endedAt = WallTime(milliseconds: time.milliseconds + 10_000)
    take.trackCount = (people ?? [SongBook.ada]).count
    let tracks = (people ?? [SongBook.ada]).enumerated().map { number, person in
      Track(id: TrackID(at: time), take: take.id, number: number + 1, participant: person, file: "01-ada.flac")
    }
    let manifest = Manifest(
      software: "test", take: take, session: session, tracks: tracks, cues: cues,
      files: [
        Manifest.File(
          name: "01-ada.flac", role: .track, track: tracks.first?.id, size: try folder.size(of: "01-ada.flac"),
          digest: try FileDigest(of: "01-ada.flac", in: folder))
      ], mixLoudness: -18.5)
    try manifest.write(in: folder)
    try await library.shelve(manifest.contents)
    try await library.close(
      Session(
        id: session.id, room: session.room, startedAt: session.startedAt,
        endedAt: WallTime(milliseconds: time.milliseconds + 20_000)))
    return try await index.take(take.id) ?? take
  }

  func folder(of take: Take) throws -> TakeFolder { try TakeFolder(existing: take.folder, in: root) }

  /// Everything that the index says, for comparing two of them.
  func words(of index: SQLiteCatalog) async throws -> [String] {
    var words: [String] = []
    for shelf in TakeQuery.Shelf.allCases {
      for take in try await index.takes(TakeQuery(shelf: shelf, limit: 200)).items {
        words.append("\(take)")
        words.append("\(try await index.tracks(of: take.id))")
        words.append("\(try await index.cues(of: take.id))")
        words.append("\(try await index.files(of: take.id))")
      }
    }
    words += try await index.songs(BookQuery(limit: 200)).items.map { "\($0)" }
    words += try await index.people(BookQuery(limit: 200)).items.map { "\($0)" }
    words += try await index.sessions(SessionQuery(limit: 200)).items.map { "\($0)" }
    words += try await index.rooms().map { "\($0)" }
    return words
  }

  static let ada = person("Ada")

  static func person(_ name: String) -> Participant {
    // The names of these tests are permitted.
    Participant(id: ParticipantID(at: noon), name: DisplayName(name) ?? ada.name)
  }
}
