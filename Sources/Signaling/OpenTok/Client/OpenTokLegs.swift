import Machines
import Music

/// One media connection of the client: a stream of its own, or a subscription.
struct OpenTokLeg {
  enum Use: Hashable {
    case publisher(of: OpenTokStreamID)
    /// The stream that is subscribed to, and the client's name for the subscription.
    case subscriber(String, of: OpenTokStreamID)
  }

  let label: PeerLabel
  let use: Use
  var gate = CandidateGate()
  /// False while the room makes its description.
  var isOpen = false
  /// The musician who is heard.
  var source: ParticipantID?
  /// True while the client does not want to hear it.
  var isSilenced = false
}

/// The media connections of one client.
struct OpenTokLegs {
  /// Most subscriptions at a time: to everybody in a full room, several times over.
  static let most = 32

  private(set) var all: [PeerLabel: OpenTokLeg] = [:]
  private var lastNumber: UInt64 = 0

  subscript(label: PeerLabel) -> OpenTokLeg? {
    get { all[label] }
    set { all[label] = newValue }
  }

  /// A new leg, whose candidates wait for its description.
  mutating func begin(_ use: OpenTokLeg.Use) -> OpenTokLeg? {
    lastNumber &+= 1
    guard all.count < OpenTokLegs.most, let label = PeerLabel("leg-\(lastNumber)") else { return nil }
    var leg = OpenTokLeg(label: label, use: use)
    leg.gate.begin()
    all[label] = leg
    return leg
  }

  func find(_ use: OpenTokLeg.Use) -> OpenTokLeg? { all.values.first { $0.use == use } }

  @discardableResult
  mutating func remove(_ label: PeerLabel) -> OpenTokLeg? { all.removeValue(forKey: label) }

  /// The subscriptions to a stream, in a fixed order.
  func subscriptions(to stream: OpenTokStreamID) -> [OpenTokLeg] {
    all.values.filter { if case .subscriber(_, of: stream) = $0.use { true } else { false } }
      .sorted { $0.label.description < $1.label.description }
  }
}
