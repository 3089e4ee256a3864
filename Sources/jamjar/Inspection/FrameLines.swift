import Machines
import Music
import Recording
import Signaling

/// Writes a journal's frames, one per line.
struct FrameLines {
  let isJSON: Bool

  /// Width of the kind's name, in columns.
  private static let kindWidth = 13

  func write(_ frame: JournalFrame, from zero: MonotonicTime) {
    let time = (frame.time - zero).seconds
    if isJSON {
      var object: JSONObject = [
        "time": .measure(time), "kind": .string(frame.kindName),
        "track": frame.track.map { .integer(Int64($0)) } ?? .null,
      ]
      for member in frame.members.members { object[member.name] = member.value }
      print(JSONValue.object(object).text)
    } else {
      let seconds = Reading.fixed(time, 6)
      let kind = frame.kindName.padding(to: FrameLines.kindWidth)
      let words = frame.members.members.map { "\($0.name)=\($0.value.text)" }.joined(separator: " ")
      let track = (frame.track.map(String.init) ?? "-").padding(to: 2)
      let blanks = String(repeating: " ", count: max(0, 14 - seconds.count))
      print("\(blanks)\(seconds)  \(track) \(kind) \(words)".printable)
    }
  }
}

extension String {
  /// The text padded with spaces to this many columns.
  fileprivate func padding(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
