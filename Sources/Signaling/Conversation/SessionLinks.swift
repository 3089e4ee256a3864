/// The present links of one session: at most one WebSocket, and exchanges by POST.
struct SessionLinks: Sendable {
  private var links: Set<LinkNumber> = []
  /// The link that carries notifications as well as responses.
  private(set) var lasting: LinkNumber?
  /// True once the session has had a WebSocket: from then on its loss matters.
  private(set) var hadLasting = false

  var isEmpty: Bool { links.isEmpty }

  func contains(_ link: LinkNumber) -> Bool { links.contains(link) }

  /// Adds a link; a WebSocket replaces the former one, whose number is returned.
  mutating func add(_ link: LinkNumber, isLasting: Bool) -> LinkNumber? {
    links.insert(link)
    guard isLasting else { return nil }
    let former = lasting == link ? nil : lasting
    if let former { links.remove(former) }
    lasting = link
    hadLasting = true
    return former
  }

  /// Removes a link; false if it was not one.
  mutating func remove(_ link: LinkNumber) -> Bool {
    if lasting == link { lasting = nil }
    return links.remove(link) != nil
  }

  /// The link for the response to a request of `link`: its replacement if it is gone.
  func way(to link: LinkNumber) -> LinkNumber? { links.contains(link) ? link : lasting }
}
