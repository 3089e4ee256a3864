import Client
import Machines
import Music
import Realtime
import Rooms
import Server
import Signaling

/// A synthetic musician using the public interface: the native protocol, then real ICE, DTLS and SRTP.
struct NetworkMusician: Sendable {
  var endpoint: ServiceEndpoint
  var room: RoomName
  var name: DisplayName
  var part: Part
  var token: String?
  var loop: MediaLoop
  var certificate: DTLSCertificate
  /// True to listen to the others, as a player does.
  var hears: Bool
  /// Called with every packet from another musician.
  var onHeard: @Sendable (ReceivedPacket, NegotiatedSession.ExtensionIDs?) -> Void = { _, _ in }

  private static let ice = ICEConfiguration(addresses: ["127.0.0.1"])

  /// Joins, connects, waits for `start`, plays, and leaves.
  /// - Parameters:
  ///   - connected: called when audio can flow; returns the time of the first sample.
  ///   - left: called after the last sample, before leaving.
  func perform(
    _ performance: Performance, stampsEveryPacket: Bool = false,
    connected: @escaping @Sendable () async throws -> MonotonicTime,
    left: @escaping @Sendable () async throws -> Void = {}
  ) async throws {
    try await NativeConnection.with(endpoint, room: room) { connection in
      let grant = try await connection.join(JoinRequest(name: name, part: part), token: token)
      let peer = ClientPeer(loop: loop, sends: true, configuration: Self.ice, certificate: certificate)
      guard let label = PeerLabel("publish") else { return }
      let offer = try await peer.offer()
      guard case .answer(_, let answer) = try await connection.perform(.publish(label, offer: offer)) else { return }
      try await peer.accept(answer: answer)
      try await peer.waitUntilConnected()
      let listening = Task { try await listen(on: connection, grant: grant) }
      defer { listening.cancel() }
      let start = try await connected()
      await peer.play(performance, from: start, stampsEveryPacket: stampsEveryPacket)
      try await left()
      await peer.close()
      _ = try await connection.perform(.leave)
    }
  }

  /// Subscribes to all present and future publishers.
  private func listen(on connection: NativeConnection, grant: Seating) async throws {
    guard hears else { return }
    var peers: [ParticipantID: ClientPeer] = [:]
    func subscribe(to source: ParticipantID) async throws {
      guard peers[source] == nil, source != grant.participant, let label = PeerLabel("hear-\(source)") else { return }
      let heard = onHeard
      let peer = ClientPeer(
        loop: loop, sends: false, configuration: Self.ice, certificate: certificate, onPacket: { heard($0, $1) })
      peers[source] = peer
      let offer = try await peer.offer()
      let reply = try await connection.perform(.subscribe(label, to: .participant(source), offer: offer))
      if case .answer(_, let answer) = reply { try await peer.accept(answer: answer) }
    }
    for member in grant.snapshot.members where member.isPublishing { try await subscribe(to: member.participant.id) }
    for await event in connection.events {
      if case .published(let source) = event { try await subscribe(to: source) }
    }
    for peer in peers.values { await peer.close() }
  }
}
