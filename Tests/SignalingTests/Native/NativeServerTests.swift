import Machines
import Music
import TestSupport
import Testing

@testable import Signaling

@Suite struct NativeServerTests {
  @Test func aRefusedJoinMayBeTriedAgainOnTheSameLink() {
    var rig = NativeRig()
    let join = #"{"id":1,"method":"join","params":{"name":"Ada"}}"#
    #expect(rig.say(join).count == 1)
    #expect(rig.say(#"{"id":2,"method":"join","params":{"name":"Ada"}}"#).code == "already-joined")
    #expect(rig.say(#"{"id":3,"method":"publish","params":{"peer":"p"}}"#).code == "not-joined")
    #expect(rig.feed(.refused(NativeRequestID(counting: 1), RoomRefusal(.roomFull, "full"))).code == "room-full")
    guard case .join = rig.say(join).first else { return _ = Issue.record("no second join") }
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
    var rig = NativeRig.joined()
    #expect(rig.say(text).code == expected)
    guard case .perform(_, .leave) = rig.say(#"{"id":2,"method":"leave"}"#).first else {
      return _ = Issue.record("the link is dead")
    }
  }

  @Test func aClientsClockCountsFrom1970() throws {
    var rig = NativeRig.joined()
    let clock = #"{"t":1796082343123.25,"serverTime":98765432.125,"roundTrip":1.5}"#
    let asked = rig.say(#"{"id":1,"method":"stats","params":{"clock":\#(clock)}}"#)
    guard case .perform(_, .report(let report)) = asked.first else {
      return _ = Issue.record("\(asked) is no report")
    }
    // A double has a precision of a quarter of a microsecond here.
    #expect(abs(try #require(report.clientTime) - 1_796_082_343_123_250_000) < 256)
    #expect(report.serverTime == MonotonicTime(nanoseconds: 98_765_432_125_000) && report.roundTrip == 1_500_000)
  }

  @Test func bigThingsAreRefusedByTheirSize() {
    var rig = NativeRig.joined()
    let sdp = String(repeating: "a", count: 65_537)
    let offer = #"{"id":1,"method":"publish","params":{"peer":"p","sdp":""# + sdp + "\"}}"
    #expect(rig.say(offer).code == "too-large")
    let candidate = String(repeating: "c", count: 1_025)
    let trickle = #"{"id":1,"method":"candidate","params":{"peer":"p","candidate":{"candidate":""# + candidate + "\"}}}"
    #expect(rig.say(trickle).code == "invalid-candidate")
    #expect(rig.say(String(repeating: " ", count: 262_145)).code == "too-large")
    #expect(rig.feed(.unreadable("bytes", from: Sample.link)).code == "malformed")
  }

  @Test func tooManyRequestsAtATimeAreRefusedUntilOneIsAnswered() {
    var rig = NativeRig.joined()
    for number in 1...NativeServer.maximumPending {
      #expect(rig.say("{\"id\":\(number),\"method\":\"snapshot\"}").count == 1)
    }
    #expect(rig.say(#"{"id":1,"method":"snapshot"}"#).code == "malformed")
    #expect(rig.say(#"{"id":99,"method":"snapshot"}"#).code == "too-many")
    _ = rig.feed(.replied(NativeRequestID(counting: 1), .done))
    #expect(rig.say(#"{"id":99,"method":"snapshot"}"#).code == nil)
  }

  @Test func garbageWithoutEndClosesTheLinkButAGoodRequestResetsTheCount() {
    var rig = NativeRig.joined()
    for _ in 1..<NativeServer.maximumFaults { _ = rig.say("garbage") }
    _ = rig.say(#"{"id":1,"method":"snapshot"}"#)
    for _ in 1..<NativeServer.maximumFaults { #expect(rig.say("garbage").count == 1) }
    #expect(rig.say("garbage").end == NativeClosing.policy.rawValue)
    #expect(rig.say(#"{"id":2,"method":"snapshot"}"#).isEmpty)
  }

  @Test func aLinkWithoutAJoinIsClosedInTheEnd() {
    var rig = NativeRig()
    #expect(rig.server.deadline == rig.now + NativeServer.joinTimeout)
    #expect(rig.advance(by: NativeServer.joinTimeout - .nanoseconds(1)).isEmpty)
    #expect(rig.advance(by: .nanoseconds(1)).end == NativeClosing.policy.rawValue)
    #expect(rig.server.deadline == nil)
    rig = NativeRig.joined()
    #expect(rig.server.deadline == nil)
  }

  @Test func leavingAnswersThenCloses() {
    var rig = NativeRig.joined()
    _ = rig.say(#"{"id":5,"method":"leave"}"#)
    #expect(rig.answer(.done) == [.notify(#"{"id":5,"result":{}}"#), .end(code: 1000, reason: "left")])
    #expect(rig.tell(.left(Sample.ada.id)).isEmpty)
  }

  @Test(arguments: [
    (RoomEvent.ClosingReason.replaced, UInt16(4001)), (.shutdown, 1001), (.tooSlow, 1013), (.roomClosed, 1000),
    (.kicked, 4002),
  ])
  func theRoomsClosingIsToldAndThenDone(reason: RoomEvent.ClosingReason, code: UInt16) {
    var rig = NativeRig.joined()
    #expect(
      rig.tell(.closed(reason: reason)) == [
        .notify("{\"event\":\"closed\",\"reason\":\"\(reason.rawValue)\"}"),
        .end(code: code, reason: reason.rawValue),
      ])
  }

  @Test func mutatedMessagesNeverTrapAndAreAnsweredAtMostOnce() {
    var generator = SeededRandom(3)
    let messages = Transcript.native.flatMap(\.lines).map { Array($0.text.utf8) }
    var rig = NativeRig.joined()
    var client = DialectClient<NativeClient>()
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
      let answers = rig.say(text)
      if answers.count > 2 { Issue.record("\(answers.count) answers to \(text)") }
      // A closed or clogged link ends the run of this server, not the test.
      if answers.count != 1 || answers.code == "too-many" { rig = NativeRig.joined() }
      client.handle(.text(text), at: rig.now)
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
