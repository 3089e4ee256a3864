import Library
import Machines
import Music
import Recording
import Rooms
import ServiceLifecycle
import Signaling

/// The sessions of OpenTok with somebody in them: what REST, callbacks and the client wire share.
///
/// A session is a room; what happens in the room makes its connections and streams, whatever dialect its members speak.
actor OpenTokSessions: NamedService {
  let broker: Broker
  private let projects: OpenTokProjects
  var ledgers: [RoomName: OpenTokLedger] = [:]
  /// Sessions whose ids say more than their rooms' names: those with a name for archives.
  private var named: [RoomName: OpenTokSessionID] = [:]
  /// The archives that record, or are paused; also of sessions that everybody has left for the moment.
  private var archives: [RoomName: [OpenTokArchiveNotice]] = [:]
  /// Rooms whose snapshots are being read, each with the number of its events that were carried out meanwhile.
  private var adoptions: [RoomName: Adoption] = [:]
  private var isFollowing = false
  /// Requests that wait for what has happened before them.
  private var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
  private var lastMark: UInt64 = 0
  private var readers: [UInt64: (room: RoomName?, stream: AsyncStream<OpenTokNews>.Continuation)] = [:]
  private var lastReader: UInt64 = 0

  private struct Adoption {
    var readers = 0
    var events: UInt64 = 0
  }

  /// Most snapshots of a room that are read until nothing happens meanwhile.
  private static let mostSnapshots = 8
  /// Events that wait for a slow reader; its stream ends when there are more.
  static let backlog = 4_096
  /// Most sessions with a name for archives that are known without anybody in them; an app that uses one makes it known.
  private static let mostNamed = 10_000

  init(_ projects: OpenTokProjects, broker: Broker) {
    (self.projects, self.broker) = (projects, broker)
  }

  // MARK: Rooms

  /// Follows the rooms of sessions until the service stops.
  func run() async throws {
    guard !projects.all.isEmpty else { return try await gracefulShutdown() }
    await cancelWhenGracefulShutdown { await self.follow() }
  }

  private func follow() async {
    let isMeant: @Sendable (RoomName) -> Bool = { [projects] room in OpenTokSessionID.isRoom(room, of: projects) }
    while !Task.isCancelled {
      let sightings = broker.watch(isMeant)
      isFollowing = true
      // What happened before, or was lost with the former watch.
      for room in Set(ledgers.keys).union(await broker.snapshots().map(\.room)).filter(isMeant) { await adopt(room) }
      for await sighting in sightings { handle(sighting) }
      isFollowing = false
      for waiter in waiters.values { waiter.resume() }
      waiters = [:]
    }
  }

  private func handle(_ sighting: RoomWatch.Sighting) {
    switch sighting {
    case .mark(let number): waiters.removeValue(forKey: number)?.resume()
    case .event(let event, let room):
      adoptions[room]?.events &+= 1
      guard let session = session(of: room) else { return }
      let now = MonotonicClock.wall
      tell(change(session) { $0.handle(event, at: now) }, in: session)
    }
  }

  /// Waits until everything is known that rooms have told before.
  private func settle() async {
    guard isFollowing else { return }
    lastMark &+= 1
    let mark = lastMark
    await withCheckedContinuation { continuation in
      waiters[mark] = continuation
      broker.markWatches(mark)
    }
  }

  /// The session of a room, if it is known.
  private func session(of room: RoomName) -> OpenTokSessionID? {
    ledgers[room]?.session ?? named[room] ?? OpenTokSessionID(room: room, projects: projects)
  }

  func change(
    _ session: OpenTokSessionID, _ body: (inout OpenTokLedger) -> [OpenTokEvent]
  ) -> [OpenTokEvent] {
    var ledger = ledgers[session.room] ?? OpenTokLedger(session, at: MonotonicClock.wall)
    let events = body(&ledger)
    // An idle session costs nothing.
    ledgers[session.room] = ledger.isIdle ? nil : ledger
    return events
  }

  /// Brings a session to what its room is now.
  private func adopt(_ room: RoomName) async {
    guard let session = session(of: room) else { return }
    adoptions[room, default: Adoption()].readers += 1
    var snapshot: RoomSnapshot?
    // Of this room only: what happens elsewhere says nothing.
    for _ in 0..<OpenTokSessions.mostSnapshots where !Task.isCancelled {
      let seen = adoptions[room]?.events
      snapshot = await broker.snapshot(of: room)
      // An event that was carried out meanwhile may be newer than the snapshot; those still to come repeat it.
      if seen == adoptions[room]?.events { break }
    }
    adoptions[room]?.readers -= 1
    if adoptions[room]?.readers == 0 { adoptions[room] = nil }
    let now = MonotonicClock.wall
    let members = snapshot?.members ?? []
    tell(change(session) { $0.adopt(members, at: now) }, in: session)
  }

  /// A request names this session.
  func note(_ session: OpenTokSessionID) async {
    guard session.settings.archiveName != nil, named[session.room] == nil else { return }
    if named.count >= OpenTokSessions.mostNamed { named.removeAll() }
    named[session.room] = session
    if ledgers[session.room] == nil { await adopt(session.room) }
  }

  // MARK: Reading

  /// The session's connections and streams; nil if nobody is in it.
  func state(of session: OpenTokSessionID) async -> OpenTokSessionState? {
    await note(session)
    await settle()
    guard let ledger = ledgers[session.room], !ledger.isEmpty else { return nil }
    var state = ledger.state
    state.archives = archives[session.room] ?? []
    return state
  }

  /// Tells clients of the wire, also those who come later, of an archive's status.
  func announce(_ archive: OpenTokArchiveNotice, in session: OpenTokSessionID) {
    var list = archives[session.room] ?? []
    guard !list.contains(archive), archive.isActive || list.contains(where: { $0.id == archive.id }) else { return }
    list.removeAll { $0.id == archive.id }
    if archive.isActive { list.append(archive) }
    archives[session.room] = list.isEmpty ? nil : list
    tell([.archive(archive)], in: session)
  }

  /// The sessions of a project with somebody in them.
  func states(of project: OpenTokProject) -> [OpenTokSessionState] {
    ledgers.values.filter { $0.session.key == project.key && !$0.isEmpty }.map(\.state)
  }

  /// What happens from now on, in one session or in all. The stream ends if its reader is too slow: then ask for the
  /// state, and for another stream.
  func news(of session: OpenTokSessionID? = nil) -> AsyncStream<OpenTokNews> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: OpenTokNews.self, bufferingPolicy: .bufferingOldest(OpenTokSessions.backlog))
    lastReader &+= 1
    let number = lastReader
    readers[number] = (session?.room, continuation)
    continuation.onTermination = { [weak self] _ in
      // Nobody waits for it.
      Task { await self?.forget(number) }
    }
    return stream
  }

  private func forget(_ reader: UInt64) { readers[reader] = nil }

  func tell(_ events: [OpenTokEvent], in session: OpenTokSessionID) {
    let now = MonotonicClock.wall
    for event in events {
      let news = OpenTokNews(session, event, at: now)
      for (number, reader) in readers where reader.room == nil || reader.room == session.room {
        if case .dropped = reader.stream.yield(news) {
          reader.stream.finish()
          readers[number] = nil
        }
      }
    }
  }

  // MARK: Clients of the wire

  /// A client of this display name is about to join the session's room: its connection has these data.
  /// - Throws: `OpenTokRefusal` 409 if somebody has the connection's id.
  func expect(
    _ name: DisplayName, _ arrival: OpenTokLedger.Arrival, in session: OpenTokSessionID
  ) async throws(OpenTokRefusal) {
    _ = await state(of: session)
    let now = MonotonicClock.wall
    // Clients that never came.
    for (room, ledger) in ledgers where ledger.waitsInVain(at: now) { ledgers[room] = nil }
    var ledger = ledgers[session.room] ?? OpenTokLedger(session, at: now)
    try ledger.expect(name, arrival, at: now)
    ledgers[session.room] = ledger
  }

  /// The client of this name has not come in after all.
  func forget(_ name: DisplayName, in session: OpenTokSessionID) {
    _ = change(session) { ledger in
      ledger.forget(name)
      return []
    }
  }

  /// A client says what its stream is, before it publishes or meanwhile.
  func describe(
    _ description: OpenTokLedger.StreamDescription, of participant: ParticipantID, in session: OpenTokSessionID
  ) {
    guard let events = ledgers[session.room]?.describe(description, of: participant) else { return }
    tell(events, in: session)
  }
}
