import Catalog
import Foundation
import Music
import Recording
import Testing

@testable import Library
@testable import Rooms

@Suite(.timeLimit(.minutes(5))) struct LibraryTests {
  let book: SongBook
  var library: Library { book.library }

  init() throws { book = try SongBook() }

  @Test func anEditIsOnTheDiskAndInTheIndexAndLeavesTheManifestAlone() async throws {
    let take = try await book.record()
    let folder = try book.folder(of: take)
    let manifest = try folder.read(TakeFolder.manifestName)
    let edited = try await library.edit(take.id, ifRevision: 1) {
      $0.annotations = TakeAnnotations(
        title: "Café", rating: 4, isFavourite: true, notes: "slow\nnice", tags: ["A", "b"])
    }
    #expect(edited.revision == 2)
    #expect(edited.annotations.title == "Café")
    #expect(edited.loudness == -18.5)
    #expect(try await book.index.take(take.id) == edited)
    #expect(try TakeEdits(of: take.id, in: folder).annotations == edited.annotations)
    #expect(try folder.read(TakeFolder.manifestName) == manifest)
    for text in ["cafe", "CAF", "nic", "ada", "b"] {
      #expect(try await book.index.takes(TakeQuery(text: text)).items.map(\.id) == [take.id], "\(text)")
    }
    #expect(try await book.index.takes(TakeQuery(minimumRating: 4, tag: "a")).items.count == 1)
    #expect(try await book.index.takes(TakeQuery(minimumRating: 5)).items.isEmpty)
  }

  @Test func aStaleRevisionIsRefusedAndNothingChanges() async throws {
    let take = try await book.record()
    _ = try await library.edit(take.id) { $0.annotations.rating = 1 }
    await #expect(throws: LibraryError.staleRevision(given: 1, current: 2)) {
      try await library.edit(take.id, ifRevision: 1) { $0.annotations.rating = 2 }
    }
    #expect(try await library.edit(take.id, ifRevision: 2) { $0.annotations.rating = 1 }.revision == 2)
    await #expect(throws: LibraryError.value(ValueProblem("rating", "9", "1 to 5, or null"))) {
      try await library.edit(take.id) { $0.annotations.rating = 9 }
    }
  }

  @Test func aTextFromBeforeTheLimitsKeepsNothingElseFromBeingEdited() async throws {
    let (old, new) = ("\u{202A}Blue", "\u{202A}Green")
    let take = try await book.record()
    var edits = try TakeEdits(of: take.id, in: try book.folder(of: take))
    edits.annotations = TakeAnnotations(title: old, notes: old, tags: [old])
    try edits.write(TakeEdits.fileName, in: try book.folder(of: take))
    let edited = try await library.edit(take.id) {
      $0.annotations.rating = 5
      $0.annotations.tags.append("slow")
    }
    #expect(edited.annotations.title == old && edited.annotations.tags == [old, "slow"])
    await #expect(throws: LibraryError.self) { try await library.edit(take.id) { $0.annotations.title = new } }
    await #expect(throws: LibraryError.self) { try await library.edit(take.id) { $0.annotations.tags = [new] } }

    let song = Song(id: SongID(at: SongBook.noon), title: old, composers: [old], key: old, notes: old)
    try await book.index.store(song)
    let renewed = try await library.editSong(song.id) {
      $0.tempo = TempoMap(beatsPerMinute: 92.5)
      $0.composers.append("Ann")
    }
    #expect(renewed.title == old && renewed.composers == [old, "Ann"])
    await #expect(throws: LibraryError.self) { try await library.editSong(song.id) { $0.title = new } }
    await #expect(throws: LibraryError.self) { try await library.editSong(song.id) { $0.key = new } }
  }

  @Test func simultaneousEditsAllCount() async throws {
    let take = try await book.record()
    let other = try Library(recordings: book.root, index: book.index)
    try await withThrowingTaskGroup { group in
      for number in 0..<20 {
        let library = number.isMultiple(of: 2) ? library : other
        group.addTask { _ = try await library.edit(take.id) { $0.annotations.tags.append("tag \(number)") } }
      }
      try await group.waitForAll()
    }
    let edited = try #require(try await book.index.take(take.id))
    #expect(edited.revision == 21)
    #expect(Set(edited.annotations.tags).count == 20)
  }

  @Test func cuesAreAddedEditedAndRemovedAlsoThoseOfTheRecording() async throws {
    let recorded = Cue(id: CueID(at: SongBook.noon), position: SamplePosition(48_000), text: "bridge")
    let take = try await book.record(cues: [recorded])
    let added = try await library.addCue(to: take.id, at: SamplePosition(96_000), text: "solo")
    #expect(try await book.index.cues(of: take.id) == [recorded, added.cue])
    let edited = try await library.editCue(recorded.id, of: take.id) { $0.text = "chorus" }
    #expect(try await book.index.cues(of: take.id) == [edited.cue, added.cue])
    #expect(try await book.index.takes(TakeQuery(text: "chorus")).items.count == 1)
    _ = try await library.removeCue(recorded.id, of: take.id)
    #expect(try await book.index.cues(of: take.id) == [added.cue])
    await #expect(throws: LibraryError.unknownCue(recorded.id, take: take.id)) {
      try await library.removeCue(recorded.id, of: take.id)
    }
    await #expect(throws: LibraryError.self) {
      try await library.addCue(to: take.id, at: SamplePosition(480_001), text: "too late")
    }
  }

  @Test func aTakeMovesToAnotherSongUnderItsNextNumber() async throws {
    let song = try await library.song(titled: "Blue")
    let first = try await book.record(song: song)
    let take = try await book.record(at: 60)
    let moved = try await library.edit(take.id) { $0.song = song.id }
    #expect(first.number == 1)
    #expect(moved.number == 2)
    #expect(moved.song?.id == song.id)
    #expect(try await book.index.takes(TakeQuery(song: song.id)).items.map(\.id) == [take.id, first.id])
    await #expect(throws: LibraryError.songInUse(song.id)) { try await library.deleteSong(song.id) }
  }

  @Test func aRenamedSongFindsItsTakes() async throws {
    let song = try await library.song(titled: "Blue")
    let take = try await book.record(song: song)
    let renamed = try await library.editSong(song.id, ifRevision: 1) {
      $0.title = "Größe"
      $0.tempo = TempoMap(beatsPerMinute: 92.5)
      $0.composers = ["Ann", "Bo"]
    }
    #expect(renamed.revision == 2)
    #expect(try await book.index.song(song.id) == renamed)
    #expect(try await book.index.takes(TakeQuery(text: "grosse")).items.first?.song == renamed)
    #expect(try await book.index.takes(TakeQuery(text: "blue")).items.isEmpty)
    #expect(try await book.index.take(take.id)?.song?.title == "Größe")
    await #expect(throws: LibraryError.titleTaken("Größe", by: song.id)) {
      try await library.createSong(Song(id: SongID(at: SongBook.noon), title: "GRÖSSE"))
    }
  }

  @Test func mergedPeopleAreOnePersonWithManyNames() async throws {
    let (ann, annie) = (SongBook.person("Ann"), SongBook.person("Annie"))
    let first = try await book.record(people: [ann])
    let second = try await book.record(at: 60, people: [annie])
    let person = try await library.mergePeople([annie.id], into: ann.id)
    #expect(person.names.map(\.description) == ["Ann", "Annie"])
    for id in [ann.id, annie.id] {
      #expect(try await book.index.takes(TakeQuery(participant: id)).items.map(\.id) == [second.id, first.id])
    }
    let renamed = try await library.renamePerson(annie.id, to: DisplayName("Anna K."), ifRevision: 2)
    #expect(renamed.id == ann.id)
    #expect(try await book.index.takes(TakeQuery(text: "anna")).items.count == 2)
    #expect(try await book.index.people(BookQuery(condition: .term(.word("annie")))).items == [renamed])
    let separate = try await library.separatePerson(annie.id, from: ann.id)
    #expect(separate.merged.isEmpty)
    #expect(try await book.index.takes(TakeQuery(participant: annie.id)).items.map(\.id) == [second.id])
  }

  @Test(arguments: ["annotations.json", "annotations.json.part"])
  func aPlantedLinkIsNotFollowed(name: String) async throws {
    let take = try await book.record()
    let outside = book.root + "/outside"
    try Data("{}".utf8).write(to: URL(fileURLWithPath: outside))
    try FileManager.default.createSymbolicLink(
      atPath: "\(book.root)/\(take.folder)/\(name)", withDestinationPath: outside)
    _ = try? await library.edit(take.id) { $0.annotations.rating = 3 }
    #expect(try Data(contentsOf: URL(fileURLWithPath: outside)) == Data("{}".utf8))
  }
}
