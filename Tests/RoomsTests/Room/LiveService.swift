import Catalog
import Foundation
import Logging
import Machines
import Music
import Realtime
import Recording
import Signaling
import TestSupport
import Testing

@testable import Library
@testable import Rooms

/// A broker with a real index in a folder of its own, and clients that speak real ICE, DTLS and SRTP to it.
final class LiveService: Sendable {
  let folder: String
  let broker: Broker
  let index: SQLiteCatalog
  /// Clients have a loop of their own, as they would on another machine.
  let clients: MediaLoop
  let certificate: DTLSCertificate
  let ice = ICEConfiguration(addresses: ["127.0.0.1"])
  private let running: Task<Void, any Error>

  init(
    policy: RoomPolicy = RoomPolicy(), returning: ReturnPolicy = .track, folder existing: String? = nil,
    roomQuota: Int64? = nil, log: OverheardLog? = nil
  ) async throws {
    folder =
      existing
      ?? FileManager.default.temporaryDirectory.appending(path: "jamjar-rooms-\(UInt64.random(in: 0 ... .max))").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    index = try SQLiteCatalog.open(at: folder + "/jamjar.sqlite", now: MonotonicClock.wall)
    let logger = Logger(label: "rooms-test") { _ in log ?? SwiftLogNoOpLogHandler() as any LogHandler }
    var configuration = RoomsConfiguration(
      recordings: folder, policy: policy, returning: returning, ice: ice, software: "jamjar test")
    configuration.roomQuota = roomQuota
    let broker = try Broker(configuration: configuration, index: index, logger: logger)
    self.broker = broker
    clients = try MediaLoop(name: "clients")
    certificate = try DTLSCertificate()
    running = Task { try await broker.run() }
    try await eventually("the broker is ready") { broker.isReady }
  }

  /// Ends the service as SIGTERM does and removes its folder.
  func end(keepsFolder: Bool = false) async {
    await broker.drain()
    running.cancel()
    _ = await running.result
    try? index.close()
    guard !keepsFolder else { return }
    // What a take that rolled until now still writes beside the removal makes it fail; without a folder, nothing is written.
    try? await eventually("the folder is gone", within: .seconds(10)) {
      try? FileManager.default.removeItem(atPath: folder)
      return !FileManager.default.fileExists(atPath: folder)
    }
  }

  /// A musician of ours in a room: seat, publication, connected.
  func musician(
    _ name: String, in room: String, consents: Bool = true, secret: String? = nil, identity: String? = nil,
    address: String? = nil, door: Authorisation.Door = .native
  ) async throws -> (membership: Membership, peer: ClientPeer) {
    let membership = try await broker.enter(
      try RoomName(checking: room),
      JoinRequest(
        name: try DisplayName(checking: name), part: "test", consents: consents, resumeSecret: secret,
        identity: identity, door: door, address: address))
    let peer = ClientPeer(loop: clients, sends: true, configuration: ice, certificate: certificate)
    let offer = try await peer.offer()
    guard case .answer(_, let answer) = try await membership.perform(.publish(label("mic"), offer: offer)) else {
      throw ClientPeer.Failure(description: "no answer")
    }
    try await peer.accept(answer: answer)
    try await peer.waitUntilConnected()
    return (membership, peer)
  }

  func label(_ text: String) throws -> PeerLabel { try #require(PeerLabel(text)) }

  /// Waits until one of the takes in the folders `paths` has its manifest, and says which.
  func finishedFolder(_ paths: [String]) async throws -> String {
    var found: String?
    try await eventually("one of \(paths) has its manifest") {
      found = paths.first { path in
        (try? TakeFolder(existing: path, in: folder))?.has(TakeFolder.manifestName) == true
      }
      return found != nil
    }
    return try #require(found)
  }

  /// Waits until the service tells this of a take, or finds that it has already.
  func hears(_ kind: ServiceEventKind, of take: TakeID) async {
    let reader = broker.events.subscribe()
    var place: UInt64 = 0
    for await _ in reader.wakes {
      let reading = broker.events.read(after: place, limit: EventFeed.capacity)
      place = reading.place
      for event in reading.events.map(\.event) where event.kind == kind {
        switch event.content {
        case .take(let told) where told.id == take: return
        case .refined(let told, _) where told.id == take: return
        case .takeID(take): return
        default: continue
        }
      }
    }
  }

  /// Waits for the room to say that a take is finished.
  func finishedTake(_ events: AsyncStream<RoomEvent>) async -> TakeID? {
    for await event in events { if case .takeFinished(let take, _) = event { return take } }
    return nil
  }
}
