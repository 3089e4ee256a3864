/// An event with its number in the order of all events.
package struct NumberedEvent: Hashable, Sendable {
  package var id: EventID
  package var event: ServiceEvent
  /// The number of an edit in the data folder's log; nil for other events.
  package var edit: UInt64?

  package init(id: EventID, event: ServiceEvent, edit: UInt64? = nil) {
    self.id = id
    self.event = event
    self.edit = edit
  }
}

/// The identifier of an event: the run of the service and the event's number in that run.
///
/// Numbers restart with each run. The epoch prevents a client that reconnects after a restart from assuming that it
/// has missed nothing. Edits are on the disk with numbers that continue over restarts; the number of the latest edit
/// at the time of the event therefore says which ones a client has missed.
package struct EventID: Hashable, Sendable, LosslessStringConvertible {
  /// Maximum length of an epoch, in characters.
  private static let longestEpoch = 64

  /// Identifies the run: letters and digits.
  package var epoch: String
  /// Counts the events of the run from 1; 0 is before the first.
  package var number: UInt64
  /// The number of the latest edit; nil where edits are not logged.
  package var edit: UInt64?

  package init(epoch: String, number: UInt64, edit: UInt64? = nil) {
    self.epoch = epoch
    self.number = number
    self.edit = edit
  }

  /// Parses "<epoch>-<number>" or "<epoch>-<number>-<edit>"; nil for anything else.
  package init?(_ text: String) {
    let parts = text.split(separator: "-", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
    guard (2...3).contains(parts.count), let epoch = parts.first else { return nil }
    let numbers = parts.dropFirst().compactMap(EventID.number)
    guard numbers.count == parts.count - 1, let number = numbers.first else { return nil }
    guard (1...EventID.longestEpoch).contains(epoch.utf8.count),
      epoch.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) })
    else { return nil }
    self.init(epoch: epoch, number: number, edit: numbers.count == 2 ? numbers.last : nil)
  }

  private static func number(_ digits: String) -> UInt64? {
    digits.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt64(digits) : nil
  }

  package var description: String { "\(epoch)-\(number)" + (edit.map { "-\($0)" } ?? "") }
}

/// The `text/event-stream` format (WHATWG HTML, section 9.2): one block of lines per event.
package enum EventStreamText {
  /// Encodes one event. `data` is JSON without line breaks, so it needs one line.
  package static func event(_ name: String, id: EventID, data: JSONValue) -> String {
    "id: \(id)\nevent: \(name)\ndata: \(data.text)\n\n"
  }

  /// Encodes the reconnection delay (milliseconds) and the start position. A client that loses the connection before
  /// its first event reconnects with that position. A block without data is not an event.
  package static func opening(retry: Int, at id: EventID) -> String {
    "retry: \(retry)\nid: \(id)\n\n"
  }

  /// Encodes a new position alone; a block without data is not an event.
  package static func position(_ id: EventID) -> String { "id: \(id)\n\n" }

  /// Encodes a comment that keeps the connection alive; with `id`, the position advances past events excluded by a
  /// filter.
  package static func heartbeat(at id: EventID?) -> String {
    id.map { ":\nid: \($0)\n\n" } ?? ":\n\n"
  }
}
