import Foundation
import Machines
import Music
import Testing

@testable import Signaling

/// One conversation of docs/xirsys.md.
struct XirSysTranscript: CustomTestStringConvertible, Sendable {
  /// The line of the document at which it begins.
  var line: Int
  var framing: XirSysVocabulary.Framing
  /// Each begins with its sign: "=", ">" or "<".
  var lines: [String]

  var testDescription: String { "docs/xirsys.md:\(line)" }

  static let all: [XirSysTranscript] = {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let document = (try? String(contentsOf: root.appendingPathComponent("docs/xirsys.md"), encoding: .utf8)) ?? ""
    var transcripts: [XirSysTranscript] = []
    var current: XirSysTranscript?
    for (index, line) in document.components(separatedBy: "\n").enumerated() {
      if line.hasPrefix("```transcript ") {
        current = XirSysTranscript(line: index + 1, framing: line.hasSuffix("A") ? .legacy : .channel, lines: [])
      } else if line == "```", let transcript = current {
        transcripts.append(transcript)
        current = nil
      } else if let last = current?.lines.indices.last, line.hasPrefix(" ") {
        current?.lines[last] += line.trimmingCharacters(in: .whitespaces)
      } else if current != nil {
        current?.lines.append(line)
      }
    }
    return transcripts
  }()
}

@Suite struct XirSysTranscriptTests {
  @Test func theDocumentHasBothDialects() {
    #expect(XirSysTranscript.all.count >= 3)
    #expect(Set(XirSysTranscript.all.map(\.framing)) == [.legacy, .channel])
  }

  @Test(arguments: XirSysTranscript.all)
  func theServerSaysWhatTheDocumentSays(transcript: XirSysTranscript) throws {
    var rig = XirSysRig(transcript.framing)
    var said: [String] = []
    var asked: (operation: OperationNumber, label: PeerLabel)?
    for line in transcript.lines {
      let rest = String(line.dropFirst(2))
      var outputs: [XirSysServer.Output] = []
      switch line.first {
      case "<":
        let expected = try JSONValue(parsing: rest)
        let next = try #require(said.first, "nothing was said: \(line)")
        said.removeFirst()
        let found = try JSONValue(parsing: next)
        #expect(found == expected, "\(line)")
      case ">":
        #expect(said.isEmpty, "this was said before \(line): \(said)")
        outputs = rig.say(rest)
      default: outputs = try happen(rest, &rig, asked)
      }
      said += outputs.texts
      for (operation, command) in outputs.asked {
        if case .exchange(let label, _, .some) = command { asked = (operation, label) }
      }
    }
    #expect(said.isEmpty, "this was said at the end: \(said)")
  }

  /// What a line with "=" says.
  private func happen(
    _ text: String, _ rig: inout XirSysRig, _ asked: (operation: OperationNumber, label: PeerLabel)?
  ) throws -> [XirSysServer.Output] {
    let words = text.components(separatedBy: " ")
    if text.hasPrefix("anna joins ") { return rig.join(words[2] == "nobody" ? [] : [words[2]]) }
    if text.hasSuffix(" arrives") { return rig.arrives(words[0]) }
    if text.hasSuffix(" leaves") { return rig.leaves(words[0]) }
    if text.hasPrefix("the room answers ") {
      let asked = try #require(asked, "the room was not asked")
      let sdp = words.dropFirst(3).joined(separator: " ").replacingOccurrences(of: "\\r\\n", with: "\r\n")
      return rig.feed(.replied(asked.operation, .answer(asked.label, sdp: sdp)))
    }
    let frame = try JSONValue(parsing: words.dropFirst(2).joined(separator: " "))
    let object = try #require(frame.object)
    let message = XirSysMessage.legacy(
      name: try #require(object["eventName"]?.string), data: object["data"] ?? .null)
    return rig.feed(.event(.relayed(message, from: words[0])))
  }
}
