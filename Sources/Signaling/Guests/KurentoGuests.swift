import Machines
import Music

/// A listener in a room of a Kurento Room server: one connection for everybody who publishes.
///
/// Kurento knows no listeners: the bot takes a place in the room, and publishes nothing.
package struct KurentoGuests: ~Copyable, DialectGuests {
  package typealias Words = KurentoClient

  package static let dialect = "Kurento Room's protocol"
  private let room: RoomName
  private var name: GuestName
  private let token: String?
  package var client: DialectClient<KurentoClient>
  package var asked: [JSONRPCID: GuestQuestion] = [:]
  package var visit = GuestVisit()

  package init(room: RoomName, name: DisplayName, token: String?, limits: JSONLimits = .received) {
    self.room = room
    self.name = GuestName(name)
    self.token = token
    client = DialectClient(limits: limits)
  }

  package var entrance: JSONRPCCall { .room(.joinRoom(room, JoinRequest(name: name.present), token: token)) }

  package var sign: JSONRPCCall { .ping() }

  package func words(for input: GuestInput) -> JSONRPCCall? {
    switch input {
    case .offer(let key, let sdp): .room(.receiveVideoFrom(sender: "\(key)_webcam", offer: sdp))
    // Kurento's servers have no word for the end of candidates.
    case .candidate(let key, let candidate):
      candidate.candidate.isEmpty ? nil : .room(.onIceCandidate(endpointName: key.description, candidate))
    case .say(let text): .room(.sendMessage(text, user: name.present.description, room: room.description))
    case .leave: .room(.leaveRoom)
    case .text, .answer, .lost: nil
    }
  }

  package mutating func take(_ result: KurentoResult, to question: GuestQuestion) {
    switch (question, result) {
    case (.join, .members(let members)):
      visit.append(.joined)
      for member in members where member.streams == .webcam { heard(member.id) }
    case (.hear(let key), .sdpAnswer(let sdp)): visit.answered(key, sdp: sdp)
    default: break
    }
  }

  package mutating func turnedAway(_ refusal: JSONRPCError, at now: MonotonicTime) {
    guard refusal.code == KurentoErrorCode.existingUserInRoom.rawValue, name.advance() else {
      return visit.end(GuestFault(kurento: refusal))
    }
    begin(at: now)
  }

  package mutating func take(_ notification: KurentoNotification, at now: MonotonicTime) {
    switch notification {
    case .participantPublished(let user): heard(user)
    case .participantUnpublished(let user), .participantLeft(let user): visit.left(GuestKey(user))
    case .iceCandidate(let user, let candidate): visit.append(.candidate(GuestKey(user), candidate))
    case .sendMessage(_, let user, let message) where user != name.present.description:
      visit.append(.said(GuestKey(user), text: message))
    case .participantEvicted: visit.end(GuestFault(.refused, "somebody has removed the bot from the room"))
    case .roomClosed: visit.end(GuestFault(.lost, "the room was closed"))
    case .mediaError, .participantJoined, .custonNotification, .sendMessage: break
    }
  }

  private mutating func heard(_ user: String) {
    if user != name.present.description { visit.came(GuestKey(user), name: user) }
  }
}

extension GuestFault {
  /// A join that a Kurento Room server has refused.
  init(kurento error: JSONRPCError) {
    let kind: Kind =
      switch KurentoErrorCode(rawValue: error.code) {
      // Our own place of before is still kept.
      case .existingUserInRoom: .full
      // What Jamjar's own door says of a room without a free seat; other servers know no limit.
      case .roomGeneric: .full
      case .roomClosed: .lost
      default: .refused
      }
    self.init(kind, "the room refuses the bot: \(error.description) (\(error.code))")
  }
}
