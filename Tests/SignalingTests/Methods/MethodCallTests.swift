import Music
import Testing

@testable import Signaling

@Suite struct MethodCallTests {
  private func value(_ status: Int, _ body: String) throws(MethodFailure) -> SharedValue? {
    try MethodAnswer(status: status, body: Array(body.utf8)).value(of: "sum")
  }

  private func failure(_ status: Int, _ body: String) -> MethodFailure? {
    do throws(MethodFailure) {
      _ = try value(status, body)
      return nil
    } catch {
      return error
    }
  }

  @Test func theRequestNamesTheCallerAndCarriesEveryKindOfValue() throws {
    let arguments: [AMFValue] = [
      5, 0.5, .undefined, .date(milliseconds: 1_000), .bytes([1, 2]), .array([1], named: [AMFMember("x", "y")]),
      .object([AMFMember("n", 9_007_199_254_740_991)], className: "Song"), .xml("<a/>"), .number(.nan),
    ]
    let call = MethodCall(
      id: "call_1", method: "sum", arguments: arguments.map(\.shared), room: Sample.room, participant: Sample.bob.id,
      name: "Bob", authority: .listener, connection: "c", dialect: .rtmp)
    #expect(
      JSONValue.object(call.body).text
        == JSONValue.object([
          "id": "call_1", "method": "sum",
          "arguments": [
            5, .number(0.5), .null, ["$date": 1_000], ["$bytes": "AQI="], ["0": 1, "x": "y"],
            ["$class": "Song", "n": 9_007_199_254_740_991], "<a/>", ["$number": "NaN"],
          ],
          "room": .string(Sample.room.description),
          "participant": ["id": .string(Sample.bob.id.description), "name": "Bob"], "authority": "listener",
          "connection": "c", "dialect": "rtmp",
        ]).text)
  }

  @Test func anAnswerIsAValueOrNothing() throws {
    #expect(try value(200, "12") == .number(12))
    #expect(
      try value(201, #" {"a":[true,null,{"$date":5}]} "#) == .object(["a": .array([.bool(true), .null, .date(5)])]))
    #expect(try value(200, "null") == .null)
    #expect(try value(204, "") == nil)
    #expect(try value(200, " \r\n\t") == nil)
  }

  @Test func everyOtherStatusIsAFailureWithASentence() {
    for (status, body, kind, sentence) in [
      (404, "", MethodFailure.Kind.unknown, "the application has no method sum"),
      (501, #"{"detail":"later"}"#, .unknown, "later"),
      (403, "<html>", .denied, "the application does not allow sum"),
      (422, #"{"title":"Bad","detail":"no\u0000 such\n song"}"#, .refused, "no such song"),
      (409, #"{"error":{"a":1},"message":""}"#, .refused, "the application refused sum (409)"),
      (500, #"{"detail":"/srv/app/secret.py line 3"}"#, .failed, "the application failed (500)"),
    ] {
      let found = failure(status, body)
      #expect(found == MethodFailure(kind, sentence), "\(status)")
    }
    #expect(failure(302, "")?.sentence.contains("redirects") == true)
    for body in ["12 13", "{", #"{"$odd":1}"#, String(repeating: "[", count: 100)] {
      #expect(failure(200, body)?.kind == .failed, "\(body)")
    }
    let long = #"{"detail":"\#(String(repeating: "x", count: 5_000))"}"#
    #expect((failure(400, long)?.sentence.count ?? .max) <= 501)
  }

  @Test func everyFailureIsOneInEachDialect() {
    for kind in MethodFailure.Kind.allCases {
      let failure = MethodFailure(kind, "no")
      let (code, status): (RoomRefusal.Code, RTMPCallError.Kind) =
        switch kind {
        case .unknown: (.unknownMethod, .methodNotFound)
        case .denied: (.forbidden, .accessDenied)
        case .refused: (.callFailed, .invocationException)
        case .failed: (.callFailed, .generalException)
        }
      #expect(failure.refusal == RoomRefusal(code, "no") && failure.callError == RTMPCallError(status, "no"))
    }
  }

  @Test func namesWithBlanksOrControlsAreNone() {
    for name in ["echoInt", "song.next", "größer", String(repeating: "n", count: 128)] {
      #expect(MethodCall.isName(name))
    }
    for name in ["", "a b", "a\n", "a\u{0}", String(repeating: "n", count: 129)] { #expect(!MethodCall.isName(name)) }
  }
}

@Suite struct KurentoMethodCallTests {
  @Test func aCustomRequestWithAMethodIsACall() throws {
    var rig = KurentoRig.joined()
    let call = RoomCommand.call("sum", [.number(5), .string("a")])
    // A list, and the text that iOS and Android send.
    for arguments in [#"[5,"a"]"#, #""[5,\"a\"]""#] {
      let asked = rig.ask("customRequest", #"{"method":"sum","arguments":\#(arguments)}"#)
      #expect(asked.commands == [call], "\(arguments)")
      let operation = try #require(asked.operation)
      #expect(rig.feed(.replied(operation, .returned(.number(7)))).result?["value"] == 7)
    }
    let void = rig.ask("customRequest", #"{"method":"stop"}"#)
    #expect(void.commands == [.call("stop", [])])
    let result = rig.feed(.replied(try #require(void.operation), .done)).result
    #expect(result != nil && result?["value"] == nil)
    // The recorder's key has precedence.
    #expect(rig.ask("customRequest", #"{"recorder":"status","method":"sum"}"#).commands == [.snapshot])
  }

  @Test func argumentsThatAreNoListAreRefused() {
    var rig = KurentoRig.joined()
    for arguments in ["5", #""x""#, "{}", #"[{"$odd":1}]"#] {
      let answer = rig.ask("customRequest", #"{"method":"sum","arguments":\#(arguments)}"#)
      #expect(answer.code == -32_602 && answer.commands.isEmpty, "\(arguments)")
    }
    #expect(rig.ask("customRequest", #"{"method":7}"#).code == -32_601)
  }

  @Test func callsOfTheOperatorReachOnlyThoseWhoSwitchedEventsOn() {
    var rig = KurentoRig.joined()
    let push = ConversationInput<KurentoWords>.event(.push(name: "countIn", [.number(4)]))
    #expect(rig.feed(push).isEmpty)
    _ = rig.ask("customRequest", #"{"recorder":"events","value":"on"}"#)
    let texts = rig.feed(push).compactMap { if case .notify(let text) = $0 { text } else { nil } }
    #expect(texts == [KurentoNotification.custonNotification(["method": "countIn", "arguments": [4]]).text])
  }
}
