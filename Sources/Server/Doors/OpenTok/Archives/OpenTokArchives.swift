import Library
import Logging
import Machines
import Music
import Recording
import Rooms
import ServiceLifecycle
import Signaling

/// The archives of OpenTok: starts and stops them, follows their sessions, and has their files made.
///
/// An archive is spans of takes. It wants a take while somebody publishes; a stop of that take stops the archive.
actor OpenTokArchives: NamedService {
  struct Live {
    var machine: OpenTokArchiveMachine
    let session: OpenTokSessionID
  }

  let sessions: OpenTokSessions
  private let projects: OpenTokProjects
  let broker: Broker
  let store: OpenTokArchiveStore
  let workshop: OpenTokArchiveWorkshop
  let callbacks: OpenTokCallbacks
  /// Where files are uploaded to; nil keeps them here.
  let bucket: S3Store?
  /// The data folder.
  let recordings: String
  let logger: Logger

  var book = OpenTokArchiveBook()
  var live: [String: Live] = [:]
  var watchers: [RoomName: Task<Void, Never>] = [:]
  /// The last look at each session: one after the other, so that none tells an archive what is no longer so.
  var looks: [RoomName: Task<RoomRefusal?, Never>] = [:]
  /// The takes that were begun for archives.
  var begun: Set<TakeID> = []
  /// Archives whose file is being made.
  var making: Set<String> = []
  var nextSweep = MonotonicClock.now
  var isStopping = false

  /// Between two looks at a session that is archived.
  static let interval = Duration.milliseconds(250)
  /// Between two looks at takes that are to be finished, besides the events.
  private static let patience = Duration.seconds(2)
  /// For so long after an archive's end a take that the index does not know may still be found.
  static let recoveryTime = Duration.seconds(60)
  /// How long a file is kept: 72 hours, as at the vendor.
  static let retention = Duration.seconds(72 * 3_600)
  static let sweepInterval = MonotonicTime.Span.seconds(60)

  init(
    desk: OpenTokDesk, jobs: JobRunner, callbacks: OpenTokCallbacks, recordings: String, bucket: S3Store?,
    logger: Logger
  ) {
    (sessions, projects, broker) = (desk.sessions, desk.projects, desk.broker)
    self.callbacks = callbacks
    (self.bucket, self.recordings) = (bucket, recordings)
    self.logger = logger
    store = OpenTokArchiveStore(recordings: recordings, logger: logger)
    workshop = OpenTokArchiveWorkshop(jobs: jobs, refinements: desk.broker.refinements, logger: logger)
  }

  /// Reads the archives of former processes. Those that recorded end with what their takes have.
  func load() async {
    do {
      for archive in try await store.load() {
        book.put(archive)
        guard archive.status.isActive else { continue }
        var machine = OpenTokArchiveMachine(archive, at: MonotonicClock.now, wall: MonotonicClock.wall)
        machine.handle(.stop(.systemFailure), at: MonotonicClock.now)
        await keep(machine.archive, isNews: true)
      }
      let files = book.all.filter { $0.status == .available || $0.status == .stopped }
      await store.removeFiles(except: Set(files.map(\.id)))
    } catch {
      logger.error("the archives of before cannot be read", metadata: ["error": "\(error)"])
    }
  }

  // MARK: Requests

  func find(_ id: String, of project: OpenTokProject) throws(OpenTokRefusal) -> OpenTokArchive {
    try book.find(id, of: project)
  }

  /// The archive of that id, of whatever project: for those who prove what they may by a signature.
  func known(_ id: String) -> OpenTokArchive? { book[id.lowercased()] }

  nonisolated var index: any TakeIndex { broker.index }

  func page(
    of project: OpenTokProject, session: String?, offset: Int, count: Int
  ) -> (total: Int, items: [OpenTokArchive]) {
    book.page(of: project, session: session, offset: offset, count: count)
  }

  /// - Throws: `OpenTokRefusal` 404 if nobody is connected, 409, and what the room refuses.
  func start(
    _ wish: OpenTokArchiveWish, in session: OpenTokSessionID, isAutomatic: Bool = false
  ) async throws(OpenTokRefusal) -> OpenTokArchive {
    try book.check(wish, in: session)
    guard await sessions.state(of: session) != nil else { throw .nobodyConnected }
    guard !isStopping else { throw OpenTokRefusal(status: 503, "the service is stopping; try again in a moment") }
    // Another request may have come first meanwhile.
    try book.check(wish, in: session)
    let archive = OpenTokArchive(
      id: OpenTokArchive.newID(), session: session, wish: wish, isAutomatic: isAutomatic, at: MonotonicClock.wall)
    book.put(archive)
    live[archive.id] = Live(
      machine: OpenTokArchiveMachine(archive, at: MonotonicClock.now, wall: MonotonicClock.wall), session: session)
    // Announced before the take, so that clients see the archive in its place.
    await sessions.announce(OpenTokArchiveNotice(archive), in: session)
    if let refusal = await look(at: session) {
      live[archive.id] = nil
      var dropped = archive
      dropped.giveUp()
      book.put(dropped)
      await store.keep(dropped).value
      await sessions.announce(OpenTokArchiveNotice(dropped), in: session)
      throw OpenTokRefusal(refusal)
    }
    watch(session)
    let started = book[archive.id] ?? archive
    await keep(started, isNews: true)
    return started
  }

  /// Ends an archive; its file follows.
  /// - Throws: `OpenTokRefusal` 404, 409 if it does not record.
  func stop(_ id: String, of project: OpenTokProject) async throws(OpenTokRefusal) -> OpenTokArchive {
    let archive = try book.find(id, of: project)
    guard archive.status.isActive, let session = live[archive.id]?.session else {
      throw .conflict("The archive is \(archive.status.rawValue); only one that is started or paused can be stopped")
    }
    // The latest position of its take.
    _ = await look(at: session)
    await give(.stop(.user), to: archive.id)
    return book[archive.id] ?? archive
  }

  /// - Throws: `OpenTokRefusal` 404, 409 unless it has a file.
  func delete(_ id: String, of project: OpenTokProject) async throws(OpenTokRefusal) {
    let archive = try book.find(id, of: project)
    guard archive.status.mayBecome(.deleted) else {
      throw .conflict(
        "The archive is \(archive.status.rawValue); only one that is available or uploaded can be deleted")
    }
    await give(.deleted, to: archive.id)
    await removeFile(of: archive)
  }

  /// - Throws: `OpenTokRefusal` 404, 400 for individual streams.
  func arrange(_ id: String, _ layout: OpenTokArchiveLayout, of project: OpenTokProject) async throws(OpenTokRefusal) {
    let archive = try book.find(id, of: project)
    guard archive.wish.outputMode == .composed else {
      throw .badRequest("an archive of individual streams has no layout")
    }
    await give(.arrange(layout), to: archive.id)
  }

  /// - Throws: `OpenTokRefusal` 404, 405 unless the application chooses the streams, 409 if it does not record.
  func change(
    _ id: String, _ change: OpenTokArchiveChange, of project: OpenTokProject
  ) async throws(OpenTokRefusal) {
    let archive = try book.find(id, of: project)
    guard archive.wish.streamMode == .manual else {
      throw OpenTokRefusal(status: 405, "the archive's streamMode is auto: it has all streams; start it with manual")
    }
    guard archive.status.isActive, let session = live[archive.id]?.session else {
      throw .conflict("The archive is \(archive.status.rawValue); its streams can be chosen while it records")
    }
    if case .add(let stream, _, _) = change {
      guard let state = await sessions.state(of: session) else { throw .nobodyConnected }
      guard state.streams.contains(where: { $0.id == stream }) else {
        throw .notFound("Stream not found: \(stream) is not in this session")
      }
    }
    await give(.change(change), to: archive.id)
    _ = await look(at: session)
  }

  // MARK: Life

  func run() async throws {
    workshop.begin()
    let reader = broker.events.subscribe()
    await withGracefulShutdownHandler {
      await withTaskGroup { group in
        group.addTask { await self.followSessions() }
        group.addTask {
          while !Task.isCancelled {
            try? await Task.sleep(for: OpenTokArchives.patience)
            reader.wake()
          }
        }
        var place = broker.events.position.number
        await forgetDeleted()
        for await _ in reader.wakes {
          place = await forgetDeleted(after: place)
          await workOff()
        }
        group.cancelAll()
      }
    } onGracefulShutdown: {
      reader.end()
    }
    await end()
    await workshop.end()
  }

  private func end() async {
    isStopping = true
    for watcher in watchers.values { watcher.cancel() }
    for (id, entry) in live {
      _ = await look(at: entry.session)
      await give(.stop(.systemFailure), to: id)
    }
  }
}
