import Machines
import Music

/// A listener in a room of another Jamjar, over the native protocol: one subscription for every musician.
///
/// Musicians who do not consent to be recorded there are not recorded here either, and whom a bot brought there is
/// recorded where they play: two services whose bots visit each other would hear their own guests again and again.
package struct NativeGuests: ~Copyable, DialectGuests {
  package typealias Words = NativeClient

  package static let dialect = "our protocol"
  private var name: GuestName
  private let token: String?
  package var client: DialectClient<NativeClient>
  package var asked: [NativeRequestID: GuestQuestion] = [:]
  package var visit = GuestVisit()
  private var own: ParticipantID?

  /// - Parameter token: a join token of the room; a listener's is enough.
  package init(name: DisplayName, token: String?, limits: JSONLimits = .received) {
    self.name = GuestName(name)
    self.token = token
    client = DialectClient(limits: limits)
  }

  package var entrance: NativeClient.Question {
    .join(JoinRequest(name: name.present, role: .listener), token: token)
  }

  package var sign: NativeClient.Question { .ping }

  package func words(for input: GuestInput) -> NativeClient.Question? {
    switch input {
    case .offer(let key, let sdp):
      guard let participant = ParticipantID(key.description), let label = NativeGuests.label(key) else { return nil }
      return .perform(.subscribe(label, to: .participant(participant), offer: sdp))
    case .candidate(let key, let candidate):
      return NativeGuests.label(key).map { .perform(.candidate($0, candidate)) }
    case .say(let text): return .perform(.message(text, to: nil))
    case .leave: return .perform(.leave)
    case .text, .answer, .lost: return nil
    }
  }

  package mutating func take(_ answer: NativeClient.Answer, to question: GuestQuestion) {
    switch (question, answer) {
    case (.join, .joined(let seating)):
      own = seating.participant
      visit.append(.joined)
      for member in seating.snapshot.members { changed(member) }
    case (.hear(let key), .reply(.answer(_, let sdp))): visit.answered(key, sdp: sdp)
    default: break
    }
  }

  package mutating func turnedAway(_ refusal: RoomRefusal, at now: MonotonicTime) {
    guard refusal.code == .nameTaken, name.advance() else { return visit.end(GuestFault(refusal)) }
    begin(at: now)
  }

  package mutating func take(_ event: RoomEvent, at now: MonotonicTime) {
    switch event {
    case .joined(let member), .changed(let member): changed(member)
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

  private mutating func changed(_ member: RoomSnapshot.Member) {
    let key = GuestKey(member.participant.id.description)
    guard member.role == .musician, member.participant.id != own else { return }
    guard member.isPublishing, member.consents, !member.isGuest else { return visit.left(key) }
    visit.came(key, name: member.participant.name.description)
  }

  /// The identifier of a participant is its connection's label.
  private static func label(_ key: GuestKey) -> PeerLabel? { PeerLabel(key.description) }
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
