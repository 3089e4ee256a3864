import Machines
import Music

/// A listener in a room of another Jamjar, over the native protocol: one subscription for every musician.
///
/// Musicians who do not consent to be recorded there are not recorded here either, and whom a bot brought there is
/// recorded where they play: two services whose bots visit each other would hear their own guests again and again.
package struct NativeGuests: ~Copyable, GuestMachine {
  private let name: DisplayName
  private let token: String?
  private var client: NativeClient
  package var visit = GuestVisit()
  private var own: ParticipantID?
  /// Connections by the request that made them.
  private var asked: [NativeRequestID: GuestKey] = [:]
  private var joining: NativeRequestID?
  /// How many names have been tried.
  private var names = 1
  /// The seat of a service that was killed keeps its name for a while.
  private static let mostNames = 4

  /// - Parameter token: a join token of the room; a listener's is enough.
  package init(name: DisplayName, token: String?, limits: JSONLimits = .received) {
    self.name = name
    self.token = token
    client = NativeClient(limits: limits)
  }

  package mutating func begin(at now: MonotonicTime) {
    join(as: name, at: now)
  }

  private mutating func join(as name: DisplayName, at now: MonotonicTime) {
    joining = client.join(JoinRequest(name: name, role: .listener), token: token, at: now)
    send(at: now)
  }

  /// After the name was refused as taken: the next one, "Jamjar 2"; nil after several.
  private mutating func nextName() -> DisplayName? {
    guard names < NativeGuests.mostNames else { return nil }
    names += 1
    return try? DisplayName(checking: "\(name) \(names)")
  }

  package mutating func giveSign(at now: MonotonicTime) {
    _ = client.ping(at: now)
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
      guard visit.guests[key] != nil, let participant = ParticipantID(key.description),
        let label = NativeGuests.label(key)
      else { return }
      asked[client.perform(.subscribe(label, to: .participant(participant), offer: sdp), at: now)] = key
      visit.guests.asked(key, at: now)
      send(at: now)
    case .candidate(let key, let candidate):
      guard visit.guests[key] != nil, let label = NativeGuests.label(key) else { return }
      _ = client.perform(.candidate(label, candidate), at: now)
      send(at: now)
    case .lost(let key): lose(key, at: now)
    case .say(let text):
      _ = client.perform(.message(text, to: nil), at: now)
      send(at: now)
    case .leave:
      _ = client.perform(.leave, at: now)
      send(at: now)
      visit.end(.left)
    case .answer: break
    }
  }

  /// What the client has to send, and what it has read.
  private mutating func drain(at now: MonotonicTime) {
    while !visit.isOver, let output = client.next() {
      switch output {
      case .send(let text): visit.append(.send(text))
      case .joined(_, let seating):
        own = seating.participant
        visit.append(.joined)
        for member in seating.snapshot.members { changed(member, at: now) }
      case .reply(let id, let reply):
        guard let key = asked.removeValue(forKey: id), case .answer(_, let sdp) = reply else { continue }
        visit.guests.answered(key)
        visit.append(.answered(key, sdp: sdp))
      case .refused(let id, let refusal):
        if let id, id == joining {
          guard refusal.code == .nameTaken, let name = nextName() else { return visit.end(GuestFault(refusal)) }
          join(as: name, at: now)
        }
        if let id, let key = asked.removeValue(forKey: id) { lose(key, at: now) }
      case .event(let event): take(event, at: now)
      case .violation(let sentence):
        visit.end(GuestFault(.nonsense, "the server does not speak our protocol: \(sentence)"))
      case .clock: break
      }
    }
  }

  private mutating func take(_ event: RoomEvent, at now: MonotonicTime) {
    switch event {
    case .joined(let member), .changed(let member): changed(member, at: now)
    case .left(let participant), .unpublished(let participant): visit.left(GuestKey(participant.description))
    case .candidate(let label, let candidate):
      visit.append(.candidate(GuestKey(label.description), candidate))
    case .peer(let label, .failed), .peer(let label, .closed): lose(GuestKey(label.description), at: now)
    case .message(let participant, let text, let isPrivate) where participant != own && !isPrivate:
      visit.append(.said(GuestKey(participant.description), text: text))
    case .closed(let reason):
      let fault =
        switch reason {
        case .kicked: GuestFault(.refused, "somebody has removed the bot from the room")
        case .expired: GuestFault(.refused, "the bot's token for the room has expired")
        default: GuestFault(.lost, "the room has closed the bot's link: \(reason.rawValue)")
        }
      visit.end(fault)
    default: break
    }
  }

  private mutating func changed(_ member: RoomSnapshot.Member, at now: MonotonicTime) {
    let key = GuestKey(member.participant.id.description)
    guard member.role == .musician, member.participant.id != own else { return }
    guard member.isPublishing, member.consents, !member.isGuest else { return visit.left(key) }
    visit.came(key, name: member.participant.name.description)
  }

  /// The identifier of a participant is its connection's label.
  private static func label(_ key: GuestKey) -> PeerLabel? { PeerLabel(key.description) }

  private mutating func send(at now: MonotonicTime) {
    visit.asked(at: now)
    drain(at: now)
  }

}

extension GuestFault {
  /// A join that another Jamjar has refused.
  init(_ refusal: RoomRefusal) {
    let kind: Kind =
      switch refusal.code {
      // A taken name may be our own place of before.
      case .roomFull, .tooMany, .nameTaken: .full
      case .unavailable, .rateLimited: .lost
      default: .refused
      }
    self.init(kind, "the room refuses the bot: \(refusal)")
  }
}
