import Music
import Signaling

/// Musicians who have left the session, to be recognised when they come back.
struct FormerSeats: Sendable {
  private struct Seat {
    var participant: Participant
    var identity: String?
    var address: String?
    var resumeSecret: String
    var isMuted: Bool
    /// True once their session is over: they are known for the mute only, and play on a track of their own.
    var isPast = false
  }

  /// Maximum number remembered; beyond it, the first to leave are forgotten.
  private static let limit = 64

  private var seats: [Seat] = []

  mutating func remember(
    _ participant: Participant, identity: String?, address: String?, resumeSecret: String, isMuted: Bool = false
  ) {
    seats.removeAll { $0.participant.id == participant.id }
    if seats.count == FormerSeats.limit { seats.removeFirst() }
    seats.append(
      Seat(
        participant: participant, identity: identity, address: address, resumeSecret: resumeSecret, isMuted: isMuted))
  }

  /// The musician behind `request`, if they were here before under this name, as proved by the secret of their seat,
  /// the identity of their token, or their network address if neither side has an identity. Anybody else is a new
  /// participant, with a track of their own.
  func participant(of request: JoinRequest) -> ParticipantID? {
    seat(of: request).flatMap { $0.isPast ? nil : $0.participant.id }
  }

  /// Whether a moderator had muted that musician as they left: leaving and coming back does not lift it, also if they
  /// were the last musician and their session ended with that.
  mutating func takeMute(of request: JoinRequest) -> Bool {
    guard let seat = seat(of: request) else { return false }
    // From here on the new seat has the mute, or has had it lifted.
    if seat.isPast { seats.removeAll { $0.participant.id == seat.participant.id } }
    return seat.isMuted
  }

  private func seat(of request: JoinRequest) -> Seat? {
    seats.last { seat in
      let admission = request.admission()
      guard Admission.isSameName(seat.participant.name, identity: seat.identity, as: admission) else { return false }
      if let shown = request.resumeSecret, ResumeSecret.matches(shown, seat.resumeSecret) { return true }
      return Admission.isSame(identity: seat.identity, address: seat.address, as: admission)
    }
  }

  /// The session is over. Mutes hold for as long as somebody is in the room: it is the room that a moderator keeps quiet.
  mutating func endSession() {
    seats.removeAll { !$0.isMuted }
    for index in seats.indices { seats[index].isPast = true }
  }
}

/// The secret with which a musician regains their own seat: 128 random bits as hexadecimal digits.
enum ResumeSecret {
  static func make() -> String {
    (0..<2).map { _ in
      let digits = String(UInt64.random(in: .min ... .max), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// Compares in constant time.
  static func matches(_ shown: String, _ secret: String) -> Bool {
    let (left, right) = (Array(shown.utf8), Array(secret.utf8))
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
