import Foundation
import Machines
import Testing

@testable import Signaling

extension Transcript {
  static let native = all(in: "docs/protocol.md")
}

/// docs/protocol.md cannot rot: each of its conversations goes through both machines.
@Suite struct TranscriptTests {
  private static let document = Transcript.text(of: "docs/protocol.md")

  @Test(arguments: Transcript.native)
  func bothMachinesSayWhatTheDocumentSays(transcript: Transcript) throws {
    var player = NativeTranscriptPlayer()
    try player.play(transcript)
  }

  @Test func theDocumentShowsEveryMethodAndEveryEvent() {
    let text = Transcript.native.flatMap(\.lines).map(\.text).joined(separator: "\n")
    for method in NativeMethod.allCases {
      #expect(text.contains("\"method\":\"\(method.rawValue)\""), "no transcript shows the method \(method)")
    }
    for event in NativeEvent.allCases {
      #expect(text.contains("\"event\":\"\(event.rawValue)\""), "no transcript shows the event \(event)")
    }
  }

  @Test func theDocumentExplainsExactlyTheCodesThatThereAre() throws {
    let beginning = try #require(TranscriptTests.document.range(of: "\n## 8.")).upperBound
    let end = try #require(TranscriptTests.document.range(of: "\n## 9.")).lowerBound
    let section = TranscriptTests.document[beginning..<end]
    let rows = section.components(separatedBy: "\n").filter { $0.hasPrefix("| `") }
    let codes = rows.compactMap { $0.components(separatedBy: "`").dropFirst().first }
    #expect(codes.sorted() == RoomRefusal.Code.allCases.map(\.rawValue).sorted())
  }

  @Test func theDocumentExplainsExactlyTheClosingCodesThatThereAre() {
    let rows = TranscriptTests.document.components(separatedBy: "\n").compactMap { line in
      line.components(separatedBy: " ").dropFirst().first.flatMap(UInt16.init)
    }
    let transport: [FrameViolation] = [.unmasked, .invalidText, .tooLarge(limit: 1)]
    #expect(rows.sorted() == (NativeClosing.allCases.map(\.rawValue) + transport.map(\.code)).sorted())
  }
}
