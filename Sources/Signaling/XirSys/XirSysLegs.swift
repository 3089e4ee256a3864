import Machines
import Music

/// One connection of the client, which it believes to lead to another musician, and which ends at Jamjar.
struct XirSysLeg {
  enum State: Hashable, Sendable {
    /// The room makes its description.
    case pending
    /// Our offer or answer is with the client.
    case open
    /// The connection is over, and neither side has said goodbye.
    case dead
  }

  let label: PeerLabel
  /// The `connectionId` of its offer.
  let connection: String
  /// True if we have offered; then a loss is ours to mend.
  let isOurs: Bool
  var state = State.pending
  var gate = CandidateGate()
  /// Where the audio stands in the client's description.
  var audio = AudioOnlyDescription.AudioPlace()
  /// When its path was lost.
  var lostAt: MonotonicTime?

  /// How long a lost connection may take to come back: the client that offered it restarts it by itself.
  var patience: MonotonicTime.Span {
    switch state {
    case .dead: .seconds(2)
    case .pending, .open: isOurs ? .seconds(4) : .seconds(12)
    }
  }

  /// When it has to be replaced, if nothing happens.
  var deadline: MonotonicTime? { lostAt.map { $0 + patience } }
}

/// The connections of one client, by the musician to whom each seems to lead.
struct XirSysLegs {
  /// Offers for a musician in a row that may lead to nothing, as in PerchRTC.
  static let attempts = 3

  private(set) var all: [ParticipantID: XirSysLeg] = [:]
  private var failures: [ParticipantID: Int] = [:]
  private var nextNumber: UInt64 = 0
  /// Makes the names of connections unique beyond this session.
  private let prefix: String

  init(prefix: String) {
    self.prefix = prefix
  }

  subscript(id: ParticipantID) -> XirSysLeg? {
    get { all[id] }
    set { all[id] = newValue }
  }

  /// A new leg; `connection` is nil if we offer.
  mutating func begin(_ id: ParticipantID, connection: String?) -> XirSysLeg? {
    nextNumber &+= 1
    guard let label = PeerLabel("leg-\(nextNumber)") else { return nil }
    var leg = XirSysLeg(
      label: label, connection: connection ?? "\(prefix)-\(nextNumber)", isOurs: connection == nil)
    leg.gate.begin()
    all[id] = leg
    return leg
  }

  func id(of label: PeerLabel) -> ParticipantID? { all.first { $0.value.label == label }?.key }

  /// Forgets a musician who has left.
  mutating func forget(_ id: ParticipantID) -> XirSysLeg? {
    failures[id] = nil
    return all.removeValue(forKey: id)
  }

  /// Notes that a leg works.
  mutating func succeeded(_ id: ParticipantID) {
    failures[id] = nil
    all[id]?.lostAt = nil
  }

  /// Counts a failure; false if there were too many in a row.
  mutating func mayTryAgain(_ id: ParticipantID) -> Bool {
    let count = failures[id, default: 0]
    guard count < XirSysLegs.attempts else { return false }
    // in range: at most `attempts`
    failures[id] = count &+ 1
    return true
  }

  /// Legs that have been lost for too long.
  func overdue(at now: MonotonicTime) -> [ParticipantID] {
    all.filter { $0.value.deadline.map { $0 <= now } ?? false }.map(\.key).sorted()
  }

  var deadline: MonotonicTime? { all.values.compactMap(\.deadline).min() }
}
