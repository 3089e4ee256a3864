import Signaling

/// The way from a session back to its client.
protocol SessionOutlet: Sendable {
  var number: LinkNumber { get }
  /// True where notifications can be sent too, not just answers.
  var isLasting: Bool { get }
  func send(_ text: String)
  func close(_ closing: LinkClosing)
  /// From now on, what comes over this link is for `session`.
  func move(to session: any SignalingSession)
}
