import Machines
import Music

/// A backing track as everybody in a room hears it.
package struct BackingPlay: Hashable, Sendable {
  package var backing: BackingID
  package var title: String
  /// Length of the whole backing track.
  package var length: SamplePosition
  /// The sample of it that is heard at `at`.
  package var from: SamplePosition
  /// On the service's clock, which `ping` tells.
  package var at: MonotonicTime

  package init(backing: BackingID, title: String, length: SamplePosition, from: SamplePosition, at: MonotonicTime) {
    self.backing = backing
    self.title = title
    self.length = length
    self.from = from
    self.at = at
  }

  /// True while it, or its beginning, is still to be heard.
  package func isHeard(at now: MonotonicTime) -> Bool { (now - at).seconds < (length.seconds - from.seconds) }
}

extension BackingPlay {
  package var json: JSONObject {
    [
      "backing": .string(backing.description), "title": .string(title), "duration": .measure(length.seconds),
      "from": .measure(from.seconds), "at": NativeTime.milliseconds(at.nanoseconds),
    ]
  }

  /// Reads what the server has written.
  init(_ fields: NativeFields) throws(RoomRefusal) {
    self.init(
      backing: try fields.identifier("backing"), title: try fields.string("title"),
      length: try BackingPlay.position("duration", fields), from: try BackingPlay.position("from", fields),
      at: MonotonicTime(nanoseconds: try NativeTime.nanoseconds(try fields.double("at"), of: "at")))
  }

  private static func position(_ name: String, _ fields: NativeFields) throws(RoomRefusal) -> SamplePosition {
    let seconds = try fields.double(name)
    guard seconds >= 0, let position = SamplePosition(seconds: seconds) else {
      throw RoomRefusal(.malformed, "\"\(name)\" is \(seconds); it must be a number of seconds")
    }
    return position
  }
}
