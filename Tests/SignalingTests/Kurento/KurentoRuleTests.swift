import Machines
import Music
import Testing

@testable import Signaling

/// The rules that a server must not break towards the clients as they are; the numbers are those of the wire's
/// description. Rules 1, 10 and 14 are of shapes that the transcripts show and of the HTTP upgrade.
@Suite struct KurentoRuleTests {
  private let bob = KurentoSample.member("bob", publishes: true)
  private let cy = KurentoSample.member("cy")

  @Test func rule1JoinAnswersAnObjectWithTheMembersInValue() {
    var rig = KurentoRig()
    let outputs = rig.join([bob])
    let members = outputs.result?["value"]?.array
    #expect(members == [["id": "bob", "streams": [["id": "webcam", "recvVideo": false]]]])
    #expect(outputs.result?["sessionId"]?.string == KurentoSample.session)
  }

  @Test func rule2StreamsAreEmptyForWhoDoesNotPublishButLeftOutForAndroid() {
    var iOS = KurentoRig()
    #expect(iOS.join([cy]).result?["value"] == [["id": "cy", "streams": .array([])]])
    var android = KurentoRig(traits: KurentoSample.android)
    #expect(
      android.join([cy, bob]).result?["value"] == [
        ["id": "cy"], ["id": "bob", "streams": [["id": "webcam", "recvVideo": false]]],
      ])
    var page = KurentoRig(traits: KurentoClientTraits(hasOrigin: false, hasUserAgent: true))
    #expect(page.join([cy]).result?["value"] == [["id": "cy", "streams": .array([])]])
  }

  @Test func rules3And6NotificationsHaveNoIdentifierAndAlwaysParameters() throws {
    var rig = KurentoRig.joined([bob])
    _ = rig.ask("customRequest", #"{"recorder":"events","value":"on"}"#)
    var outputs = rig.feed(.event(.joined(cy)))
    outputs += rig.feed(.event(.takeStarted(KurentoSample.take)))
    outputs += rig.feed(.event(.warning(code: .renderFailed, text: "no")))
    outputs += rig.feed(.event(.message(from: bob.participant.id, text: "hi", isPrivate: true)))
    outputs += rig.feed(.event(.closed(reason: .shutdown)))
    let texts = outputs.compactMap { if case .notify(let text) = $0 { text } else { nil } }
    #expect(texts.count == 6)
    for text in texts {
      let object = try #require(try JSONValue(parsing: text).object)
      #expect(object["id"] == nil)
      #expect(object["params"]?.object != nil)
    }
    #expect(texts.last == #"{"jsonrpc":"2.0","method":"participantEvicted","params":{}}"#)
  }

  @Test func rules4And7AResponseHasResultOrErrorAndAlwaysTheSession() {
    var rig = KurentoRig.joined([bob])
    let methods = KurentoMethod.allCases.map(\.rawValue) + ["nonsense", "ping", "connect"]
    for method in methods where method != "leaveRoom" {
      var outputs = rig.ask(method)
      if let operation = outputs.operation { outputs = rig.feed(.replied(operation, .done)) }
      let answer = outputs.answers.first
      #expect((answer?["result"] == nil) != (answer?["error"] == nil), "\(method)")
      let body = (answer?["result"] ?? answer?["error"])?.object
      #expect(body?["sessionId"]?.string == KurentoSample.session, "\(method)")
      if let error = answer?["error"]?.object { #expect(error["data"] == error["message"]) }
    }
  }

  @Test(arguments: [
    ("0", "0"), ("-1", "-1"), ("9223372036854775807", "9223372036854775807"), ("\"42\"", "42"), ("7.0", "7"),
  ])
  func rule5TheIdentifierComesBackAsANumberAnd0IsOne(given: String, echoed: String) {
    var rig = KurentoRig()
    let outputs = rig.say("{\"jsonrpc\":\"2.0\",\"id\":\(given),\"method\":\"connect\"}")
    guard case .answer(let text, _)? = outputs.first else { return _ = Issue.record("no answer") }
    #expect(text.contains("\"id\":\(echoed),\"result\""))
  }

  @Test func rule8ARepeatedJoinIsJoinedOnceAndAnsweredAgain() {
    var rig = KurentoRig()
    let text = #"{"jsonrpc":"2.0","id":0,"method":"joinRoom","params":{"user":"ann","room":"take5"}}"#
    let operation = rig.say(text).operation
    rig.now = rig.now + .seconds(5)
    #expect(rig.say(text).isEmpty)
    guard let operation else { return _ = Issue.record("no join") }
    let first = rig.feed(.joined(operation, KurentoSample.seating()))
    rig.now = rig.now + .seconds(10)
    #expect(rig.say(text) == first)
  }

  @Test(arguments: ["nonsense", "getParticipants", ""])
  func rule8UnknownMethodsAreAnswered(method: String) {
    var rig = KurentoRig()
    #expect(rig.ask(method).code == -32_601)
    _ = rig.join()
    #expect(rig.ask(method).code == -32_601)
  }

  @Test func rule9AnIdentifierAloneIsNoRepeat() {
    var rig = KurentoRig.joined()
    let text = { (method: String, parameters: String) in
      "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"\(method)\",\"params\":\(parameters)}"
    }
    let first = rig.say(text("sendMessage", #"{"message":"a","userMessage":"ann","roomMessage":"take5"}"#))
    #expect(first.commands == [.message("a", to: nil)])
    if let operation = first.operation { _ = rig.feed(.replied(operation, .done)) }
    let second = rig.say(text("sendMessage", #"{"message":"b","userMessage":"ann","roomMessage":"take5"}"#))
    #expect(second.commands == [.message("b", to: nil)])
    if let operation = second.operation { _ = rig.feed(.replied(operation, .done)) }
    #expect(rig.say(text("leaveRoom", "{}")).commands == [.leave])
  }

  @Test func rule11CandidatesMayComeBeforeTheOfferAndTheAnswer() throws {
    var rig = KurentoRig.joined([bob])
    let candidate = #"{"endpointName":"bob","candidate":"candidate:1","sdpMid":"","sdpMLineIndex":0}"#
    let early = rig.ask("onIceCandidate", candidate, answered: .done)
    #expect(early.result != nil)
    let offer = rig.ask("receiveVideoFrom", #"{"sender":"bob_webcam","sdpOffer":"v=0"}"#)
    // The label of the candidate is that of the offer.
    #expect(
      offer.commands == [.subscribe(KurentoSample.label("sub-0"), to: .participant(bob.participant.id), offer: "v=0")])
    // Another request of the client waits for the answer, it is not lost.
    #expect(rig.ask("onIceCandidate", candidate).isEmpty)
    let operation = try #require(offer.operation)
    let answered = rig.feed(.replied(operation, .answer(Sample.peer, sdp: KurentoSample.answer)))
    #expect(
      answered.commands == [
        .candidate(KurentoSample.label("sub-0"), CandidateMessage(candidate: "candidate:1", mid: nil, mLineIndex: 0))
      ])
    // Nobody of that name: accepted and queued.
    #expect(rig.feed(.refused(answered.newest, RoomRefusal(.unknownPeer, "gone"))).result != nil)
    let unknown = rig.ask("onIceCandidate", #"{"endpointName":"dan","candidate":"candidate:1"}"#)
    #expect(unknown.commands.count == 1)
  }

  @Test(arguments: [
    ("my_own_band_webcam", "my_own_band"), ("bob_webcam", "bob"), ("bob", "bob"), ("my_own_band", "my_own_band"),
    ("bob_screen", "bob"),
  ])
  func rule12TheSenderIsCutAtTheLastUnderscore(sender: String, name: String) throws {
    var rig = KurentoRig.joined([bob, KurentoSample.member("my_own_band", publishes: true)])
    let outputs = rig.ask("receiveVideoFrom", "{\"sender\":\"\(sender)\",\"sdpOffer\":\"v=0\"}")
    #expect(
      outputs.commands == [
        .subscribe(KurentoSample.label("sub-0"), to: .participant(KurentoSample.id(name)), offer: "v=0")
      ])
    let operation = try #require(outputs.operation)
    _ = rig.feed(.replied(operation, .answer(Sample.peer, sdp: KurentoSample.answer)))
    let told = rig.feed(.event(.candidate(KurentoSample.label("sub-0"), KurentoSample.candidate))).told
    #expect(told.first?.hasPrefix("iceCandidate \(name) ") == true)
  }

  @Test(arguments: ["3", "\"3\"", "3.0"])
  func rule13TheLineIndexIsTakenAsNumberOrString(index: String) {
    var rig = KurentoRig.joined()
    let outputs = rig.ask(
      "onIceCandidate", "{\"endpointName\":\"ann\",\"candidate\":\"c\",\"sdpMid\":\"0\",\"sdpMLineIndex\":\(index)}")
    #expect(
      outputs.commands == [
        .candidate(KurentoSample.label("publish"), CandidateMessage(candidate: "c", mid: "0", mLineIndex: 3))
      ])
  }

  @Test func rule13OurCandidatesHaveAMidAndAnIndexAndNoEnd() {
    var rig = KurentoRig.joined()
    let offer = rig.ask("publishVideo", #"{"sdpOffer":"v=0"}"#)
    let label = KurentoSample.label("publish")
    // Before the answer nobody knows to which section it belongs.
    #expect(rig.feed(.event(.candidate(label, KurentoSample.candidate))).isEmpty)
    guard let operation = offer.operation else { return _ = Issue.record("no offer") }
    let outputs = rig.feed(.replied(operation, .answer(label, sdp: KurentoSample.answer)))
    guard case .answer = outputs.first, case .notify(let text) = outputs.last else {
      return _ = Issue.record("the answer does not come first")
    }
    #expect(text.hasSuffix(#""sdpMid":"audio","sdpMLineIndex":0}}"#))
    #expect(rig.feed(.event(.candidate(label, .end))).isEmpty)
  }

  @Test func rule15TheJoinIsAnsweredBeforeAnythingIsToldAndJoinedComesBeforePublished() throws {
    var rig = KurentoRig()
    let operation = try #require(rig.ask("joinRoom", #"{"user":"ann","room":"take5"}"#).operation)
    #expect(rig.feed(.event(.joined(bob))).isEmpty)
    let outputs = rig.feed(.joined(operation, KurentoSample.seating(KurentoSample.snapshot([cy]))))
    guard case .answer = outputs.first else { return _ = Issue.record("the answer does not come first") }
    #expect(outputs.told == ["participantJoined bob", "participantPublished bob"])
    // Who is in the list is not told again.
    #expect(rig.feed(.event(.joined(cy))).isEmpty)
  }
}

extension [KurentoServer.Output] {
  /// The operation that was asked for last.
  fileprivate var newest: OperationNumber {
    for output in reversed() { if case .perform(let operation, _) = output { return operation } }
    return OperationNumber(0)
  }
}
