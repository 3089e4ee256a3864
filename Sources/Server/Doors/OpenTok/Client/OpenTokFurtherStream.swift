import Music
import Rooms
import Signaling

/// A further stream of a client's connection: a musician's seat of its own in the session's room, in the connection's name.
final class OpenTokFurtherStream: Sendable {
  let room: RoomSeat<OpenTokRoomWords>
  let participant: ParticipantID
  private let following: Task<Void, Never>

  private init(
    _ room: RoomSeat<OpenTokRoomWords>, _ membership: Membership, _ tell: @escaping @Sendable (RoomEvent) -> Void
  ) {
    (self.room, participant) = (room, membership.participant)
    // As long as the seat, whose end it hears of; the conversation follows the client's own seat only.
    following = Task {
      await room.follow(membership) { event, _ in
        // All else is heard by the client's own seat, or by the session.
        if case .candidate = event { tell(event) }
      }
    }
  }

  /// Takes a seat for a stream that the client is about to publish.
  ///
  /// - Parameters:
  ///   - tell: gets what happens to the stream's connection.
  /// - Throws: `OpenTokRefusal` 409 for a full room, and what a token does not permit.
  static func begin(
    _ stream: OpenTokStreamID, _ further: OpenTokLedger.Further, _ connection: OpenTokConnectionID,
    _ claim: OpenTokToken.Claim, _ means: DoorMeans, _ desk: OpenTokDesk, _ link: LinkBearer,
    _ tell: @escaping @Sendable (RoomEvent) -> Void
  ) async throws(OpenTokRefusal) -> OpenTokFurtherStream {
    let room = RoomSeat<OpenTokRoomWords>(means, link, parking: ParkedSeats())
    let id = claim.session
    let membership = try await desk.arrive(claim, as: connection, further: further) {
      name async throws(RoomRefusal) in
      let pass = means.turnstile.gatekeeper.pass(
        room: id.room, name: name, subject: "opentok:\(connection):\(stream)", authority: claim.role.authority)
      let request = JoinRequest(name: name, role: .musician, door: .opentok)
      return try await room.enter(RoomEntry(id.room, request, token: pass)).1
    }
    return OpenTokFurtherStream(room, membership, tell)
  }

  /// Gives the seat up.
  func end() async {
    // Refused if a moderator has removed it.
    _ = try? await room.perform(.leave)
    following.cancel()
  }
}
