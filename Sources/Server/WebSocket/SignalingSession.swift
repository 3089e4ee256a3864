import Signaling

/// A signaling session, which may outlive the link that it is reached by: texts in, texts out by its outlet.
protocol SignalingSession: Actor {
  /// What the clients of this dialect know it by.
  nonisolated var id: String { get }

  /// A link has been opened for this session.
  func attach(_ outlet: any SessionOutlet)
  /// A text of the client.
  func receive(_ text: String, from link: LinkNumber)
  /// Something of the client that is no text, or too long.
  func unreadable(_ sentence: String, from link: LinkNumber)
  /// The link is gone.
  func linkLost(_ link: LinkNumber)
  /// Works until the session is over.
  func run() async
}
