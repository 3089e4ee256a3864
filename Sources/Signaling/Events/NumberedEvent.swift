/// An event with its place in the order of all events.
package struct NumberedEvent: Hashable, Sendable {
  package var id: EventID
  package var event: ServiceEvent

  package init(id: EventID, event: ServiceEvent) {
    self.id = id
    self.event = event
  }
}

/// The identifier of one event: which run of the service it belongs to, and its number in that run.
///
/// Numbers begin anew with each run; the epoch keeps a client that comes back after a restart from being told that
/// it has missed nothing.
package struct EventID: Hashable, Sendable, LosslessStringConvertible {
  /// Longest epoch that is read, in characters.
  private static let longestEpoch = 64

  /// Names the run: letters and digits.
  package var epoch: String
  /// Counts the events of the run from 1; 0 is before the first.
  package var number: UInt64

  package init(epoch: String, number: UInt64) {
    self.epoch = epoch
    self.number = number
  }

  /// Reads "<epoch>-<number>", nil for anything else.
  package init?(_ text: String) {
    guard let dash = text.lastIndex(of: "-") else { return nil }
    let digits = text[text.index(after: dash)...]
    let epoch = String(text[..<dash])
    guard (1...EventID.longestEpoch).contains(epoch.utf8.count),
      epoch.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) }),
      digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt64(digits)
    else { return nil }
    self.init(epoch: epoch, number: number)
  }

  package var description: String { "\(epoch)-\(number)" }
}

/// The text of `text/event-stream` (WHATWG HTML, section 9.2): one block of lines for each event.
package enum EventStreamText {
  /// One event. `data` is JSON without line ends, so it needs one line.
  package static func event(_ name: String, id: EventID, data: JSONValue) -> String {
    "id: \(id)\nevent: \(name)\ndata: \(data.text)\n\n"
  }

  /// Tells how long to wait before coming back (milliseconds), and where the stream begins: a client that loses the
  /// connection before its first event comes back with that place. A block without data is no event.
  package static func opening(retry: Int, at id: EventID) -> String {
    "retry: \(retry)\nid: \(id)\n\n"
  }

  /// A comment that keeps the connection alive; with `id` the place moves on where events were left out by a filter.
  package static func heartbeat(at id: EventID?) -> String {
    id.map { ":\nid: \($0)\n\n" } ?? ":\n\n"
  }
}
