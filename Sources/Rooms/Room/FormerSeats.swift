import Music
import Signaling

/// Musicians who have left the session, to be recognised when they come back.
struct FormerSeats: Sendable {
  private struct Seat {
    var participant: Participant
    var identity: String?
    var address: String?
    var resumeSecret: String
  }

  /// Maximum number remembered; beyond it, the first to leave are forgotten.
  private static let limit = 64

  private var seats: [Seat] = []

  mutating func remember(_ participant: Participant, identity: String?, address: String?, resumeSecret: String) {
    seats.removeAll { $0.participant.id == participant.id }
    if seats.count == FormerSeats.limit { seats.removeFirst() }
    seats.append(Seat(participant: participant, identity: identity, address: address, resumeSecret: resumeSecret))
  }

  /// The musician behind `request`, if they were here before under this name, as proved by the secret of their seat,
  /// the identity of their token, or their network address if neither side has an identity. Anybody else is a new
  /// participant, with a track of their own.
  func participant(of request: JoinRequest) -> ParticipantID? {
    seats.last { seat in
      guard seat.participant.name == request.name else { return false }
      if let shown = request.resumeSecret, ResumeSecret.matches(shown, seat.resumeSecret) { return true }
      return Admission.isSame(identity: seat.identity, address: seat.address, as: request.admission())
    }?.participant.id
  }

  mutating func forget() { seats = [] }
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
