import Signaling

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
    (outlets[number] ?? lasting.flatMap { outlets[$0] })?.send(text)
  }

  func notify(_ text: String) {
    lasting.flatMap { outlets[$0] }?.send(text)
  }

  func close(_ number: LinkNumber, _ closing: LinkClosing) {
    outlets[number]?.close(closing)
  }

  func closeAll(_ closing: LinkClosing) {
    for outlet in outlets.values { outlet.close(closing) }
  }

  private static let superseded = LinkClosing(code: 1000, reason: "the session continues on another connection")
}
