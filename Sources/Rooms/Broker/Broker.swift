import Foundation
import Library
import Logging
import Machines
import Music
import Realtime
import Recording
import ServiceLifecycle
import Signaling
import Synchronization

/// Connects members and rooms: creates a room at its first join, removes it when it is empty.
///
/// ```swift
/// let membership = try await broker.enter(room, request)
/// for await event in membership.events { handle(event) }
/// ```
package final class Broker: NamedService, Sendable {
  private struct Rooms {
    var byName: [RoomName: RoomActor] = [:]
    var isDraining = false
    var isReady = false
    /// True once the shutdown only waits for journals to be closed.
    var isSealing = false
    var recovering: Task<Void, Never>?
    var isRecovering = false
  }

  /// How long the shutdown waits for the index to take pending writes.
  private static let lastWrites = MonotonicTime.Span.seconds(2)
  /// How often the shutdown checks whether recovery is done.
  private static let look = Duration.milliseconds(20)

  let services: RoomServices
  private let loops: MediaLoops
  /// Of which workers are copies; nil where they are no processes.
  package let template: WorkerTemplate?
  private let rooms = Mutex(Rooms())
  let inputs = RTPInputs()

  /// Starts the threads that carry packets, write and render.
  /// - Throws: `LoopError`, `DTLSError` if the system has no descriptors left or OpenSSL creates no certificate;
  ///   `LibraryError`, `FileProblem` if the data folder is unusable.
  package init(
    configuration: RoomsConfiguration, index: any TakeIndex, events: EventFeed = EventFeed(), logger: Logger
  ) throws {
    loops = try MediaLoops(count: configuration.mediaLoops, priority: .realTime)
    template = configuration.workerProgram.map { WorkerTemplate($0, logger: logger) }
    let index = IndexBacklog(index, recordings: configuration.recordings, logger: logger)
    services = RoomServices(
      configuration: configuration, index: index,
      library: try Library(recordings: configuration.recordings, index: index, events: events),
      certificate: try DTLSCertificate(),
      mixLoops: try MediaLoops(count: configuration.mediaLoops, name: "live-mix"),
      disk: DiskWriter(),
      renders: RenderQueue(
        workerCount: configuration.renderWorkers, root: configuration.recordings, program: configuration.workerProgram,
        template: template, software: configuration.software, logger: logger),
      recoveries: RenderQueue(
        workerCount: ProcessInfo.processInfo.activeProcessorCount, name: "recover", niceness: 10,
        root: configuration.recordings, program: configuration.workerProgram, software: configuration.software,
        logger: logger),
      refinements: RefinementQueue(
        root: configuration.recordings, program: configuration.workerProgram, template: template, logger: logger),
      sharedState: SharedStateStore(recordings: configuration.recordings, logger: logger),
      revocations: try Revocations(recordings: configuration.recordings),
      topologies: try RoomTopologies(
        recordings: configuration.recordings, standard: configuration.policy.topology,
        ofName: configuration.topologyOfName),
      events: events,
      ledger: WorkLedger(), candidates: CandidateCounts(),
      usage: RoomUsage(limit: configuration.roomQuota, recordings: configuration.recordings), logger: logger)
  }

  package var configuration: RoomsConfiguration { services.configuration }
  /// The join tokens that no longer hold.
  package var revocations: Revocations { services.revocations }
  /// All events of the rooms, and others published there.
  package var events: EventFeed { services.events }
  /// The takes whose files may still be refined.
  package var refinements: RefinementQueue { services.refinements }
  /// The index: it responds in time, and accepts recordings even if it is blocked.
  package var index: IndexBacklog { services.index }
  /// The current work of the service.
  package var ledger: WorkLedger { services.ledger }
  /// The disk space of the rooms.
  package var usage: RoomUsage { services.usage }
  /// The song book, which edits takes, songs and people.
  package var library: Library { services.library }
  /// The remote candidates that were not checked, by reason.
  package var refusedCandidates: [CandidatePolicy.Objection: Int] { services.candidates.refused }

  /// STUN and TURN servers for a participant; credentials of a TURN server with a secret hold for hours from now.
  package func iceServers(for participant: ParticipantID) -> [ICEServer] {
    services.configuration.ice.servers(for: participant.description, at: MonotonicClock.wall)
  }

  /// True once the unfinished takes of an earlier process have been found and their completion has started.
  package var isReady: Bool { rooms.withLock { $0.isReady && !$0.isDraining } }

  /// Returns once every thread that carries packets or live mixes has responded.
  package func respond() async {
    await loops.respond()
    await services.mixLoops.respond()
  }

  // MARK: Life

  /// Finishes the takes of an earlier process, serves until the shutdown, and completes every running take before it
  /// returns. If cancelled, it closes their journals and leaves the rest to the next start.
  package func run() async throws {
    let recovery = Recovery(services: services)
    services.index.whenTooMany { try await recovery.catchUp.run($0) }
    let found = recovery.search()
    await recovery.reconcile()
    // Rooms are open from here on: recovery only touches takes that are no longer being written.
    rooms.withLock { rooms in
      rooms.isReady = true
      // A separate task, because rooms are open meanwhile; `drain` cancels it and waits for it.
      rooms.isRecovering = true
      rooms.recovering = Task {
        await recovery.finish(found)
        self.rooms.withLock { $0.isRecovering = false }
      }
    }
    try? await gracefulShutdown()
    await withTaskCancellationHandler {
      await drain()
    } onCancel: {
      seal()
    }
  }

  /// Ends all takes and closes all rooms; returns once everything is on disk.
  package func drain() async {
    let (open, recovering) = rooms.withLock { rooms in
      rooms.isDraining = true
      return (Array(rooms.byName.values), rooms.recovering)
    }
    // The take being recovered is completed; the others wait for the next start.
    recovering?.cancel()
    await withTaskGroup { group in
      for room in open { group.addTask { await room.shutDown(within: self.services.configuration.drainLimit) } }
    }
    while rooms.withLock({ $0.isRecovering && !$0.isSealing }) { try? await Task.sleep(for: Broker.look) }
    await services.sharedState.settle()
    await services.index.stop(within: Broker.lastWrites)
    services.disk.stop()
    services.renders.stop()
    services.recoveries.stop()
    services.refinements.stop()
  }

  /// Ends every rolling take at once and closes its journal; nothing else is waited for.
  private func seal() {
    let open = rooms.withLock { rooms in
      rooms.isSealing = true
      return Array(rooms.byName.values)
    }
    // Called when time is short: no room waits for another one.
    for room in open { Task { await room.seal() } }
  }

  // MARK: Rooms

  /// The occupied rooms, sorted by name.
  package func snapshots() async -> [RoomSnapshot] {
    var snapshots: [RoomSnapshot] = []
    for room in openRooms { snapshots.append(await room.snapshot) }
    return snapshots.sorted { $0.room < $1.room }
  }

  package func snapshot(of name: RoomName) async -> RoomSnapshot? {
    await existing(name)?.snapshot
  }

  /// Enters a room, creating it if it does not exist.
  /// - Throws: `RoomRefusal` if the room is full, the name taken, or the service shutting down.
  package func enter(_ name: RoomName, _ request: JoinRequest) async throws(RoomRefusal) -> Membership {
    // The render of their take will be a copy of it.
    template?.prepare()
    return try await visit(name) { room async throws(RoomRefusal) in
      Membership(try await room.join(request), in: room, of: name)
    }
  }

  /// Runs an operation on a room, which is created if it does not exist and removed if it is empty afterwards.
  func visit<Value: Sendable>(
    _ name: RoomName, _ body: (RoomActor) async throws(RoomRefusal) -> Value
  ) async throws(RoomRefusal) -> Value {
    let room = try obtain(name)
    do throws(RoomRefusal) {
      return try await body(room)
    } catch {
      await room.closeIfEmpty()
      // The room was being removed as we entered; retry with a new room of that name.
      guard error.code == .unavailable, !rooms.withLock({ $0.isDraining }) else { throw error }
      let next = try obtain(name)
      guard next !== room else { throw error }
      return try await body(next)
    }
  }

  /// What connections have carried since the start.
  package var traffic: TrafficTotals { services.traffic }

  var openRooms: [RoomActor] { rooms.withLock { Array($0.byName.values) } }

  func existing(_ name: RoomName) -> RoomActor? {
    rooms.withLock { $0.byName[name] }
  }

  /// The room of that name, created if it does not exist.
  func obtain(_ name: RoomName) throws(RoomRefusal) -> RoomActor {
    let (room, refusal) = rooms.withLock { rooms -> (RoomActor?, RoomRefusal?) in
      if !rooms.isReady { return (nil, RoomRefusal(.unavailable, "the service is starting; try again in a moment")) }
      if rooms.isDraining { return (nil, RoomRefusal(.unavailable, "the service is stopping; try again in a moment")) }
      if let room = rooms.byName[name] { return (room, nil) }
      let limit = services.configuration.maximumRooms
      guard rooms.byName.count < limit else {
        return (nil, RoomRefusal(.tooMany, "\(limit) rooms are open, the maximum of this service"))
      }
      let loop = loops.lease()
      var policy = services.configuration.policy
      policy.topology = services.topologies.topology(of: name)
      let room = RoomActor(name: name, loop: loop, policy: policy, services: services) {
        [weak self] room in self?.forget(room)
      }
      rooms.byName[name] = room
      return (room, nil)
    }
    if let room { return room }
    throw refusal ?? RoomRefusal(.unavailable, "the service is stopping")
  }

  private func forget(_ room: RoomActor) {
    rooms.withLock { rooms in
      if rooms.byName[room.name] === room { rooms.byName[room.name] = nil }
    }
    loops.release(room.loop)
  }

  // MARK: Takes, for those who are not in the room

  /// - Throws: `RoomRefusal` if nobody is in the room, or a take is already rolling.
  package func startTake(in name: RoomName, song: String?) async throws(RoomRefusal) -> RoomReply {
    let reply = try await live(name).startTake(song: song)
    // A list that they read next has the take, also where the index took its time.
    await index.settle()
    return reply
  }

  package func stopTake(in name: RoomName) async throws(RoomRefusal) -> RoomReply {
    try await live(name).stopTake()
  }

  package func splitTake(in name: RoomName, song: String?) async throws(RoomRefusal) -> RoomReply {
    let reply = try await live(name).splitTake(song: song)
    await index.settle()
    return reply
  }

  package func cue(in name: RoomName, text: String) async throws(RoomRefusal) -> RoomReply {
    try await live(name).setCue(text, by: nil)
  }

  func live(_ name: RoomName) throws(RoomRefusal) -> RoomActor {
    guard let room = existing(name) else {
      throw RoomRefusal(.wrongState, "nobody is in \(name); a musician has to join first")
    }
    return room
  }
}
