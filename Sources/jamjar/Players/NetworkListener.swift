import Client
import Machines
import Music
import Realtime
import Rooms
import Server
import Signaling

/// A synthetic listener: the native protocol, then real ICE, DTLS and SRTP.
struct NetworkListener: Sendable {
  var endpoint: ServiceEndpoint
  var room: RoomName
  var name: DisplayName
  /// The musician to hear; nil for the live mix.
  var musician: DisplayName?
  var token: String?
  var loop: MediaLoop
  var certificate: DTLSCertificate
  var onHeard: @Sendable (ReceivedPacket, NegotiatedSession.ExtensionIDs?) -> Void

  private static let ice = ICEConfiguration(addresses: ["127.0.0.1"])

  /// Joins, subscribes, calls `connected`, and listens until the room closes or the task is cancelled.
  /// - Throws: `RoomRefusal` if the room admits no listener, `LinkClosed` if the link ends early.
  func listen(connected: @escaping @Sendable () async -> Void) async throws {
    try await NativeConnection.with(endpoint, room: room) { connection in
      let grant = try await connection.join(JoinRequest(name: name, role: .listener), token: token)
      guard let label = PeerLabel("hear") else { return }
      let source = try await source(grant, connection)
      let peer = ClientPeer(
        loop: loop, sends: false, configuration: Self.ice, certificate: certificate, onPacket: onHeard)
      let offer = try await peer.offer()
      guard case .answer(_, let answer) = try await connection.perform(.subscribe(label, to: source, offer: offer))
      else { return }
      try await peer.accept(answer: answer)
      try await peer.waitUntilConnected()
      await connected()
      for await event in connection.events {
        if case .left = event { break }
      }
      await peer.close()
    }
  }

  /// Waits for the chosen musician, if any.
  private func source(_ grant: Seating, _ connection: NativeConnection) async throws -> AudioSource {
    guard let musician else { return .mix }
    func find(_ members: [RoomSnapshot.Member]) -> ParticipantID? {
      members.first { $0.participant.name == musician }?.participant.id
    }
    if let there = find(grant.snapshot.members) { return .participant(there) }
    for await event in connection.events {
      if case .joined(let member) = event, let there = find([member]) { return .participant(there) }
    }
    throw RoomRefusal(.unknownParticipant, "the link ended before \(musician) came in")
  }
}
