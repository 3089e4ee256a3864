import Catalog
import Foundation
import Music
import Recording
import Signaling
import Testing

@testable import Library
@testable import Rooms

@Suite(.timeLimit(.minutes(5))) struct ImportTests {
  let book: SongBook

  init() throws { book = try SongBook() }

  /// A made take that is not in the book yet.
  private func made(_ digest: String = "d", song: Song? = nil) throws -> (Manifest, Library.Workshop) {
    let take = Take(
      id: TakeID(at: SongBook.noon), number: 1, state: .ready, room: try RoomName(checking: "Past"),
      session: SessionID(at: SongBook.noon), song: song, startedAt: SongBook.noon,
      endedAt: WallTime(milliseconds: SongBook.noon.milliseconds + 1_000), length: SamplePosition(48_000),
      trackCount: 1, folder: "")
    let workshop = try book.library.workshop(for: take.id)
    try workshop.folder.write(Array("sound".utf8), as: "01-ada.flac")
    let track = Track(
      id: TrackID(at: SongBook.noon), take: take.id, number: 1, participant: SongBook.ada, file: "01-ada.flac")
    var manifest = Manifest(
      software: "test", take: take, tracks: [track],
      files: [
        Manifest.File(
          name: "01-ada.flac", role: .track, track: track.id, size: 5,
          digest: try FileDigest(of: "01-ada.flac", in: workshop.folder))
      ])
    manifest.imported = [ImportedFile(name: "a.wav", digest: FileDigest(value: digest))]
    return (manifest, workshop)
  }

  @Test func anImportIsATakeLikeAnyOther() async throws {
    let song = try await book.library.song(titled: "Blue")
    let (manifest, workshop) = try made(song: song)
    let take = try await book.library.adopt(manifest, from: workshop)
    #expect(try !TakeFolder(existing: take.folder, in: book.root).has("lock"))
    #expect(take.number == 1 && take.song == song && take.state == .ready && take.folder.hasPrefix("Past"))
    let again = try made("other", song: song)
    #expect(try await book.library.adopt(again.0, from: again.1).number == 2)
    #expect(try await CatalogCheck(book.library, readsFiles: true).run().findings.isEmpty)
    #expect(try await book.index.session(take.session)?.endedAt == take.endedAt)
    #expect(try await book.library.take(importedFrom: manifest.imported ?? [])?.id == take.id)
    #expect(try await book.library.take(importedFrom: [ImportedFile(name: "b", digest: .init(value: "x"))]) == nil)
    let kinds = try book.library.edits.edits(after: 0, limit: 10).map { $0.event?.kind }
    #expect(kinds == [.songCreated, .takeReady, .takeReady])
    #expect(try await book.library.delete(take.id).deletedAt != nil)
  }

  @Test func aSessionLastsFromItsFirstTakeToItsLastWhateverTheirOrder() async throws {
    let (middle, first) = try made()
    let session = try await book.library.adopt(middle, from: first).session
    func add(at seconds: Int64, _ digest: String) async throws {
      let (made, workshop) = try made(digest)
      var manifest = made
      let start = WallTime(milliseconds: SongBook.noon.milliseconds + seconds * 1_000)
      manifest.take.session = session
      manifest.take.startedAt = start
      manifest.take.endedAt = WallTime(milliseconds: start.milliseconds + 1_000)
      manifest.session = Session(id: session, room: manifest.take.room, startedAt: SongBook.noon)
      _ = try await book.library.adopt(manifest, from: workshop)
    }
    try await add(at: 600, "later")
    try await add(at: -600, "earlier")
    let times = [-600, 601].map { WallTime(milliseconds: SongBook.noon.milliseconds + $0 * 1_000) }
    let known = try #require(try await book.index.session(session))
    #expect(known.startedAt == times[0] && known.endedAt == times[1])
    let folder = try TakeFolder(existing: SessionFile.folder, in: book.root)
    let filed = try #require(try SessionFile.read(SessionFile.name(of: session), in: folder)).session
    #expect(filed.startedAt == times[0] && filed.endedAt == times[1])
  }

  @Test(arguments: EditStep.allCases) func aKillLeavesAWholeTakeOrNone(step: EditStep) async throws {
    let (manifest, workshop) = try made()
    await #expect(throws: EditStep.Kill.self) {
      try await EditStep.$last.withValue(step) { _ = try await book.library.adopt(manifest, from: workshop) }
    }
    let library = try Library(recordings: book.root, index: book.index)
    try await library.settle()
    let isThere = [.written, .indexed, .logged].contains(step)
    #expect(try await (book.index.take(manifest.take.id) != nil) == isThere)
    #expect(try await CatalogCheck(library, readsFiles: true).run().findings.isEmpty)
    #expect(try library.edits.last() == (isThere ? 1 : 0))
    #expect(try await (library.take(importedFrom: manifest.imported ?? []) != nil) == isThere)
  }

  @Test func anImportAboutToMoveIsNotTakenForAKilledOne() async throws {
    let (manifest, workshop) = try made()
    await #expect(throws: EditStep.Kill.self) {
      try await EditStep.$last.withValue(.begun) { _ = try await book.library.adopt(manifest, from: workshop) }
    }
    _ = try made("other")
    #expect(try TakeFolder(existing: workshop.folder.path, in: book.root).has("01-ada.flac"))
    withExtendedLifetime(workshop) {}
  }

  @Test func theNextImportRemovesWhatAKilledOneLeftAndNotWhatIsBeingMade() async throws {
    var killed: Library.Workshop? = try made().1
    let path = try #require(killed?.folder.path)
    let busy = try made().1
    #expect(try TakeFolder(existing: path, in: book.root).has("01-ada.flac"))
    killed = nil
    _ = try made()
    #expect(throws: FileProblem.self) { try TakeFolder(existing: path, in: book.root) }
    #expect(try TakeFolder(existing: busy.folder.path, in: book.root).has("01-ada.flac"))
    #expect(try await CatalogCheck(book.library, readsFiles: true).run().takes == 0)
  }
}
