import Catalog
import Foundation
import Logging
import Music
import Recording
import Testing

@testable import Library
@testable import Rooms

@Suite(.timeLimit(.minutes(5))) struct RebuildTests {
  private let logger = Logger(label: "test")

  /// A folder in which everything happened that people do.
  private func full() async throws -> SongBook {
    let book = try SongBook()
    let song = try await book.library.song(titled: "Blue")
    let cue = Cue(id: CueID(at: SongBook.noon), position: SamplePosition(1), text: "in")
    let ann = SongBook.person("Ann")
    let takes = [
      try await book.record(song: song, people: [ann], cues: [cue]), try await book.record(at: 60),
      try await book.record("Attic", at: 120, people: [SongBook.person("Bo"), ann]),
      try await book.record(at: 180, song: Song(id: SongID(at: SongBook.noon), title: "Only takes tell of it")),
    ]
    _ = try await book.library.edit(takes[1].id) {
      $0.annotations = TakeAnnotations(title: "x", rating: 5, tags: ["t"])
      $0.song = song.id
    }
    _ = try await book.library.editCue(cue.id, of: takes[0].id) { $0.text = "out" }
    _ = try await book.library.editSong(song.id) { $0.notes = "fast" }
    _ = try await book.library.renamePerson(ann.id, to: DisplayName("Anna"))
    _ = try await book.library.mergePeople([SongBook.ada.id], into: ann.id)
    _ = try await book.library.delete(takes[2].id)
    return book
  }

  @Test func aRebuiltIndexSaysTheSameUnderTheSameIdentifiers() async throws {
    let book = try await full()
    let before = try await book.words(of: book.index)
    let fresh = try SQLiteCatalog.fresh(at: book.root + "/fresh.sqlite", now: SongBook.noon)
    let library = try Library(recordings: book.root, index: fresh)
    #expect(try await IndexRebuild(library, logger: logger).run() == 4)
    #expect(try await book.words(of: fresh) == before)
    #expect(try await fresh.takes(TakeQuery(text: "anna")).items.count == 3)
    #expect(try await CatalogCheck(library, readsFiles: true).run().findings.isEmpty)
    // In the old one's place.
    try book.index.close()
    try fresh.replace(book.root + "/jamjar.sqlite")
    let opened = try SQLiteCatalog.open(at: book.root + "/jamjar.sqlite", now: SongBook.noon)
    #expect(opened.origin == .existing)
    #expect(try await book.words(of: opened) == before)
  }

  @Test func aRebuildIsRefusedWhileTheLibraryIsUsed() throws {
    let book = try SongBook()
    #expect(throws: LibraryError.self) { try Library.alone(in: book.root) }
  }

  @Test func theCheckTellsWhatIsAmiss() async throws {
    let book = try await full()
    let check = CatalogCheck(book.library, readsFiles: true)
    #expect(try await check.run().findings.isEmpty)
    let takes = try await book.index.takes(TakeQuery(sort: .oldest)).items
    // Other bytes of the same length; an edit that the index does not know; a folder that is gone.
    let path = "\(book.root)/\(takes[0].folder)/01-ada.flac"
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    bytes[0] ^= 1
    try bytes.write(to: URL(fileURLWithPath: path))
    var edits = try TakeEdits(of: takes[1].id, in: book.folder(of: takes[1]))
    edits.annotations.rating = 1
    try edits.write(TakeEdits.fileName, in: book.folder(of: takes[1]))
    try FileManager.default.removeItem(atPath: "\(book.root)/\(takes[2].folder)")
    let codes = try await check.run().findings.map(\.code)
    #expect(codes.sorted() == ["differs", "file-digest", "not-on-disk"])
    #expect(try await CatalogCheck(book.library, readsFiles: false).run().findings.count == 2)
  }

  @Test func theCheckComparesSongsAndPeople() async throws {
    let book = try await full()
    let check = CatalogCheck(book.library, readsFiles: false)
    let report = try await check.run()
    #expect(report.findings.isEmpty)
    #expect(report.songs == 1 && report.people == 1)
    var song = try #require(try await book.index.song(titled: "Blue"))
    song.notes = "slow"
    try await book.index.store(song)
    try await book.index.store(Song(id: SongID(at: SongBook.noon), title: "Nobody played it"))
    let anna = try #require(try await book.index.people(BookQuery(condition: .term(.word("anna")))).items.first)
    var person = anna
    person.givenName = nil
    try await book.index.store(person)
    let torn = PersonFile.name(of: ParticipantID(at: SongBook.noon))
    try TakeFolder(existing: PersonFile.folder, in: book.root).write(Array("{".utf8), as: torn)
    let findings = try await check.run().findings
    #expect(
      Set(findings.map { "\($0.code) \($0.folder.split(separator: "/").prefix(2).joined(separator: "/"))" }) == [
        "differs _library/songs", "not-on-disk _library/songs", "differs _library/people", "unreadable _library/people",
      ], "\(findings)")
    #expect(findings.count == 4)
    #expect(findings.contains { $0.text.hasSuffix("\"Blue\": notes") })
    // A row or a file that is gone.
    try TakeFolder(existing: PersonFile.folder, in: book.root).remove(torn)
    try await book.index.store(anna)
    try TakeFolder(existing: PersonFile.folder, in: book.root).remove(PersonFile.name(of: anna.id))
    #expect(try await check.run().findings.map(\.code).sorted() == ["differs", "not-on-disk", "not-on-disk"])
  }
}
