import Music
import Signaling

/// The musicians who have left the session, so that they are known when they come back.
struct FormerSeats: Sendable {
  private struct Seat {
    var participant: Participant
    var identity: String?
    var resumeSecret: String
  }

  /// Nobody's band is larger; of more, the first to leave are forgotten.
  private static let limit = 64

  private var seats: [Seat] = []

  mutating func remember(_ participant: Participant, identity: String?, resumeSecret: String) {
    seats.removeAll { $0.participant.id == participant.id }
    if seats.count == FormerSeats.limit { seats.removeFirst() }
    seats.append(Seat(participant: participant, identity: identity, resumeSecret: resumeSecret))
  }

  /// The musician that `request` comes from, if they were here before under this name: the secret of their seat or the identity of their
  /// token proves it. Where neither of them has an identity anybody may use any name, and the name is all there is.
  func participant(of request: JoinRequest) -> ParticipantID? {
    seats.last { seat in
      guard seat.participant.name == request.name else { return false }
      if let shown = request.resumeSecret, ResumeSecret.matches(shown, seat.resumeSecret) { return true }
      return seat.identity == request.identity
    }?.participant.id
  }

  mutating func forget() { seats = [] }
}

/// The secret by which a musician takes their own seat back: 128 random bits as hexadecimal digits.
enum ResumeSecret {
  static func make() -> String {
    (0..<2).map { _ in
      let digits = String(UInt64.random(in: .min ... .max), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// Compares in a time that tells nothing of where the two differ.
  static func matches(_ shown: String, _ secret: String) -> Bool {
    let (left, right) = (Array(shown.utf8), Array(secret.utf8))
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
