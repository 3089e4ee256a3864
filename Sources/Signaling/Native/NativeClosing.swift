/// The codes for closing a native link (RFC 6455 section 7.4.1; 4000 and above are ours).
package enum NativeClosing: UInt16, Hashable, Sendable, CaseIterable {
  /// The member left, or the room was closed.
  case normal = 1000
  /// The service shuts down; resume later.
  case shutdown = 1001
  /// The client broke the rules for too long.
  case policy = 1008
  /// The member did not keep up with the events; resume.
  case tooSlow = 1013
  /// Another link took over the same seat.
  case replaced = 4001

  init(_ reason: RoomEvent.ClosingReason) {
    self =
      switch reason {
      case .replaced: .replaced
      case .shutdown: .shutdown
      case .tooSlow: .tooSlow
      case .roomClosed: .normal
      }
  }
}
