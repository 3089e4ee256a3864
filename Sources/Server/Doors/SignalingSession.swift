import Signaling

/// A signaling session, which may outlive its link: texts in, texts out through its outlet.
protocol SignalingSession: Actor {
  /// The identifier that clients of this dialect use.
  nonisolated var id: String { get }

  /// Adds an opened link.
  func attach(_ outlet: any SessionOutlet)
  /// Receives a text message of the client.
  func receive(_ text: String, from link: LinkNumber)
  /// Receives a message of the client that is not text.
  func unreadable(_ sentence: String, from link: LinkNumber)
  /// Handles the loss of the link, or its end by the client, which is then `isLeaving`.
  func linkLost(_ link: LinkNumber, isLeaving: Bool) async
  /// Acts once the session has told its client everything that its room said; at once where it is in none.
  func afterRoom(_ act: @escaping @Sendable () -> Void)
  /// Ends the session after a newer one has taken over its seat.
  func supersede()
  /// Runs until the session is over.
  func run() async
}

/// The way from a session back to its client.
protocol SessionOutlet: Sendable {
  var number: LinkNumber { get }
  /// True if the outlet carries notifications as well as responses.
  var isLasting: Bool { get }
  /// The link's connection.
  var origin: Turnstile.Origin { get }
  /// - Parameter receipt: to be signed once the text is written, where the outlet can tell.
  func send(_ text: String, _ receipt: TextReceipt?)
  func close(_ closing: LinkClosing)
  /// Marks the link's client as entitled to be here.
  func prove(as credential: Credential)
  /// Directs this link's messages to `session` from now on.
  func move(to session: any SignalingSession)
}
