import Foundation
import Machines
import Music
import Testing

@testable import Signaling

extension Transcript {
  static let xirsys = all(in: "docs/xirsys.md")
}

@Suite struct XirSysTranscriptTests {
  @Test func theDocumentHasBothDialects() {
    #expect(Transcript.xirsys.count >= 3)
    #expect(Set(Transcript.xirsys.map(\.kind)) == ["A", "B"])
  }

  @Test(arguments: Transcript.xirsys)
  func theServerSaysWhatTheDocumentSays(transcript: Transcript) throws {
    var player = XirSysTranscriptPlayer(transcript.kind == "A" ? .legacy : .channel)
    try player.play(transcript)
  }
}

private struct XirSysTranscriptPlayer: ~Copyable, TranscriptPlayer {
  private var rig: XirSysRig
  /// The room's last question for an answer.
  private var asked: (operation: OperationNumber, label: PeerLabel)?

  init(_ framing: XirSysVocabulary.Framing) {
    rig = XirSysRig(framing)
  }

  mutating func say(_ text: String, before next: Transcript.Line?) -> [String] { note(rig.say(text)) }

  mutating func happen(_ words: String) throws -> [String] { note(try outputs(of: words)) }

  private mutating func note(_ outputs: [XirSysRig.Output]) -> [String] {
    for (operation, command) in outputs.asked {
      if case .exchange(let label, _, .some) = command { asked = (operation, label) }
    }
    return outputs.texts
  }

  private mutating func outputs(of text: String) throws -> [XirSysRig.Output] {
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
