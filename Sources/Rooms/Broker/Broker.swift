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

/// Brings members and rooms together: makes a room at its first join, forgets it when it is empty.
package final class Broker: Service, Sendable {
  private struct Rooms {
    var byName: [RoomName: RoomActor] = [:]
    var isDraining = false
    var isReady = false
    /// Journals are closed, and nothing else is waited for.
    var isSealing = false
    var recovering: Task<Void, Never>?
    var isRecovering = false
  }

  /// How long the index may take at the end for what waits for it.
  private static let lastWrites = MonotonicTime.Span.seconds(2)
  /// How often it is asked at the end whether recovery is done.
  private static let look = Duration.milliseconds(20)

  private let services: RoomServices
  private let loops: MediaLoops
  private let rooms = Mutex(Rooms())
  let inputs = RTPInputs()

  /// Starts the threads that carry packets, write and render.
  /// - Throws: `LoopError`, `DTLSError` when the machine gives no descriptors or OpenSSL no certificate; `LibraryError`,
  ///   `FileProblem` when the data folder cannot be used.
  package init(
    configuration: RoomsConfiguration, index: any TakeIndex, events: EventFeed = EventFeed(), logger: Logger
  ) throws {
    loops = try MediaLoops(count: configuration.mediaLoops)
    let index = IndexBacklog(index, recordings: configuration.recordings, logger: logger)
    services = RoomServices(
      configuration: configuration, index: index,
      library: try Library(recordings: configuration.recordings, index: index, events: events),
      certificate: try DTLSCertificate(),
      mixLoops: try MediaLoops(count: configuration.mediaLoops, name: "live-mix"),
      disk: DiskWriter(),
      renders: RenderQueue(
        workerCount: configuration.renderWorkers, root: configuration.recordings, program: configuration.renderProgram,
        logger: logger),
      recoveries: RenderQueue(
        workerCount: ProcessInfo.processInfo.activeProcessorCount, name: "recover", niceness: 10,
        root: configuration.recordings, program: configuration.renderProgram, logger: logger),
      refinements: RefinementQueue(
        root: configuration.recordings, program: configuration.renderProgram, logger: logger),
      sharedState: SharedStateStore(recordings: configuration.recordings, logger: logger), events: events,
      ledger: WorkLedger(), logger: logger)
  }

  package var configuration: RoomsConfiguration { services.configuration }
  /// What happens in the rooms, and whatever else is published there.
  package var events: EventFeed { services.events }
  /// The takes whose files may still be made more exact.
  package var refinements: RefinementQueue { services.refinements }
  /// The index, which answers in time and takes what is recorded whatever holds it up.
  package var index: IndexBacklog { services.index }
  /// What the service is in the middle of.
  package var ledger: WorkLedger { services.ledger }
  /// The song book, which edits takes, songs and people.
  package var library: Library { services.library }
  package var iceServers: [ICEServer] { services.configuration.ice.announced }

  /// True once unfinished takes of a former process have been found and their completion begun.
  package var isReady: Bool { rooms.withLock { $0.isReady && !$0.isDraining } }

  // MARK: Life

  /// Finishes what a former process left, then serves until the shutdown, and completes every running take before it
  /// returns. Cancelled, it closes their journals and leaves the rest to the next start.
  package func run() async throws {
    let recovery = Recovery(services: services)
    services.index.whenTooMany { try await recovery.catchUp.run($0) }
    let found = recovery.search()
    await recovery.reconcile()
    // Rooms are open from here on: recovery only touches takes that nobody writes any more.
    rooms.withLock { rooms in
      rooms.isReady = true
      // A task of its own because rooms are open meanwhile; `drain` cancels it and waits for it.
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

  /// Ends all takes and closes all rooms; returns when everything is on the disk.
  package func drain() async {
    let (open, recovering) = rooms.withLock { rooms in
      rooms.isDraining = true
      return (Array(rooms.byName.values), rooms.recovering)
    }
    // The take that is being recovered is completed; the others wait for the next start.
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

  /// Every take that rolls ends at once and its journal is closed; nobody waits for anything else.
  private func seal() {
    let open = rooms.withLock { rooms in
      rooms.isSealing = true
      return Array(rooms.byName.values)
    }
    for room in open { Task { await room.seal() } }
  }

  // MARK: Rooms

  /// The rooms that somebody is in, by name.
  package func snapshots() async -> [RoomSnapshot] {
    var snapshots: [RoomSnapshot] = []
    for room in rooms.withLock({ Array($0.byName.values) }) { snapshots.append(await room.snapshot) }
    return snapshots.sorted { $0.room < $1.room }
  }

  package func snapshot(of name: RoomName) async -> RoomSnapshot? {
    await existing(name)?.snapshot
  }

  /// Lets somebody into a room, which is made if it is not there.
  /// - Throws: `RoomRefusal` when the room is full, the name taken, the service stopping.
  package func enter(_ name: RoomName, _ request: JoinRequest) async throws(RoomRefusal) -> Membership {
    try await visit(name) { room async throws(RoomRefusal) in
      Membership(try await room.join(request), in: room, of: name)
    }
  }

  /// Does something with a room that is made if it is not there, and forgotten again if nobody is in afterwards.
  func visit<Value: Sendable>(
    _ name: RoomName, _ body: (RoomActor) async throws(RoomRefusal) -> Value
  ) async throws(RoomRefusal) -> Value {
    let room = try obtain(name)
    do throws(RoomRefusal) {
      return try await body(room)
    } catch {
      await room.closeIfEmpty()
      // The room was being forgotten while we came in: the next one of its name is ours.
      guard error.code == .unavailable, !rooms.withLock({ $0.isDraining }) else { throw error }
      let next = try obtain(name)
      guard next !== room else { throw error }
      return try await body(next)
    }
  }

  func existing(_ name: RoomName) -> RoomActor? {
    rooms.withLock { $0.byName[name] }
  }

  /// The room of that name, made where there is none.
  func obtain(_ name: RoomName) throws(RoomRefusal) -> RoomActor {
    let (room, refusal) = rooms.withLock { rooms -> (RoomActor?, RoomRefusal?) in
      if !rooms.isReady { return (nil, RoomRefusal(.unavailable, "the service is starting; try again in a moment")) }
      if rooms.isDraining { return (nil, RoomRefusal(.unavailable, "the service is stopping; try again in a moment")) }
      if let room = rooms.byName[name] { return (room, nil) }
      let limit = services.configuration.maximumRooms
      guard rooms.byName.count < limit else {
        return (nil, RoomRefusal(.tooMany, "\(limit) rooms are open, which is as many as this service takes"))
      }
      let loop = loops.lease()
      let room = RoomActor(name: name, loop: loop, policy: services.configuration.policy, services: services) {
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

  /// - Throws: `RoomRefusal` when nobody is in the room, or a take rolls already.
  package func startTake(in name: RoomName, song: String?) async throws(RoomRefusal) -> RoomReply {
    try await live(name).startTake(song: song)
  }

  package func stopTake(in name: RoomName) async throws(RoomRefusal) -> RoomReply {
    try await live(name).stopTake()
  }

  package func splitTake(in name: RoomName, song: String?) async throws(RoomRefusal) -> RoomReply {
    try await live(name).splitTake(song: song)
  }

  package func cue(in name: RoomName, text: String) async throws(RoomRefusal) -> RoomReply {
    try await live(name).setCue(text, by: nil)
  }

  // MARK: Rooms, for whoever runs the service

  /// Ends the room's take, tells everybody that the room is closed, and lets them go.
  /// - Throws: `RoomRefusal` `.wrongState` when nobody is in it.
  package func close(_ name: RoomName) async throws(RoomRefusal) {
    await (try live(name)).close()
  }

  func live(_ name: RoomName) throws(RoomRefusal) -> RoomActor {
    guard let room = existing(name) else {
      throw RoomRefusal(.wrongState, "nobody is in \(name); a musician has to join first")
    }
    return room
  }
}
