import Music

/// The connections of one session: maps endpoint names of the wire to labels of the room.
///
/// A name gets its label at its first candidate or offer, whichever comes first, and keeps it until its connection is
/// given up; a label is never used for a second name.
struct KurentoLegs {
  private struct Leg {
    let label: PeerLabel
    var gate = CandidateGate()
    /// True from the offer on, until it is refused or the connection is given up.
    var isWanted = false
  }

  /// Most names with labels at a time, so that candidates for invented names cannot fill the memory.
  static let maximumNames = 64
  /// Longest name, in bytes; no display name is longer.
  static let maximumNameBytes = 512

  private let ownName: String
  private var legs: [String: Leg] = [:]
  private var nextNumber: UInt64 = 0

  init(ownName: String) {
    self.ownName = ownName
  }

  /// The label of a name; creates one if needed.
  mutating func label(of name: String) throws(JSONRPCError) -> PeerLabel {
    if let leg = legs[name] { return leg.label }
    guard name.utf8.count <= KurentoLegs.maximumNameBytes else {
      throw JSONRPCError(
        .userNotFound, "the endpoint name has \(name.utf8.count) bytes; no user's name has so many")
    }
    guard legs.count < KurentoLegs.maximumNames else {
      throw JSONRPCError(
        .mediaEndpoint, "\(legs.count) endpoint names are in use; no connection can be made for another")
    }
    let text = name == ownName ? "publish" : "sub-\(nextNumber)"
    guard let label = PeerLabel(text) else {
      throw JSONRPCError(code: JSONRPCError.internalError, "\"\(text)\" is no label")
    }
    if name != ownName { nextNumber &+= 1 }
    legs[name] = Leg(label: label)
    return label
  }

  /// Begins negotiating an offer for this name.
  mutating func begin(_ name: String) throws(JSONRPCError) -> PeerLabel {
    let label = try label(of: name)
    legs[name]?.gate.begin()
    legs[name]?.isWanted = true
    return label
  }

  /// Marks the answer as sent; returns the candidates that may follow it.
  mutating func answered(_ name: String, _ answer: String) -> [CandidateMessage] {
    legs[name]?.gate.open(answer) ?? []
  }

  /// Marks the offer as refused: an earlier connection remains, otherwise the name is forgotten.
  mutating func refused(_ name: String, hadStood: Bool) -> [CandidateMessage] {
    legs[name]?.isWanted = hadStood
    return legs[name]?.gate.reopen() ?? []
  }

  /// True while this name has a connection or a pending offer.
  func isWanted(_ name: String) -> Bool { legs[name]?.isWanted ?? false }

  /// Gives a name up; returns the label of the connection to close, or nil.
  mutating func giveUp(_ name: String) -> PeerLabel? {
    guard let leg = legs.removeValue(forKey: name), leg.isWanted else { return nil }
    return leg.label
  }

  /// The name of a label.
  func name(of label: PeerLabel) -> String? {
    legs.first { $0.value.label == label }?.key
  }

  /// Passes our candidate for this name; nil while it is held back.
  mutating func pass(_ candidate: CandidateMessage, of name: String) -> CandidateMessage? {
    legs[name]?.gate.pass(candidate)
  }
}
