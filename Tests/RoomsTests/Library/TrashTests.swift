import Catalog
import Foundation
import Logging
import Music
import Recording
import Testing

@testable import Library
@testable import Rooms

@Suite(.timeLimit(.minutes(5))) struct TrashTests {
  let book: SongBook
  var library: Library { book.library }

  init() throws { book = try SongBook() }

  @Test func aTakeGoesToTheTrashAndComesBack() async throws {
    let take = try await book.record()
    let deleted = try await library.delete(take.id, ifRevision: 1)
    #expect(deleted.deletedAt != nil)
    #expect(deleted.folder == "_trash/\(take.id)")
    #expect(try await book.index.takes(TakeQuery()).items.isEmpty)
    #expect(try await book.index.takes(TakeQuery(text: "ada")).items.isEmpty)
    #expect(try await book.index.takes(TakeQuery(text: "ada", shelf: .deleted)).items == [deleted])
    #expect(try book.folder(of: deleted).has("01-ada.flac"))
    await #expect(throws: LibraryError.takeDeleted(take.id)) {
      try await library.edit(take.id) { $0.annotations.rating = 1 }
    }
    let restored = try await library.restore(take.id)
    #expect(restored.folder == take.folder)
    #expect(restored.deletedAt == nil)
    #expect(restored.revision == 3)
    #expect(try await book.index.takes(TakeQuery(text: "ada")).items == [restored])
  }

  @Test(arguments: [TakeState.rolling, .captured, .rendering])
  func aTakeThatIsBeingMadeIsNotDeleted(state: TakeState) async throws {
    var take = try await book.record()
    take.id = TakeID(at: SongBook.noon)
    take.state = state
    take.folder = try TakeFolder.obtain("Cellar/x/\(state.rawValue)", in: book.root).path
    try await book.index.store(take, tracks: [], cues: [])
    await #expect(throws: LibraryError.takeBusy(take.id, state)) { try await library.delete(take.id) }
  }

  @Test func whatIsPurgedIsGoneWithItsFiles() async throws {
    let take = try await book.record()
    await #expect(throws: LibraryError.takeNotDeleted(take.id)) { try await library.purge(take.id) }
    let deleted = try await library.delete(take.id)
    try await library.purge(take.id)
    #expect(try await book.index.take(take.id) == nil)
    #expect(try await book.index.people(BookQuery()).items.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: "\(book.root)/\(deleted.folder)"))
  }

  /// What a kill leaves after each step of a delete: the next edit of anybody completes it.
  @Test(arguments: 0...2) func aKillInTheMiddleOfADeleteLeavesTheTakeInOnePlace(steps: Int) async throws {
    let take = try await book.record()
    let other = try await book.record(at: 60)
    let folder = try book.folder(of: take)
    let target = "_trash/\(take.id)"
    try PendingEdit(subject: .take(take.id, folders: [target, take.folder]))
      .write(PendingEdit.fileName, in: TakeFolder.obtain(Library.folder, in: book.root))
    if steps >= 1 {
      var edits = TakeEdits(take: take.id)
      edits.revision = 2
      edits.deletion = .init(at: SongBook.noon, from: take.folder)
      try edits.write(TakeEdits.fileName, in: folder)
    }
    if steps >= 2 { try TakeFolder.move(take.folder, to: target, in: book.root) }
    _ = try await library.edit(other.id) { $0.annotations.rating = 5 }
    let found = try #require(try await book.index.take(take.id))
    #expect(found.folder == (steps == 2 ? target : take.folder))
    #expect((found.deletedAt != nil) == (steps == 2))
    #expect(try book.folder(of: found).has(TakeFolder.manifestName))
    #expect(try await CatalogCheck(library, readsFiles: true).run().findings.isEmpty)
  }

  @Test func retentionKeepsFavouritesAndRatedTakesAndTellsBeforeItActs() async throws {
    let old = try await book.record(at: 0)
    let favourite = try await book.record(at: 10)
    let rated = try await book.record(at: 20)
    let elsewhere = try await book.record("Attic", at: 30)
    let young = try await book.record(at: 10 * 86_400)
    _ = try await library.edit(favourite.id) { $0.annotations.isFavourite = true }
    _ = try await library.edit(rated.id) { $0.annotations.rating = 2 }
    let policy = RetentionPolicy(daysByRoom: [old.room: 5], trashDays: 0)
    let retention = Retention(library, policy: policy)
    let now = WallTime(milliseconds: SongBook.noon.milliseconds + 12 * 86_400_000)
    let plan = try await retention.plan(at: now)
    #expect(plan.expired.map(\.id) == [old.id])
    #expect(plan.purged.isEmpty)
    #expect(try await book.index.take(old.id)?.deletedAt == nil)
    _ = try await retention.carryOut(plan)
    #expect(try await book.index.take(old.id)?.deletedAt != nil)
    for take in [favourite, rated, elsewhere, young] {
      #expect(try await book.index.take(take.id)?.deletedAt == nil)
    }
    let later = WallTime(milliseconds: MonotonicClock.wall.milliseconds + 1_000)
    _ = try await retention.carryOut(try await retention.plan(at: later))
    #expect(try await book.index.take(old.id) == nil)
  }
}
