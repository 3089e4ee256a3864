import Foundation
import Logging
import Music
import Recording
import Signaling
import Testing

@testable import Library
@testable import Rooms

@Suite(.timeLimit(.minutes(5))) struct EditLogTests {
  let book: SongBook
  var library: Library { book.library }

  init() throws { book = try SongBook() }

  private func entry() throws -> EditEntry {
    let event = ServiceEvent(.songDeleted, room: nil, at: SongBook.noon, .songID(SongID(at: SongBook.noon)))
    return try #require(EditEntry(event))
  }

  private func files() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "\(book.root)/\(EditLog.folder)").sorted()
  }

  @Test func anEntrySaysTheSameAfterTheDisk() async throws {
    let take = try await book.record()
    _ = try await library.edit(take.id) { $0.annotations = TakeAnnotations(title: "Café", rating: 4) }
    let song = try await library.createSong(Song(id: SongID(at: SongBook.noon), title: "Blue"))
    let person = try await library.renamePerson(SongBook.ada.id, to: DisplayName("Ada L."))
    _ = try await library.delete(take.id)
    try await library.purge(take.id)
    try await library.deleteSong(song.id)
    let events = try library.edits.edits(after: 0, limit: 100).map { try #require($0.event) }
    #expect(
      events.map(\.kind) == [.takeEdited, .songCreated, .personEdited, .takeDeleted, .takePurged, .songDeleted])
    #expect(events[1].content == .song(song))
    #expect(events[2].content == .person(person))
    #expect(events[4].content == .takeID(take.id) && events[4].room == take.room)
    #expect(events[5].content == .songID(song.id))
    guard case .take(let edited) = events[0].content else { throw CancellationError() }
    #expect(edited.annotations.rating == 4 && edited.revision == 2 && events[0].room == take.room)
  }

  @Test func keepsTheNewestFilesAndGoesOnCounting() throws {
    let log = EditLog(recordings: book.root, fileCount: 3, fullLength: 300)
    for number in 1...50 { try log.append(try entry(), as: UInt64(number)) }
    #expect(try log.last() == 50)
    #expect(try files().count == 3)
    let kept = try log.edits(after: 0, limit: 1_000).map(\.number)
    let first = try #require(kept.first)
    #expect(first > 1 && first <= 49)
    #expect(kept == Array(first...50))
    #expect(try log.edits(after: 47, limit: 2).map(\.number) == [48, 49])
    #expect(try log.edits(after: 50, limit: 2).isEmpty)
    // A log of another size reads the same.
    #expect(try library.edits.edits(after: 48, limit: 10).map(\.number) == [49, 50])
  }

  @Test func aTornEndIsCutOffAndADamagedLineKeepsItsNumber() throws {
    let log = library.edits
    for number in 1...3 { try log.append(try entry(), as: UInt64(number)) }
    let path = try "\(book.root)/\(EditLog.folder)/\(#require(files().first))"
    var lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
    lines[1] = "{\"kind\":\"song"
    try Data((lines.joined(separator: "\n") + "\n{\"time\":\"20").utf8).write(to: URL(fileURLWithPath: path))
    #expect(try log.last() == 3)
    #expect(try log.edits(after: 0, limit: 10).map { $0.event != nil } == [true, false, true])
    try log.append(try entry(), as: 4)
    // The same again: a process that was killed after this line.
    try log.append(try entry(), as: 4)
    let edits = try log.edits(after: 0, limit: 10)
    #expect(edits.map(\.number) == [1, 2, 3, 4])
    #expect(edits.last?.event != nil)
  }

  @Test func theServiceTellsEveryEditOfEveryProcessOnceAndInOrder() async throws {
    let take = try await book.record()
    let feed = EventFeed()
    let service = try Library(recordings: book.root, index: book.index, events: feed)
    let command = library
    try await withThrowingTaskGroup { group in
      for number in 0..<20 {
        let library = number.isMultiple(of: 2) ? service : command
        group.addTask { _ = try await library.edit(take.id) { $0.annotations.tags.append("tag \(number)") } }
      }
      try await group.waitForAll()
    }
    try service.watch(logger: Logger(label: "test")).follower?.follow()
    let revisions = feed.read(after: 0, limit: 100).events.map { numbered in
      if case .take(let take) = numbered.event.content { take.revision } else { 0 }
    }
    #expect(revisions == Array(2...21))
    // A service that starts now begins with the next edit.
    let later = EventFeed()
    _ = try Library(recordings: book.root, index: book.index, events: later)
    #expect(later.position.edit == 20 && later.read(after: 0, limit: 1).events.isEmpty)
  }

  @Test func aRunningServiceCompletesAndTellsTheEditOfAKilledCommand() async throws {
    let take = try await book.record()
    let feed = EventFeed()
    let service = try Library(recordings: book.root, index: book.index, events: feed)
    let command = library
    await #expect(throws: EditStep.Kill.self) {
      try await EditStep.$last.withValue(.written) {
        _ = try await command.edit(take.id) { $0.annotations.rating = 5 }
      }
    }
    #expect(feed.read(after: 0, limit: 1).events.isEmpty && service.hasPendingEdit)
    let reader = feed.subscribe()
    let watch = service.watch(logger: Logger(label: "test"))
    let running = Task { try await watch.run() }
    defer { running.cancel() }
    for await _ in reader.wakes where !feed.read(after: 0, limit: 1).events.isEmpty { break }
    let numbered = try #require(feed.read(after: 0, limit: 1).events.first)
    guard case .take(let told) = numbered.event.content else {
      Issue.record("the event is \(numbered.event.kind)")
      return
    }
    #expect(told.annotations.rating == 5 && numbered.edit == 1)
  }

  @Test func anEditThatCannotBeCompletedIsLoggedOnce() async throws {
    _ = try await book.record()
    let service = try Library(recordings: book.root, index: book.index, events: EventFeed())
    let note = URL(fileURLWithPath: "\(book.root)/\(Library.folder)/\(PendingEdit.fileName)")
    try Data("nonsense".utf8).write(to: note)
    let (lines, log) = AsyncStream.makeStream(of: String.self)
    let watch = service.watch(logger: Logger(label: "test") { _ in OverheardLog(lines: log) })
    var looks = EditWatch.Looks()
    for _ in 0..<20 { await watch.look(&looks) }
    #expect(looks.cannotComplete)
    log.finish()
    let count = await lines.reduce(0) { count, _ in count + 1 }
    #expect(count == 1)
    try FileManager.default.removeItem(at: note)
    await watch.look(&looks)
    #expect(!looks.cannotComplete)
  }

  @Test func anEmptiedFolderBeginsANewLog() async throws {
    let take = try await book.record()
    let feed = EventFeed()
    let service = try Library(recordings: book.root, index: book.index, events: feed)
    for rating in 1...3 { _ = try await service.edit(take.id) { $0.annotations.rating = rating } }
    try FileManager.default.removeItem(atPath: "\(book.root)/\(EditLog.folder)")
    _ = try await service.edit(take.id) { $0.annotations.rating = 4 }
    #expect(feed.read(after: 0, limit: 10).events.map(\.edit) == [1, 2, 3, 1])
  }
}
