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

/// The present links of one session: at most one WebSocket, and exchanges by POST.
struct SessionOutlets {
  private var outlets: [LinkNumber: any SessionOutlet] = [:]
  private var lasting: LinkNumber?
  /// True once the session has had a WebSocket: from then on its loss matters.
  private(set) var hadLasting = false

  var isReachable: Bool { lasting != nil }
  var isEmpty: Bool { outlets.isEmpty }

  /// Adds a link; a WebSocket replaces and closes the former one, whose number is returned.
  mutating func add(_ outlet: any SessionOutlet) -> LinkNumber? {
    defer { outlets[outlet.number] = outlet }
    guard outlet.isLasting else { return nil }
    let former = lasting
    if let former { remove(former)?.close(SessionOutlets.superseded) }
    lasting = outlet.number
    hadLasting = true
    return former
  }

  /// Removes a link without closing it.
  @discardableResult
  mutating func remove(_ number: LinkNumber) -> (any SessionOutlet)? {
    if lasting == number { lasting = nil }
    return outlets.removeValue(forKey: number)
  }

  /// Responds on the link of the request, or on its replacement if it is gone.
  func answer(_ text: String, to number: LinkNumber) {
    (outlets[number] ?? lasting.flatMap { outlets[$0] })?.send(text, nil)
  }

  func notify(_ text: String, _ receipt: TextReceipt?) {
    lasting.flatMap { outlets[$0] }?.send(text, receipt)
  }

  func close(_ number: LinkNumber, _ closing: LinkClosing) {
    outlets[number]?.close(closing)
  }

  func prove(as credential: Credential) {
    for outlet in outlets.values { outlet.prove(as: credential) }
  }

  func closeAll(_ closing: LinkClosing) {
    for outlet in outlets.values { outlet.close(closing) }
  }

  private static let superseded = LinkClosing(code: 1000, reason: "the session continues on another connection")
}
