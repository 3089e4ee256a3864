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
