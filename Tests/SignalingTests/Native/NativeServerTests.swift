import Machines
import Music
import TestSupport
import Testing

@testable import Signaling

@Suite struct NativeServerTests {
  private static let start = MonotonicTime(nanoseconds: 0)

  /// What the machine says to one text.
  private func outputs(of server: inout NativeServer, for text: String) -> [NativeServer.Output] {
    server.handle(.text(text, from: Sample.link), at: NativeServerTests.start)
    return drain(&server)
  }

  private func drain(_ server: inout NativeServer) -> [NativeServer.Output] {
    var outputs: [NativeServer.Output] = []
    while let output = server.next() { outputs.append(output) }
    return outputs
  }

  /// The code of the only output, when it is an error.
  private func code(_ outputs: [NativeServer.Output]) -> String? {
    guard outputs.count == 1, case .notify(let text) = outputs.first else { return nil }
    return (try? JSONValue(parsing: text))?.object?["error"]?.object?["code"]?.string
  }

  private func joined() -> NativeServer {
    var server = NativeServer(room: "blue room", at: NativeServerTests.start)
    _ = outputs(of: &server, for: #"{"id":0,"method":"join","params":{"name":"Ada"}}"#)
    server.handle(.joined(NativeRequestID(counting: 0), Sample.grant), at: NativeServerTests.start)
    _ = drain(&server)
    return server
  }

  @Test func aRefusedJoinMayBeTriedAgainOnTheSameLink() {
    var server = NativeServer(room: "blue room", at: NativeServerTests.start)
    let join = #"{"id":1,"method":"join","params":{"name":"Ada"}}"#
    #expect(outputs(of: &server, for: join).count == 1)
    #expect(code(outputs(of: &server, for: #"{"id":2,"method":"join","params":{"name":"Ada"}}"#)) == "already-joined")
    #expect(code(outputs(of: &server, for: #"{"id":3,"method":"publish","params":{"peer":"p"}}"#)) == "not-joined")
    server.handle(.refused(NativeRequestID(counting: 1), RoomRefusal(.roomFull, "full")), at: NativeServerTests.start)
    #expect(code(drain(&server)) == "room-full")
    guard case .join = outputs(of: &server, for: join).first else { return _ = Issue.record("no second join") }
  }

  @Test(arguments: [
    (#"{"id":1,"method":"publish","params":{"peer":""}}"#, "malformed"),
    (#"{"id":1,"method":"publish","params":{"peer":"a b"}}"#, "malformed"),
    (#"{"id":1,"method":"publish","params":{"peer":"p","sdp":7}}"#, "malformed"),
    (#"{"id":1,"method":"subscribe","params":{"peer":"p","participant":"Ada"}}"#, "unknown-participant"),
    (#"{"id":1,"method":"subscribe","params":{"peer":"p"}}"#, "malformed"),
    (#"{"id":1,"method":"answer","params":{"peer":"p"}}"#, "malformed"),
    (#"{"id":1,"method":"candidate","params":{"peer":"p"}}"#, "malformed"),
    (#"{"id":1,"method":"candidate","params":{"peer":"p","candidate":{"sdpMid":"0"}}}"#, "malformed"),
    (
      #"{"id":1,"method":"candidate","params":{"peer":"p","candidate":{"candidate":"c","sdpMLineIndex":-1}}}"#,
      "malformed"
    ),
    (#"{"id":1,"method":"takeStart","params":{"song":{"title":"x"}}}"#, "malformed"),
    (#"{"id":1,"method":"cue"}"#, "malformed"),
    (#"{"id":1,"method":"message","params":{"text":"x","to":"nobody"}}"#, "unknown-participant"),
    (#"{"id":1,"method":"stats","params":{"clock":{"t":1e300}}}"#, "malformed"),
    (#"{"id":1,"method":"stats","params":{"playout":{"x":1}}}"#, "unknown-participant"),
    (#"{"id":1,"method":"stats","params":{"health":7}}"#, "malformed"),
    (#"{"id":1,"method":"stats","params":{"health":{"roundTrip":-1}}}"#, "malformed"),
    (#"{"id":1,"method":"stats","params":{"health":{"lost":1e18}}}"#, "malformed"),
    (#"{"id":1,"method":"stats","params":{"health":{"dbfs":"loud"}}}"#, "malformed"),
    (#"{"id":1,"method":"ping","params":{"t":"now"}}"#, "malformed"),
    (#"{"id":1,"method":"join","params":{"name":"Ada"}}"#, "already-joined"),
    (#"{"id":1,"method":"JOIN"}"#, "unknown-method"),
    (#"{"id":1,"method":"leave","params":[]}"#, "malformed"),
    (#"{"id":-1,"method":"leave"}"#, "malformed"),
    (#"{"id":"1","method":"leave"}"#, "malformed"),
    (#"{"id":1}"#, "malformed"),
    ("7", "malformed"),
    ("", "malformed"),
    (String(repeating: "[", count: 100), "too-large"),
  ])
  func wrongRequestsAreAnsweredAndTheLinkLives(text: String, expected: String) {
    var server = joined()
    #expect(code(outputs(of: &server, for: text)) == expected)
    guard case .perform(_, .leave) = outputs(of: &server, for: #"{"id":2,"method":"leave"}"#).first else {
      return _ = Issue.record("the link is dead")
    }
  }

  @Test func bigThingsAreRefusedByTheirSize() {
    var server = joined()
    let sdp = String(repeating: "a", count: 65_537)
    let offer = #"{"id":1,"method":"publish","params":{"peer":"p","sdp":""# + sdp + "\"}}"
    #expect(code(outputs(of: &server, for: offer)) == "too-large")
    let candidate = String(repeating: "c", count: 1_025)
    let trickle = #"{"id":1,"method":"candidate","params":{"peer":"p","candidate":{"candidate":""# + candidate + "\"}}}"
    #expect(code(outputs(of: &server, for: trickle)) == "invalid-candidate")
    #expect(code(outputs(of: &server, for: String(repeating: " ", count: 262_145))) == "too-large")
    server.handle(.unreadable("bytes", from: Sample.link), at: NativeServerTests.start)
    #expect(code(drain(&server)) == "malformed")
  }

  @Test func tooManyRequestsAtATimeAreRefusedUntilOneIsAnswered() {
    var server = joined()
    for number in 1...NativeServer.maximumPending {
      #expect(outputs(of: &server, for: "{\"id\":\(number),\"method\":\"snapshot\"}").count == 1)
    }
    #expect(code(outputs(of: &server, for: #"{"id":1,"method":"snapshot"}"#)) == "malformed")
    #expect(code(outputs(of: &server, for: #"{"id":99,"method":"snapshot"}"#)) == "too-many")
    server.handle(.replied(NativeRequestID(counting: 1), .done), at: NativeServerTests.start)
    _ = drain(&server)
    #expect(code(outputs(of: &server, for: #"{"id":99,"method":"snapshot"}"#)) == nil)
  }

  @Test func garbageWithoutEndClosesTheLinkButAGoodRequestResetsTheCount() {
    var server = joined()
    for _ in 1..<NativeServer.maximumFaults { _ = outputs(of: &server, for: "garbage") }
    _ = outputs(of: &server, for: #"{"id":1,"method":"snapshot"}"#)
    for _ in 1..<NativeServer.maximumFaults { #expect(outputs(of: &server, for: "garbage").count == 1) }
    guard case .end(let code, _) = outputs(of: &server, for: "garbage").last else {
      return _ = Issue.record("the link is still open")
    }
    #expect(code == NativeClosing.policy.rawValue)
    #expect(outputs(of: &server, for: #"{"id":2,"method":"snapshot"}"#).isEmpty)
  }

  @Test func aLinkWithoutAJoinIsClosedInTheEnd() {
    var server = NativeServer(room: "blue room", at: NativeServerTests.start)
    let deadline = NativeServerTests.start + NativeServer.joinTimeout
    #expect(server.deadline == deadline)
    server.advance(to: deadline - .nanoseconds(1))
    #expect(drain(&server).isEmpty)
    server.advance(to: deadline)
    guard case .end(let code, _) = drain(&server).first else { return _ = Issue.record("the link is still open") }
    #expect(code == NativeClosing.policy.rawValue)
    #expect(server.deadline == nil)
    #expect(joined().deadline == nil)
  }

  @Test func leavingAnswersThenCloses() {
    var server = joined()
    _ = outputs(of: &server, for: #"{"id":5,"method":"leave"}"#)
    server.handle(.replied(NativeRequestID(counting: 5), .done), at: NativeServerTests.start)
    #expect(drain(&server) == [.notify(#"{"id":5,"result":{}}"#), .end(code: 1000, reason: "left")])
    server.handle(.event(.left(Sample.ada.id)), at: NativeServerTests.start)
    #expect(drain(&server).isEmpty)
  }

  @Test(arguments: [
    (RoomEvent.ClosingReason.replaced, UInt16(4001)), (.shutdown, 1001), (.tooSlow, 1013), (.roomClosed, 1000),
    (.kicked, 4002),
  ])
  func theRoomsClosingIsToldAndThenDone(reason: RoomEvent.ClosingReason, code: UInt16) {
    var server = joined()
    server.handle(.event(.closed(reason: reason)), at: NativeServerTests.start)
    #expect(
      drain(&server) == [
        .notify("{\"event\":\"closed\",\"reason\":\"\(reason.rawValue)\"}"),
        .end(code: code, reason: reason.rawValue),
      ])
  }

  @Test func mutatedMessagesNeverTrapAndAreAnsweredAtMostOnce() {
    var generator = SeededRandom(3)
    let messages = Transcript.all.flatMap(\.messages).map { Array($0.text.utf8) }
    var server = joined()
    var client = NativeClient()
    for _ in 0..<4_000 {
      var bytes = messages.randomElement(using: &generator) ?? []
      for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
        let index = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: bytes[index] = UInt8.random(in: 0x20...0x7E, using: &generator)
        case 1: bytes.remove(at: index)
        default: bytes.insert(contentsOf: bytes[index...].prefix(12), at: index)
        }
      }
      let text = String(decoding: bytes, as: UTF8.self)
      let answers = outputs(of: &server, for: text)
      if answers.count > 2 { Issue.record("\(answers.count) answers to \(text)") }
      // A closed or clogged link ends the run of this server, not the test.
      if answers.count != 1 || code(answers) == "too-many" { server = joined() }
      client.handle(.text(text), at: NativeServerTests.start)
      while client.next() != nil {}
    }
  }

  @Test func aLongMessageFromAnotherDialectIsShownOnOneShortLine() throws {
    let text = "{\n" + String(repeating: "x", count: 65_000) + "}"
    for event in [
      RoomEvent.message(from: Sample.ada.id, text: text, isPrivate: false),
      .missed(from: Sample.ada, text: text, isPrivate: false),
    ] {
      let shown = try #require(event.json["text"]?.string)
      #expect(shown.count == 2_000 && shown.hasPrefix("{ xxx") && shown.hasSuffix("x…"))
    }
  }
}
