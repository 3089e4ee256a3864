import Machines
import Music

/// A listener in a room of a Kurento Room server: one connection for everybody who publishes.
///
/// Kurento knows no listeners: the bot takes a place in the room, and publishes nothing.
package struct KurentoGuests: ~Copyable, GuestMachine {
  private enum Question: Sendable {
    case join
    case hear(GuestKey)
  }

  private let room: RoomName
  private let name: DisplayName
  private let token: String?
  private var client: KurentoClient
  package var visit = GuestVisit()
  private var asked: [JSONRPCID: Question] = [:]

  package init(room: RoomName, name: DisplayName, token: String?, limits: JSONLimits = .received) {
    self.room = room
    self.name = name
    self.token = token
    client = KurentoClient(limits: limits)
  }

  package mutating func begin(at now: MonotonicTime) {
    asked[client.ask(.joinRoom(room, JoinRequest(name: name), token: token))] = .join
    send(at: now)
  }

  package mutating func giveSign(at now: MonotonicTime) {
    _ = client.ping()
    send(at: now)
  }

  package mutating func handle(_ input: GuestInput, at now: MonotonicTime) {
    guard !visit.isOver else { return }
    switch input {
    case .text(let text):
      visit.heard(at: now)
      client.handle(.text(text), at: now)
      drain(at: now)
    case .offer(let key, let sdp):
      guard visit.guests[key] != nil else { return }
      asked[client.ask(.receiveVideoFrom(sender: "\(key)_webcam", offer: sdp))] = .hear(key)
      visit.guests.asked(key, at: now)
      send(at: now)
    case .candidate(let key, let candidate):
      // Kurento's servers have no word for the end of candidates.
      guard visit.guests[key] != nil, !candidate.candidate.isEmpty else { return }
      _ = client.ask(.onIceCandidate(endpointName: key.description, candidate))
      send(at: now)
    case .lost(let key): lose(key, at: now)
    case .say(let text):
      _ = client.ask(.sendMessage(text, user: name.description, room: room.description))
      send(at: now)
    case .leave:
      _ = client.ask(.leaveRoom)
      send(at: now)
      visit.end(.left)
    case .answer: break
    }
  }

  private mutating func drain(at now: MonotonicTime) {
    while !visit.isOver, let output = client.next() {
      switch output {
      case .send(let text): visit.append(.send(text))
      case .result(let id, let result): take(result, of: asked.removeValue(forKey: id))
      case .refused(let id, let error):
        switch id.flatMap({ asked.removeValue(forKey: $0) }) {
        case .join: visit.end(GuestFault(kurento: error))
        case .hear(let key): lose(key, at: now)
        case nil: break
        }
      case .notification(let notification): take(notification)
      case .violation(let sentence):
        visit.end(GuestFault(.nonsense, "the server does not speak Kurento Room's protocol: \(sentence)"))
      }
    }
  }

  private mutating func take(_ result: KurentoResult, of question: Question?) {
    switch (question, result) {
    case (.join, .members(let members)):
      visit.append(.joined)
      for member in members where member.streams == .webcam { heard(member.id) }
    case (.hear(let key), .sdpAnswer(let sdp)):
      visit.guests.answered(key)
      visit.append(.answered(key, sdp: sdp))
    default: break
    }
  }

  private mutating func take(_ notification: KurentoNotification) {
    switch notification {
    case .participantPublished(let user): heard(user)
    case .participantUnpublished(let user), .participantLeft(let user): visit.left(GuestKey(user))
    case .iceCandidate(let user, let candidate): visit.append(.candidate(GuestKey(user), candidate))
    case .sendMessage(_, let user, let message) where user != name.description:
      visit.append(.said(GuestKey(user), text: message))
    case .participantEvicted: visit.end(GuestFault(.refused, "somebody has removed the bot from the room"))
    case .roomClosed: visit.end(GuestFault(.lost, "the room was closed"))
    case .mediaError, .participantJoined, .custonNotification, .sendMessage: break
    }
  }

  private mutating func heard(_ user: String) {
    if user != name.description { visit.came(GuestKey(user), name: user) }
  }

  private mutating func send(at now: MonotonicTime) {
    visit.asked(at: now)
    drain(at: now)
  }

}

extension GuestFault {
  /// A join that a Kurento Room server has refused.
  init(kurento error: JSONRPCError) {
    let kind: Kind =
      switch KurentoErrorCode(rawValue: error.code) {
      // Our own place of before is still kept.
      case .existingUserInRoom: .full
      case .roomGeneric, .roomClosed: .lost
      default: .refused
      }
    self.init(kind, "the room refuses the bot: \(error.description) (\(error.code))")
  }
}
