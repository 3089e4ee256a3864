import Catalog
import Foundation
import Music
import Recording
import Testing

@testable import Library
@testable import Rooms

@Suite(.timeLimit(.minutes(5))) struct RepairTests {
  /// Everything that can differ does; files that are damaged stay so and are named.
  @Test func makesTheIndexAgreeWithTheDiskWhileOthersEdit() async throws {
    let book = try SongBook()
    let song = try await book.library.createSong(Song(id: SongID(at: SongBook.noon), title: "Blue"))
    let lost = try await book.record()
    let edited = try await book.record(at: 60)
    let gone = try await book.record(at: 120)
    let damaged = try await book.record(at: 180)
    try await book.index.remove(lost.id)
    var edits = TakeEdits(take: edited.id)
    (edits.revision, edits.annotations.rating) = (5, 4)
    try edits.write(TakeEdits.fileName, in: book.folder(of: edited))
    try TakeFolder.delete(gone.folder, in: book.root)
    try book.folder(of: damaged).write(Array("x".utf8), as: "01-ada.flac")
    var other = song
    (other.title, other.revision) = ("Green", 2)
    try SongFile(other).write(SongFile.name(of: song.id), in: TakeFolder.obtain(SongFile.folder, in: book.root))

    let found = try await CatalogCheck(book.library, readsFiles: true).run().findings
    #expect(Set(found.map(\.code)).isSuperset(of: ["not-indexed", "differs", "not-on-disk", "file-size"]))
    // A service on the same folder edits meanwhile.
    let service = try Library(recordings: book.root, index: book.index)
    async let edit = service.edit(damaged.id) { $0.annotations.title = "live" }
    var parts: [Double] = []
    let left = try await CatalogRepair(book.library).mend(found) { parts.append($0) }
    #expect(try await edit.annotations.title == "live")
    #expect(left.map(\.code) == ["file-size"])
    #expect(parts == parts.sorted() && parts.last == 1)
    #expect(try await CatalogCheck(book.library, readsFiles: true).run().findings.map(\.code) == ["file-size"])
    #expect(try await book.index.take(lost.id) == lost)
    #expect(try await book.index.take(edited.id)?.revision == 5)
    #expect(try await book.index.take(gone.id) == nil)
    #expect(try await book.index.song(song.id)?.title == "Green")
  }

  @Test func whatTheIndexRefusesIsLeftAndTheRestMended() async throws {
    let book = try SongBook()
    let refused = try await book.record()
    let lost = try await book.record(at: 60)
    for take in [refused, lost] { try await book.index.remove(take.id) }
    // Another take is said to be in the folder.
    var other = refused
    other.id = TakeID(at: SongBook.noon)
    try await book.index.store(other, tracks: [], cues: [])
    let found = try await CatalogCheck(book.library, readsFiles: false).run().findings
    #expect(found.map(\.code) == ["not-indexed", "not-indexed"])
    let left = try await CatalogRepair(book.library).mend(found)
    #expect(left.map(\.folder) == [refused.folder])
    #expect(try await book.index.take(lost.id) == lost)
  }

  @Test func aTakeThatRollsIsTheRecordersAlone() async throws {
    let book = try SongBook()
    var take = try await book.record()
    take.id = TakeID(at: SongBook.noon)
    take.state = .rolling
    take.folder = "Cellar/x/not-yet"
    try await book.index.store(take, tracks: [], cues: [])
    let found = try await CatalogCheck(book.library, readsFiles: false).run().findings
    #expect(found.map(\.code) == ["not-on-disk"])
    _ = try await CatalogRepair(book.library).mend(found)
    #expect(try await book.index.take(take.id)?.state == .rolling)
  }
}
