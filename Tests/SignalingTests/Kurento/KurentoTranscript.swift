import Foundation
import Testing

@testable import Signaling

/// One conversation of docs/kurento.md.
struct KurentoTranscript: CustomTestStringConvertible, Sendable {
  /// The line of the document at which it begins.
  var line: Int
  var messages: [Transcript.Message]

  var testDescription: String { "docs/kurento.md:\(line)" }

  var isOfTree: Bool { messages.contains { $0.text.contains("createTree") } }

  static let document: String = {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return (try? String(contentsOf: root.appendingPathComponent("docs/kurento.md"), encoding: .utf8)) ?? ""
  }()

  /// All blocks that are fenced as "transcript".
  static let all: [KurentoTranscript] = {
    var transcripts: [KurentoTranscript] = []
    var current: KurentoTranscript?
    for (index, line) in document.components(separatedBy: "\n").enumerated() {
      if line == "```transcript" {
        current = KurentoTranscript(line: index + 1, messages: [])
      } else if line == "```", let transcript = current {
        transcripts.append(transcript)
        current = nil
      } else if current != nil {
        if line.hasPrefix("> ") || line.hasPrefix("< ") {
          current?.messages.append(.init(isFromClient: line.hasPrefix(">"), text: String(line.dropFirst(2))))
        } else if let last = current?.messages.indices.last {
          current?.messages[last].text += line.trimmingCharacters(in: .whitespaces)
        }
      }
    }
    return transcripts
  }()
}
