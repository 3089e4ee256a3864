import Signaling

/// A signaling session, which may outlive the link that it is reached by: texts in, texts out by its outlet.
protocol SignalingSession: Actor {
  /// What the clients of this dialect know it by.
  nonisolated var id: String { get }

  /// A link has been opened for this session.
  func attach(_ outlet: any SessionOutlet)
  /// A text of the client.
  func receive(_ text: String, from link: LinkNumber)
  /// A message of the client that is no text.
  func unreadable(_ sentence: String, from link: LinkNumber)
  /// The link is gone.
  func linkLost(_ link: LinkNumber)
  /// A newer session has taken this one's seat over: nothing is left to be done.
  func supersede()
  /// Works until the session is over.
  func run() async
}

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
