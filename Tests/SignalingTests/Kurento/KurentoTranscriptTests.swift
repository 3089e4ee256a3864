import Foundation
import Testing

@testable import Signaling

extension Transcript {
  static let kurento = all(in: "docs/kurento.md")
}

/// docs/kurento.md cannot rot: each of its conversations goes through both machines.
@Suite struct KurentoTranscriptTests {
  private static let document = Transcript.text(of: "docs/kurento.md")

  @Test(arguments: Transcript.kurento)
  func bothMachinesSayWhatTheDocumentSays(transcript: Transcript) throws {
    if transcript.lines.contains(where: { $0.text.contains("createTree") }) {
      var player = KurentoTreeTranscriptPlayer()
      try player.play(transcript)
    } else {
      var player = KurentoTranscriptPlayer()
      try player.play(transcript)
    }
  }

  @Test func theDocumentShowsEveryMethodAndEveryNotification() {
    let text = Transcript.kurento.flatMap(\.lines).map(\.text).joined(separator: "\n")
    let methods =
      KurentoMethod.allCases.map(\.rawValue) + KurentoTreeMethod.allCases.map(\.rawValue)
      + JSONRPCControl.allCases.map(\.rawValue)
    for method in methods { #expect(text.contains("\"method\":\"\(method)\""), "no transcript shows \(method)") }
    for notification in KurentoNotification.Method.allCases {
      let shown = text.components(separatedBy: "\n").contains {
        !$0.contains("\"id\":") && $0.contains("\"method\":\"\(notification.rawValue)\"")
          || $0.contains("\"method\":\"\(notification.rawValue)\",\"params\":{\"id\"")
      }
      #expect(shown, "no transcript shows \(notification)")
    }
    for word in KurentoRecorderWish.Word.allCases {
      #expect(KurentoTranscriptTests.document.contains("| `\(word.rawValue)` |"), "no table explains \(word)")
    }
  }

  @Test func theDocumentExplainsExactlyTheCodesThatThereAre() {
    let codes = KurentoTranscriptTests.document.components(separatedBy: "\n").compactMap { line -> Int64? in
      guard line.hasPrefix("| `") else { return nil }
      return line.components(separatedBy: "`").dropFirst().first.flatMap { Int64($0) }
    }
    let known =
      KurentoErrorCode.allCases.map(\.rawValue) + TreeRefusal.Code.allCases.map(\.rawValue) + [
        TreeCommand.incomplete, JSONRPCError.parseError, JSONRPCError.invalidRequest, JSONRPCError.unknownMethod,
        JSONRPCError.invalidParameters, JSONRPCError.internalError, JSONRPCError.serverError,
        JSONRPCError.unknownSession,
      ]
    #expect(codes.sorted() == known.sorted())
  }
}
