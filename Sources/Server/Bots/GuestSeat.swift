import Machines
import Music
import Recording
import Rooms
import Signaling

/// The seat of one guest in the recording room, with the connection by which they are heard.
///
/// It is an ordinary seat: what arrives goes into the journal, the take and the index like everybody's.
struct GuestSeat: Sendable {
  let key: GuestKey
  let name: DisplayName
  let membership: Membership
  /// Distinguishes this seat from an earlier one of the same guest.
  let number: Int
  /// The label of the seat's connection.
  let label: PeerLabel
  /// Since when no packets can arrive; nil while they can.
  var downSince: MonotonicTime? = MonotonicClock.now
  /// True while packets can arrive.
  var isUp: Bool { downSince == nil }

  /// Time for a connection to come up, and to come back; another one is made then. Not every server and not every path
  /// reports a failure: a connection without the other end's candidates waits for ever.
  private static let patience = MonotonicTime.Span.seconds(20)

  /// True if the connection has to be given up.
  func isStuck(at now: MonotonicTime) -> Bool { downSince.map { now - $0 > GuestSeat.patience } ?? false }

  /// The label of a new connection: not that of an earlier one, whose end is not this one's.
  static func label(_ number: Int) throws(RoomRefusal) -> PeerLabel {
    guard let label = PeerLabel("bot-\(number)") else { throw RoomRefusal(.malformed, "no label") }
    return label
  }

  /// Our offer to listen.
  func offer() async throws(RoomRefusal) -> String {
    let reply = try await membership.perform(.publish(label, offer: nil))
    guard case .offer(_, let sdp) = reply else { throw RoomRefusal(.unavailable, "the room made no offer") }
    return sdp
  }

  /// Our answer to the other server's offer.
  func answer(to offer: String) async throws(RoomRefusal) -> String {
    let reply = try await membership.perform(.publish(label, offer: offer))
    guard case .answer(_, let sdp) = reply else { throw RoomRefusal(.unavailable, "the room made no answer") }
    return sdp
  }

  /// Our answer to another offer on the same connection.
  func answer(anew offer: String) async throws(RoomRefusal) -> String {
    let reply = try await membership.perform(.restart(label, offer: offer))
    guard case .answer(_, let sdp) = reply else { throw RoomRefusal(.unavailable, "the room made no answer") }
    return sdp
  }

  /// Accepts the other server's answer.
  func accept(_ answer: String) async throws(RoomRefusal) {
    _ = try await membership.perform(.answer(label, sdp: answer))
  }

  func add(_ candidate: CandidateMessage) async throws(RoomRefusal) {
    _ = try await membership.perform(.candidate(label, candidate))
  }

  /// The name under which a guest sits here: that of the other room, made to fit, and unique.
  ///
  /// A musician whose name cannot be made to fit is called "guest": a name is no reason not to be recorded.
  /// - Throws: `RoomRefusal` if there are too many of that name.
  static func name(_ text: String, beside others: Set<DisplayName>) throws(RoomRefusal) -> DisplayName {
    let visible = String(String.UnicodeScalarView(text.unicodeScalars.prefix(longestText).filter(isVisible)))
    let fitted = String(visible.trimmed.prefix(longestName)).trimmed
    for base in [fitted, "guest"] {
      for number in 1...maximumNamesakes {
        let candidate = number == 1 ? base : "\(base) \(number)"
        if let name = DisplayName(candidate), !others.contains(name) { return name }
      }
    }
    throw RoomRefusal(.nameTaken, "too many musicians there have the same name")
  }

  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
    case .format: scalar.value == 0x200D  // ZERO WIDTH JOINER joins emoji
    default: true
    }
  }

  /// Leaves room for a number.
  private static let longestName = 56
  /// Most of a name that is looked at, in code points.
  private static let longestText = 512
  private static let maximumNamesakes = 64
}
