import Catalog
import Foundation
import Logging
import Machines
import Music
import Recording
import TestSupport
import Testing

@testable import Library
@testable import Rooms

/// The backlog before the real index, which is held up by the test.
@Suite(.timeLimit(.minutes(1))) final class IndexBacklogTests {
  private let root: String
  private let catalog: SQLiteCatalog
  private let index: UnwillingIndex
  private let backlog: IndexBacklog
  private let room: RoomName
  private let session: Session

  init() throws {
    root =
      FileManager.default.temporaryDirectory.appending(path: "jamjar-backlog-\(UInt64.random(in: 0 ... .max))").path
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    catalog = try SQLiteCatalog.open(at: root + "/jamjar.sqlite", now: MonotonicClock.wall)
    index = UnwillingIndex(catalog)
    backlog = IndexBacklog(index, recordings: root, logger: IndexBacklogTests.quiet)
    room = try RoomName(checking: "studio")
    // The index keeps milliseconds.
    let now = WallTime(milliseconds: MonotonicClock.wall.milliseconds)
    session = Session(id: SessionID(at: now), room: room, startedAt: now)
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  private static var quiet: Logger {
    var logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    logger.logLevel = .critical
    return logger
  }

  private var hasMark: Bool { FileManager.default.fileExists(atPath: root + "/_library/index-behind") }

  private func begin(song: String? = nil, by patient: IndexBacklog? = nil) async throws -> Take {
    let now = MonotonicClock.wall
    let take = try await (patient ?? backlog).create(
      Take(
        id: TakeID(at: now), number: 1, state: .rolling, room: room, session: session.id, startedAt: now, folder: ""),
      songTitle: song, folder: { TakeFolder.relativePath(for: $0) })
    try TakeFolder.create(for: take, in: root).write([1], as: TakeFolder.journalName)
    return take
  }

  @Test(arguments: [UnwillingIndex.Mood.locked, .silent])
  func whatIsRecordedWaitsInOrderAndIsThereAfterwards(mood: UnwillingIndex.Mood) async throws {
    try await backlog.open(session)
    let first = try await begin()
    index.become(mood)
    let second = try await begin()
    let third = try await begin(song: "  Blue in Green ")
    let fourth = try await begin(song: "BLUE IN GREEN")
    try await backlog.close(session.id, at: MonotonicClock.wall)
    #expect([first, second, third, fourth].map(\.number) == [1, 2, 1, 2])
    #expect(third.song?.title == "Blue in Green")
    #expect(fourth.song == third.song)
    #expect(backlog.isBehind && hasMark)
    #expect(try await backlog.take(second.id) == second)
    #expect(try await backlog.session(session.id)?.endedAt != nil)
    #expect(try await catalog.take(second.id) == nil)

    index.become(.willing)
    try await backlog.carryOut { _ in }
    #expect(!backlog.isBehind && !hasMark && backlog.count == 0)
    for take in [second, third, fourth] { #expect(try await catalog.take(take.id)?.number == take.number) }
    #expect(try await catalog.session(session.id)?.endedAt != nil)
  }

  /// A take that the index took too long for is in it when its author is told; where that takes longer still, it is behind.
  @Test func whatIsWrittenLateIsThereOnceItHasSettled() async throws {
    let patient = IndexBacklog(index, recordings: root, patience: .seconds(60), logger: IndexBacklogTests.quiet)
    try await patient.open(session)
    index.become(.silent)
    let late = try await begin(song: "Naima", by: patient)
    let told = Task { [catalog] in
      await patient.settle()
      return try await catalog.take(late.id)
    }
    // Behind two writes of the take: the one that was given up, and the one in its place.
    try await eventually("its author waits") { patient.count == 3 }
    index.become(.willing)
    #expect(try await told.value == late)
    index.become(.silent)
    let later = try await begin()
    await backlog.settle()
    #expect(backlog.isBehind && hasMark)
    index.become(.willing)
    try await backlog.carryOut { _ in }
    #expect(try await catalog.take(later.id) == later)
  }

  @Test func numbersComeFromTheFoldersWhereTheIndexSaysNothing() async throws {
    index.become(.locked)
    var later = try await begin()
    later.number = 6
    later.folder = TakeFolder.relativePath(for: later)
    _ = try TakeFolder.create(for: later, in: root)
    #expect(try await begin().number == 7)
    index.become(.willing)
  }

  @Test func whatNoWaitingChangesIsToldAndHoldsNothingUp() async throws {
    let stranger = TakeID(at: MonotonicClock.wall)
    // On a busy machine a willing index may take longer than it is waited for elsewhere.
    let backlog = IndexBacklog(index, recordings: root, patience: .seconds(60), logger: IndexBacklogTests.quiet)
    await #expect(throws: CatalogError.unknownTake(stranger)) { try await backlog.discard(stranger) }
    #expect(!backlog.isBehind && !hasMark)
    try await backlog.open(session)
    #expect(try await catalog.session(session.id) == session)
  }

  @Test func writesThatAreLeftAreToldToTheNextStart() async throws {
    index.become(.locked)
    try await backlog.open(session)
    let waiting = Task { [backlog] in try await backlog.carryOut { try await $0.closeLeftSessions() } }
    try await eventually("two writes wait") { backlog.count == 2 }
    await backlog.stop(within: .zero)
    await #expect(throws: IndexUnavailable.self) { try await waiting.value }
    #expect(hasMark)
    #expect(IndexBacklog(catalog, recordings: root, logger: IndexBacklogTests.quiet).isBehind)
  }

  @Test func tooManyWritesGiveWayToALookAtTheDisk() async throws {
    let library = try Library(recordings: root, index: backlog)
    let catchUp = IndexCatchUp(library: library, events: nil, logger: IndexBacklogTests.quiet)
    backlog.whenTooMany { try await catchUp.run($0) }
    index.become(.locked)
    // The first is under way; the file of the session is what the look finds.
    try await backlog.closeLeftSessions()
    try await library.open(session)
    for _ in 0..<2 * WaitingWrites<IndexWrite>.capacity { _ = backlog.add { _ in } }
    #expect(backlog.count <= WaitingWrites<IndexWrite>.capacity)
    index.become(.willing)
    try await backlog.carryOut { _ in }
    #expect(try await catalog.session(session.id) == session)
    #expect(!hasMark)
  }
}
