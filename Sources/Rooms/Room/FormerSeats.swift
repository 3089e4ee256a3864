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
