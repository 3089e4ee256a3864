import Catalog
import Foundation
import Music
import Recording
import Signaling
import Testing

@testable import Library
@testable import Rooms

/// What a kill after any step of any edit leaves: the next start completes it, and it is one event or never was.
@Suite(.timeLimit(.minutes(5))) struct KilledEditTests {
  enum Act: String, CaseIterable, Sendable {
    case edit, move, cue, share, unshare, comment, delete, restore, purge, createSong, editSong, deleteSong, rename,
      merge, separate
  }

  /// A song book in which every act is possible.
  private struct Stage {
    let book: SongBook
    let kept: Take
    let deleted: Take
    let song: Song
    let link: Share
    let annie = SongBook.person("Annie")
    let bo = SongBook.person("Bo")

    init() async throws {
      book = try SongBook()
      kept = try await book.record(people: [SongBook.ada, annie])
      deleted = try await book.library.delete(try await book.record(at: 60, people: [bo]).id)
      song = try await book.library.createSong(Song(id: SongID(at: SongBook.noon), title: "Blue"))
      link = (try await book.library.share(kept.id, as: Stage.newLink())).share
      // A take of Bo that stays when the other is purged.
      _ = try await book.record(at: 120, people: [bo])
      _ = try await book.library.mergePeople([bo.id], into: annie.id)
    }

    private static func newLink() -> Share {
      Share(
        id: ShareID(at: SongBook.noon), contents: .mix, title: nil, createdAt: SongBook.noon, expiresAt: nil,
        isOpenToComments: true, secretHash: [UInt8](repeating: 7, count: 32), password: nil)
    }

    func perform(_ act: Act) async throws {
      let library = book.library
      switch act {
      case .edit: _ = try await library.edit(kept.id) { $0.annotations.rating = 5 }
      case .move: _ = try await library.edit(kept.id) { [song] in $0.song = song.id }
      case .cue: _ = try await library.addCue(to: kept.id, at: SamplePosition(48_000), text: "bridge")
      case .share: _ = try await library.share(kept.id, as: Stage.newLink())
      case .unshare: _ = try await library.revoke(link.id, of: kept.id)
      case .comment:
        let comment = CueComment(share: link.id, name: try DisplayName(checking: "Ann"))
        _ = try await library.addComment(to: kept.id, at: SamplePosition(48_000), text: "more", comment: comment)
      case .delete: _ = try await library.delete(kept.id)
      case .restore: _ = try await library.restore(deleted.id)
      case .purge: try await library.purge(deleted.id)
      case .createSong: _ = try await library.createSong(Song(id: SongID(at: SongBook.noon), title: "Green"))
      case .editSong: _ = try await library.editSong(song.id) { $0.notes = "fast" }
      case .deleteSong: try await library.deleteSong(song.id)
      case .rename: _ = try await library.renamePerson(SongBook.ada.id, to: DisplayName("Ada L."))
      case .merge: _ = try await library.mergePeople([annie.id], into: SongBook.ada.id)
      case .separate: _ = try await library.separatePerson(bo.id, from: annie.id)
      }
    }
  }

  @Test(arguments: Act.allCases, EditStep.allCases)
  func aKillAfterAnyStepLeavesNoOrphanAndOneEventOrNone(act: Act, step: EditStep) async throws {
    let stage = try await Stage()
    let book = stage.book
    let before = try await book.words(of: book.index)
    let logged = try book.library.edits.last()
    var isKilled = false
    do {
      try await EditStep.$last.withValue(step) { try await stage.perform(act) }
    } catch is EditStep.Kill {
      isKilled = true
    }
    // Not every edit makes more than one change on disk; all have the other steps.
    #expect(isKilled || step == .begun)

    // The next start.
    let feed = EventFeed()
    let library = try Library(recordings: book.root, index: book.index, events: feed)
    let missed = try library.edits.last()
    try await library.settle()
    #expect(try await CatalogCheck(library, readsFiles: true).run().findings.isEmpty)
    #expect(try !TakeFolder(existing: Library.folder, in: book.root).has("pending.json"))
    let isChanged = try await book.words(of: book.index) != before
    let edits = try library.edits.edits(after: logged, limit: 10)
    #expect(edits.count == (isChanged ? 1 : 0))
    #expect(edits.allSatisfy { $0.event != nil })
    // What the killed process had not logged is an event now, and nothing is twice.
    #expect(feed.read(after: 0, limit: 10).events.compactMap(\.edit) == edits.map(\.number).filter { $0 > missed })
    if step == .noted, act != .purge { #expect(!isChanged) }
    if [.written, .indexed, .logged].contains(step) { #expect(isChanged) }
  }

  @Test func aSongThatATakeBeginsWithWhileItIsDeletedKeepsItsFile() async throws {
    let book = try SongBook()
    let song = try await book.library.createSong(
      Song(id: SongID(at: SongBook.noon), title: "Blue", composers: ["Ann"]))
    // Its file is gone, its row is not yet, and then there is a take.
    await #expect(throws: EditStep.Kill.self) {
      try await EditStep.$last.withValue(.written) { try await book.library.deleteSong(song.id) }
    }
    _ = try await book.record(song: song)
    try await book.library.settle()
    #expect(try await book.index.song(song.id) == song)
    #expect(try await CatalogCheck(book.library, readsFiles: false).run().findings.isEmpty)
  }
}
