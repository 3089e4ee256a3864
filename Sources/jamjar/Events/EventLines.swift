import Foundation
import Glibc
import Signaling

/// Writes events to standard output, each at once: one line for people, or one JSON object.
struct EventLines {
  let isJSON: Bool

  /// The reader of the output has gone.
  struct Closed: Error {}

  /// - Throws: `Closed`; `CommandFailure` if the output takes no more.
  func write(_ id: String, _ event: JSONObject) throws {
    let text = isJSON ? JSONValue.object(EventLines.json(id, event)).text : EventLines.line(event)
    try EventLines.write(Array((text + "\n").utf8))
  }

  /// The event with its identifier first.
  static func json(_ id: String, _ event: JSONObject) -> JSONObject {
    JSONObject([("id", JSONValue.string(id))] + event.members.map { ($0.name, $0.value) })
  }

  /// "2026-11-21 10:32:46  take.edited  Cellar  take 3 of "Blue in Green"; ★★★★☆; revision 2; 01JD4Z…".
  static func line(_ event: JSONObject) -> String {
    let words = [
      Reading.time(event["time"]?.string), event["type"]?.string ?? "-", event["room"]?.string ?? "-", subject(event),
    ]
    return words.joined(separator: "  ").printable
  }

  private static func subject(_ event: JSONObject) -> String {
    var words: [String] = []
    if let take = event["take"]?.object {
      if let number = take["number"]?.integer {
        let song = (take["song"]?.object?["title"]?.string).map { " of \"\($0)\"" } ?? ""
        words.append("take \(number)\(song)")
      }
      if let title = take["title"]?.string { words.append("\"\(title)\"") }
      let stars = Reading.stars(take["rating"]?.integer)
      if !stars.isEmpty { words.append(stars) }
      if let revision = take["revision"]?.integer, revision > 1 { words.append("revision \(revision)") }
      if let id = take["id"]?.string { words.append(id) }
    } else if let song = event["song"]?.object {
      if let title = song["title"]?.string { words.append("\"\(title)\"") }
      if let id = song["id"]?.string { words.append(id) }
    } else if let name = (event["participant"] ?? event["member"])?.object?["name"]?.string {
      words.append(name)
    } else if let session = event["session"]?.object?["id"]?.string {
      words.append("session \(session)")
    } else if let export = event["export"]?.object {
      words += [export["name"]?.string, export["state"]?.string].compactMap(\.self)
    }
    if let cue = event["cue"]?.object?["text"]?.string { words.append("cue \"\(cue)\"") }
    if let text = (event["text"] ?? event["reason"])?.string { words.append(text) }
    return words.joined(separator: "; ")
  }

  private static func write(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EPIPE {
        throw Closed()
      } else if errno != EINTR {
        throw CommandFailure(
          ExitCodes.cannotCreate, "standard output takes no more: \(String(cString: strerror(errno)))")
      }
    }
  }
}
