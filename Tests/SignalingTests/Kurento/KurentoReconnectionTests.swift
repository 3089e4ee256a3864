import Machines
import Music
import Testing

@testable import Signaling

@Suite struct KurentoReconnectionTests {
  private let bob = KurentoSample.member("bob", publishes: true)
  private let cy = KurentoSample.member("cy", publishes: true)

  @Test func whatWasMissedIsToldAfterTheAnswer() {
    var rig = KurentoRig.joined([bob, cy])
    _ = rig.subscribe(to: "bob_webcam")
    _ = rig.ask("customRequest", #"{"recorder":"events","value":"on"}"#)
    _ = rig.feed(.linkLost(KurentoSample.link))
    let now = KurentoSample.snapshot(
      [KurentoSample.member("ann"), KurentoSample.member("cy"), KurentoSample.member("dan", publishes: true)],
      take: KurentoSample.take)
    let outputs = rig.feed(.resumed(JSONRPCID(4), on: KurentoSample.otherLink, now))
    guard case .answer(let text, KurentoSample.otherLink)? = outputs.first else { return _ = Issue.record("no answer") }
    #expect(text.contains(#""value":"reconnection successful","sessionId":"5kq8v0a1rt7c""#))
    #expect(
      outputs.told == [
        "participantLeft bob", "participantUnpublished cy", "participantJoined dan", "participantPublished dan",
        "custonNotification take.started \(KurentoSample.take.id) Solar",
      ])
    #expect(outputs.commands == [.close(KurentoSample.label("sub-0"))])
    #expect(rig.feed(.resumed(JSONRPCID(5), on: KurentoSample.link, now)).told.isEmpty)
  }

  @Test func missedMessagesAreToldUnderTheNamesOfTheirAuthorsAlsoOfThoseWhoLeft() {
    var rig = KurentoRig.joined([bob])
    _ = rig.feed(.linkLost(KurentoSample.link))
    _ = rig.feed(
      .resumed(JSONRPCID(4), on: KurentoSample.otherLink, KurentoSample.snapshot([KurentoSample.member("ann")])))
    let eve = KurentoSample.member("eve").participant
    var told: [String] = []
    for (author, text) in [(bob.participant, "one"), (eve, "two\nlines")] {
      told += rig.feed(.event(.missed(from: author, text: text, isPrivate: false))).told
    }
    #expect(told == ["sendMessage take5 bob one", "sendMessage take5 eve two\nlines"])
  }

  @Test func aSessionThatHadNotJoinedIsOnlyAnswered() {
    var rig = KurentoRig()
    #expect(rig.feed(.resumed(JSONRPCID(4), on: KurentoSample.link, nil)).count == 1)
  }

  @Test func anAnswerOfALostLinkGoesToTheNextOne() throws {
    var rig = KurentoRig.joined()
    let outputs = rig.ask("publishVideo", #"{"sdpOffer":"v=0"}"#)
    _ = rig.feed(.linkLost(KurentoSample.link))
    _ = rig.feed(.resumed(JSONRPCID(1), on: KurentoSample.otherLink, KurentoSample.snapshot()))
    let operation = try #require(outputs.operation)
    let answer = rig.feed(.replied(operation, .answer(Sample.peer, sdp: KurentoSample.answer))).first
    guard case .answer(_, KurentoSample.otherLink)? = answer else { return _ = Issue.record("\(answer as Any)") }
  }

  @Test func anAnswerThatNobodyWaitsForIsKeptForTheRepeat() throws {
    var rig = KurentoRig.joined()
    let text = #"{"jsonrpc":"2.0","id":5,"method":"publishVideo","params":{"sdpOffer":"v=0"}}"#
    let operation = try #require(rig.say(text).operation)
    _ = rig.feed(.linkLost(KurentoSample.link))
    #expect(rig.feed(.replied(operation, .answer(Sample.peer, sdp: KurentoSample.answer))).isEmpty)
    let again = rig.say(text, from: KurentoSample.otherLink)
    #expect(again.result?["sdpAnswer"]?.string == KurentoSample.answer)
    #expect(again.commands.isEmpty)
  }

  @Test func connectNamesAnotherSessionOrThisOne() {
    var rig = KurentoRig()
    let connect = { (parameters: String) in
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"connect\",\"params\":\(parameters)}"
    }
    #expect(
      rig.say(connect(#"{"sessionId":"other"}"#)) == [
        .resume(sessionID: "other", JSONRPCID(1), on: KurentoSample.link)
      ])
    #expect(rig.feed(.unknownSession(JSONRPCID(1), on: KurentoSample.link)).code == 40_007)
    #expect(rig.say(connect("{}")).result?["value"] == "OK")
    #expect(rig.say(connect(#"{"sessionId":"5kq8v0a1rt7c"}"#)).result?["value"] == "reconnection successful")
    #expect(rig.say(connect(#"{"sessionId":7}"#)).code == -32_602)
  }

  @Test func theSessionOfATextIsFoundWithoutAMachine() {
    let name = { (text: String) in JSONRPCSessionName.named(by: text) }
    #expect(name(#"{"id":1,"method":"leaveRoom","params":{"sessionId":"abc"}}"#) == "abc")
    #expect(name(#"{"id":1,"method":"leaveRoom","params":{"sessionId":7}}"#) == nil)
    #expect(name(#"{"id":1,"method":"leaveRoom"}"#) == nil)
    #expect(name("{") == nil)
  }
}
