import Foundation
import Testing

@testable import Signaling

/// One conversation of docs/protocol.md.
struct Transcript: CustomTestStringConvertible, Sendable {
  /// One message, and who says it.
  struct Message: Sendable {
    var isFromClient: Bool
    var text: String
  }

  /// The line of the document at which it begins.
  var line: Int
  var messages: [Message]

  var testDescription: String { "docs/protocol.md:\(line)" }

  static let document: String = {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return (try? String(contentsOf: root.appendingPathComponent("docs/protocol.md"), encoding: .utf8)) ?? ""
  }()

  /// All blocks that are fenced as "transcript".
  static let all: [Transcript] = {
    var transcripts: [Transcript] = []
    var current: Transcript?
    for (index, line) in document.components(separatedBy: "\n").enumerated() {
      if line == "```transcript" {
        current = Transcript(line: index + 1, messages: [])
      } else if line == "```", let transcript = current {
        transcripts.append(transcript)
        current = nil
      } else if current != nil {
        if line.hasPrefix("> ") || line.hasPrefix("< ") {
          current?.messages.append(Message(isFromClient: line.hasPrefix(">"), text: String(line.dropFirst(2))))
        } else if let last = current?.messages.indices.last {
          current?.messages[last].text += line.trimmingCharacters(in: .whitespaces)
        }
      }
    }
    return transcripts
  }()
}

extension JSONValue {
  /// The same value with the members of all objects in the order of their names, since order means nothing.
  var sorted: JSONValue {
    switch self {
    case .array(let elements): .array(elements.map(\.sorted))
    case .object(let object):
      .object(JSONObject(object.members.map { ($0.name, $0.value.sorted) }.sorted { $0.0 < $1.0 }))
    case .number(let number): .measure(number)
    default: self
    }
  }
}
