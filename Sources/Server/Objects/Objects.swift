import Library
import Logging
import Machines
import Music
import NIOPosix
import Recording
import ServiceLifecycle
import Signaling
import Synchronization

/// Copies the files of finished takes to an object store, brings them back where they are needed, and removes those of
/// takes that are gone (docs/objects.md).
///
/// What remains to be done is read from the takes' folders at every start, so nothing is forgotten by a kill.
final class Objects: NamedService {
  /// One thing to do in the store.
  enum Work: Hashable, Sendable {
    case store(TakeID)
    /// Remove the objects of a take that is gone.
    case remove(TakeID)
  }

  struct State {
    var queue: [Work] = []
    var current: Work?
    /// Takes whose own files cannot be stored, with the reason.
    var faulty: [TakeID: String] = [:]
    /// Failures of the store in a row.
    var failures = 0
    /// The first of them.
    var awaySince: WallTime?
    var trouble: String?
    var counts = ObjectCounts()
    var cache = ObjectCache()
  }

  let configuration: ObjectsConfiguration
  let store: S3Store
  let index: any TakeIndex
  /// The data folder.
  let root: String
  let feed: EventFeed
  /// Space that is left to rolling takes, in bytes.
  let reserve: Int64
  let logger: Logger
  let state = Mutex(State())
  /// Lets one download from the store go on at a time.
  let fetches = EditQueue()
  /// Wakes the worker.
  private let wakes: AsyncStream<Void>
  private let bell: AsyncStream<Void>.Continuation

  init(
    _ configuration: ObjectsConfiguration, index: any TakeIndex, root: String, feed: EventFeed, reserve: Int64,
    logger: Logger
  ) {
    self.configuration = configuration
    store = S3Store(configuration.address, credentials: configuration.credentials)
    self.index = index
    self.root = root
    self.feed = feed
    self.reserve = reserve
    self.logger = logger
    (wakes, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  /// Adds work unless it waits already.
  func add(_ work: Work) {
    let isNew = state.withLock { state in
      guard !state.queue.contains(work) else { return false }
      state.queue.append(work)
      if case .store(let take) = work { state.faulty[take] = nil }
      return true
    }
    if isNew { bell.yield() }
  }

  func wake() { bell.yield() }

  /// Runs what may be slow on a disk.
  func onDisk<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await NIOThreadPool.singleton.runIfActive(body)
  }

  // MARK: Life

  /// Stores, removes and evicts until the shutdown, which leaves the rest to the next start.
  func run() async throws {
    let reader = feed.subscribe()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.work() }
      await withGracefulShutdownHandler {
        var place = feed.position.number
        await findWork()
        for await _ in reader.wakes { place = await note(after: place) }
      } onGracefulShutdown: {
        reader.end()
      }
      group.cancelAll()
      bell.finish()
    }
  }

  private func work() async {
    for await _ in wakes {
      while !Task.isCancelled, let work = next() {
        let pause = await perform(work)
        state.withLock { $0.current = nil }
        if let pause { try? await Task.sleep(for: .seconds(pause)) }
      }
      await trim()
    }
  }

  private func next() -> Work? {
    state.withLock { state in
      guard !state.queue.isEmpty else { return nil }
      let work = state.queue.removeFirst()
      state.current = work
      return work
    }
  }

  /// - Returns: seconds to wait before anything else is tried.
  private func perform(_ work: Work) async -> Double? {
    do {
      switch work {
      case .store(let take): try await keep(take)
      case .remove(let take): try await removeObjects(of: take)
      }
      responded()
      return nil
    } catch is CancellationError {
      return nil
    } catch let failure as StoreFailure {
      return failed(work, failure.description)
    } catch let problem as FileProblem where problem.isDiskFull || problem.isOutOfDescriptors {
      return failed(work, problem.description)
    } catch {
      refuse(work, "\(error)")
      return nil
    }
  }

  private func responded() {
    let since = state.withLock { state in
      defer { (state.failures, state.awaySince, state.trouble) = (0, nil, nil) }
      return state.awaySince
    }
    if let since { logger.notice("the object store works again", metadata: ["since": "\(since)"]) }
  }

  /// The work is tried again after all that waits, for as long as it takes.
  private func failed(_ work: Work, _ reason: String) -> Double {
    let (failures, isNews) = state.withLock { state in
      state.failures += 1
      state.counts.retries += 1
      let isNews = state.trouble != reason
      state.trouble = reason
      if state.awaySince == nil { state.awaySince = MonotonicClock.wall }
      if !state.queue.contains(work) { state.queue.append(work) }
      return (state.failures, isNews)
    }
    if isNews {
      logger.error("takes are not stored as objects; they wait here", metadata: ["reason": "\(reason)"])
      publish(.objectsFailed, work, error: reason)
    }
    return configuration.pause(after: failures, chance: .random(in: 0...1))
  }

  /// The fault is in the take's own files: others go on, and the take is tried again when its files change.
  private func refuse(_ work: Work, _ reason: String) {
    if case .store(let take) = work { state.withLock { $0.faulty[take] = reason } }
    logger.error("a take cannot be stored as objects", metadata: ["work": "\(work)", "reason": "\(reason)"])
    publish(.objectsFailed, work, error: reason)
  }

  private func publish(_ kind: ServiceEventKind, _ work: Work, error: String) {
    guard case .store(let take) = work else { return }
    publish(kind, take, room: nil, bytes: 0, error: error)
  }

  func publish(_ kind: ServiceEventKind, _ take: TakeID, room: RoomName?, bytes: Int64, error: String?) {
    feed.publish(
      kind, room: room,
      .members([
        "objects": [
          "take": .string(take.description), "place": .string(store.place), "bytes": .integer(bytes),
          "error": .optional(error),
        ]
      ]))
  }

  // MARK: What is to be done

  /// Reads it from the disk.
  private func findWork() async {
    for take in (try? await onDisk { [root] in try TakeObjects.purged(in: root) }) ?? [] { add(.remove(take)) }
    var query = TakeQuery(limit: 200)
    do {
      repeat {
        let page = try await index.takes(query)
        for take in page.items where Objects.hasFiles(take) { await look(at: take) }
        query.cursor = page.next
      } while query.cursor != nil && !Task.isShuttingDownGracefully
    } catch {
      logger.error("takes that wait for the object store were not all found", metadata: ["error": "\(error)"])
    }
    bell.yield()
  }

  private func look(at take: Take) async {
    let found = try? await onDisk { [root] in try ObjectsReport.state(of: take, in: root) }
    if let found, found.isStored {
      state.withLock { $0.cache.kept[take.id] = found.cached }
    } else {
      add(.store(take.id))
    }
  }

  static func hasFiles(_ take: Take) -> Bool {
    take.deletedAt == nil && (take.state == .ready || take.state == .incomplete)
  }

  private func note(after start: UInt64) async -> UInt64 {
    var place = start
    while true {
      let reading = feed.read(after: place, limit: 256)
      place = reading.place
      if reading.isBroken { await findWork() }
      guard !reading.events.isEmpty else { return place }
      for numbered in reading.events {
        switch (numbered.event.kind, numbered.event.content) {
        case (.takeReady, .take(let take)), (.takeIncomplete, .take(let take)), (.takeRestored, .take(let take)):
          add(.store(take.id))
        case (.takeRefined, .refined(let take, _)): add(.store(take.id))
        case (.takePurged, .takeID(let take)): add(.remove(take))
        default: break
        }
      }
    }
  }
}

/// Counts for `/metrics`.
struct ObjectCounts: Sendable {
  var takesStored = 0
  var bytesStored: Int64 = 0
  var bytesFetched: Int64 = 0
  var bytesEvicted: Int64 = 0
  var retries = 0
  /// Copies that came back with other bytes than were stored.
  var damaged = 0
}
