extension NegotiatedSession.Direction {
  /// True where who wrote this direction sends (`peerSends`) or receives (not).
  func allows(peerSends: Bool) -> Bool {
    switch self {
    case .sendAndReceive: true
    case .sendOnly: peerSends
    case .receiveOnly: !peerSends
    case .inactive: false
    }
  }
}
