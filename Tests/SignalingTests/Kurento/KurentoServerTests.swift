import Machines
import Music
import Testing

@testable import Signaling

@Suite struct KurentoServerTests {
  private let bob = KurentoSample.member("bob", publishes: true)

  @Test func joinCarriesTheExtensions() {
    var rig = KurentoRig()
    let outputs = rig.ask(
      "joinRoom", #"{"user":"ann","room":"take 5","dataChannels":"?","token":"t","part":"bass","consent":"false"}"#)
    let request = JoinRequest(name: DisplayName("ann") ?? Sample.ada.name, part: "bass", consents: false)
    guard case .join(_, let entry)? = outputs.first, entry.request == request, entry.token == "t" else {
      return _ = Issue.record("\(outputs)")
    }
    #expect(entry.room.description == "take 5")
  }

  @Test func listenersAreInvisibleButMayWrite() {
    let listener = KurentoSample.member("lis", publishes: true, role: .listener)
    var rig = KurentoRig()
    #expect(rig.join([listener]).result?["value"] == .array([]))
    let other = KurentoSample.member("lou", role: .listener)
    #expect(rig.feed(.event(.joined(other))).isEmpty)
    #expect(
      rig.feed(.event(.message(from: other.participant.id, text: "hi", isPrivate: false))).told
        == ["sendMessage take5 lou hi"])
    #expect(rig.feed(.event(.left(other.participant.id))).isEmpty)
  }

  @Test func publishingIsTheNegotiatedConnectionNotTheSound() {
    var rig = KurentoRig.joined([KurentoSample.member("bob")])
    #expect(rig.feed(.event(.published(bob.participant.id))).isEmpty)
    #expect(rig.feed(.event(.changed(bob))).told == ["participantPublished bob"])
    #expect(rig.feed(.event(.changed(bob))).isEmpty)
    #expect(rig.feed(.event(.unpublished(bob.participant.id))).isEmpty)
    #expect(rig.feed(.event(.changed(KurentoSample.member("bob")))).told == ["participantUnpublished bob"])
    #expect(rig.feed(.event(.left(bob.participant.id))).told == ["participantLeft bob"])
    #expect(rig.feed(.event(.left(bob.participant.id))).isEmpty)
    #expect(rig.feed(.event(.changed(KurentoSample.member("ann", publishes: true)))).isEmpty)
  }

  @Test func whoStopsTakesTheSubscriptionsAlong() throws {
    var rig = KurentoRig.joined([bob])
    _ = rig.subscribe(to: "bob_webcam")
    let outputs = rig.feed(.event(.changed(KurentoSample.member("bob"))))
    #expect(outputs.commands == [.close(KurentoSample.label("sub-0"))])
    #expect(outputs.told == ["participantUnpublished bob"])
    // What the room answers to it reaches no client.
    let operation = try #require(outputs.operation)
    #expect(rig.feed(.refused(operation, RoomRefusal(.unknownPeer, ""))).isEmpty)
    // Published again, the connection has another label.
    _ = rig.feed(.event(.changed(bob)))
    let again = rig.ask("receiveVideoFrom", #"{"sender":"bob_webcam","sdpOffer":"v=0"}"#)
    #expect(
      again.commands == [.subscribe(KurentoSample.label("sub-1"), to: .participant(bob.participant.id), offer: "v=0")])
  }

  @Test func aSubscriptionThatIsOvertakenByALeaveIsClosedWhenItIsMade() {
    var rig = KurentoRig.joined([bob])
    let offer = rig.ask("receiveVideoFrom", #"{"sender":"bob_webcam","sdpOffer":"v=0"}"#)
    #expect(rig.feed(.event(.left(bob.participant.id))).commands.isEmpty)
    guard let operation = offer.operation else { return _ = Issue.record("no offer") }
    let outputs = rig.feed(.replied(operation, .answer(Sample.peer, sdp: KurentoSample.answer)))
    #expect(outputs.result?["sdpAnswer"]?.string == KurentoSample.answer)
    #expect(outputs.commands == [.close(KurentoSample.label("sub-0"))])
  }

  @Test func aSecondOfferReplacesUnderTheSameLabelAndHoldsItsCandidates() throws {
    var rig = KurentoRig.joined([bob])
    _ = rig.subscribe(to: "bob_webcam")
    let label = KurentoSample.label("sub-0")
    #expect(rig.feed(.event(.candidate(label, KurentoSample.candidate))).told.count == 1)
    let second = rig.ask("receiveVideoFrom", #"{"sender":"bob_webcam","sdpOffer":"v=1"}"#)
    #expect(second.commands == [.subscribe(label, to: .participant(bob.participant.id), offer: "v=1")])
    #expect(rig.feed(.event(.candidate(label, KurentoSample.candidate))).isEmpty)
    let operation = try #require(second.operation)
    let refused = rig.feed(.refused(operation, RoomRefusal(.invalidDescription, "no")))
    #expect(refused.code == 302)
    // The former connection stands on, and may be given up.
    #expect(rig.ask("unsubscribeFromVideo", #"{"sender":"bob_webcam"}"#).commands == [.close(label)])
  }

  @Test func unsubscribingWithoutASubscriptionSucceedsAtOnce() {
    var rig = KurentoRig.joined([bob])
    #expect(rig.ask("unsubscribeFromVideo", #"{"sender":"bob_webcam"}"#).result?["sdpAnswer"] == "")
    _ = rig.subscribe(to: "bob")
    let outputs = rig.ask("unsubscribeFromVideo", #"{"sender":"bob"}"#)
    guard let operation = outputs.operation else { return _ = Issue.record("nothing was closed") }
    #expect(rig.feed(.refused(operation, RoomRefusal(.unknownPeer, ""))).result?["sdpAnswer"] == "")
  }

  @Test(arguments: [
    ("mix", AudioSource.mix), ("mix_webcam", .mix), ("mix-minus", .mixMinus), ("mix-minus_webcam", .mixMinus),
  ])
  func theMixIsASender(sender: String, source: AudioSource) {
    var rig = KurentoRig.joined()
    let outputs = rig.ask("receiveVideoFrom", "{\"sender\":\"\(sender)\",\"sdpOffer\":\"v=0\"}")
    #expect(outputs.commands == [.subscribe(KurentoSample.label("sub-0"), to: source, offer: "v=0")])
  }

  @Test func aMusicianWhoIsCalledMixGoesFirst() {
    var rig = KurentoRig.joined([KurentoSample.member("mix", publishes: true)])
    let outputs = rig.ask("receiveVideoFrom", #"{"sender":"mix_webcam","sdpOffer":"v=0"}"#)
    #expect(
      outputs.commands == [
        .subscribe(KurentoSample.label("sub-0"), to: .participant(KurentoSample.id("mix")), offer: "v=0")
      ])
  }

  @Test(arguments: [("true", true), ("1", true), ("\"true\"", true), ("0", false), ("false", false), ("null", false)])
  func loopbackIsTakenAsTruthOrNumber(text: String, expected: Bool) {
    var rig = KurentoRig.joined()
    let outputs = rig.ask("publishVideo", "{\"sdpOffer\":\"v=0\",\"doLoopback\":\(text)}")
    #expect(outputs.commands == [.publish(KurentoSample.label("publish"), offer: "v=0", loopsBack: expected)])
  }

  @Test func publishingMayEndAndBeginAgain() {
    var rig = KurentoRig.joined()
    for _ in 0..<3 {
      #expect(rig.publish().result?["sdpAnswer"]?.string == KurentoSample.answer)
      #expect(rig.ask("unpublishVideo", answered: .done).result != nil)
    }
    #expect(rig.ask("unpublishVideo").code == 105)
  }

  @Test func anOwnMessageIsToldAfterItsAnswer() throws {
    var rig = KurentoRig.joined([bob])
    let say = rig.ask("sendMessage", #"{"message":"a","userMessage":"ann","roomMessage":"take5"}"#)
    #expect(rig.feed(.event(.message(from: KurentoSample.id("ann"), text: "a", isPrivate: false))).isEmpty)
    #expect(rig.feed(.event(.message(from: bob.participant.id, text: "b", isPrivate: false))).told.count == 1)
    let operation = try #require(say.operation)
    let outputs = rig.feed(.replied(operation, .done))
    #expect(outputs.answers.count == 1)
    #expect(outputs.told == ["sendMessage take5 ann a"])
  }

  @Test func longMessagesAreFewerThanShortOnes() {
    var rig = KurentoRig.joined([bob])
    let say = { (count: Int) in
      let text = String(repeating: "x", count: count)
      return "{\"message\":\"\(text)\",\"userMessage\":\"ann\",\"roomMessage\":\"take5\"}"
    }
    for _ in 0..<8 {
      #expect(rig.ask("sendMessage", say(65_536), answered: .done).result != nil)
    }
    #expect(rig.ask("sendMessage", say(65_536)).code == 999)
    #expect(rig.ask("sendMessage", say(16_000), answered: .done).result != nil)
    rig.now = rig.now + .seconds(1)
    #expect(rig.ask("sendMessage", say(65_536), answered: .done).result != nil)
  }

  @Test func leavingIsAnsweredThenTheSessionEnds() {
    var rig = KurentoRig.joined()
    let outputs = rig.ask("leaveRoom", answered: .done)
    #expect(outputs.result != nil)
    #expect(outputs.last == .end(code: 1000, reason: "leaveRoom"))
    #expect(rig.ask("ping").isEmpty)
    #expect(rig.server.deadline == nil)
  }

  @Test(arguments: [
    (RoomEvent.ClosingReason.replaced, ["participantEvicted"], UInt16(1000)),
    (.tooSlow, ["participantEvicted"], 1013), (.kicked, ["participantEvicted"], 1000),
    (.roomClosed, ["roomClosed take5", "participantEvicted"], 1000),
    (.shutdown, ["roomClosed take5", "participantEvicted"], 1001),
  ])
  func theRoomsEndIsToldAndUnansweredRequestsAreAnswered(
    reason: RoomEvent.ClosingReason, told: [String], code: UInt16
  ) {
    var rig = KurentoRig.joined()
    _ = rig.ask("publishVideo", #"{"sdpOffer":"v=0"}"#)
    _ = rig.ask("unpublishVideo")
    let outputs = rig.feed(.event(.closed(reason: reason)))
    #expect(outputs.told == told)
    #expect(outputs.answers.map { $0["error"]?.object?["code"]?.integer } == [-32_000, -32_000])
    #expect(outputs.last == .end(code: code, reason: reason.rawValue))
    #expect(rig.feed(.event(.left(bob.participant.id))).isEmpty)
  }

  @Test func failuresAreMediaErrors() {
    var rig = KurentoRig.joined([bob])
    _ = rig.subscribe(to: "bob_webcam")
    let failed = rig.feed(.event(.peer(KurentoSample.label("sub-0"), .failed))).told
    #expect(failed == ["mediaError ICE: the connection of bob failed; offer it again"])
    #expect(rig.feed(.event(.peer(KurentoSample.label("sub-0"), .connected))).isEmpty)
    #expect(rig.feed(.event(.peer(KurentoSample.label("sub-9"), .failed))).isEmpty)
    #expect(
      rig.feed(.event(.warning(code: .recordingDegraded, text: "disk full"))).told == ["mediaError RECORDER: disk full"]
    )
    #expect(rig.feed(.event(.warning(code: .recordingRecovered, text: "again"))).isEmpty)
  }

  @Test func inventedEndpointNamesAreBounded() {
    var rig = KurentoRig.joined()
    for number in 0..<KurentoLegs.maximumNames {
      let parameters = "{\"endpointName\":\"x\(number)\",\"candidate\":\"c\"}"
      #expect(rig.ask("onIceCandidate", parameters, answered: .done).result != nil)
    }
    #expect(rig.ask("onIceCandidate", #"{"endpointName":"more","candidate":"c"}"#).code == 303)
    #expect(rig.ask("onIceCandidate", #"{"endpointName":"x0","candidate":"c"}"#, answered: .done).result != nil)
    let long = String(repeating: "x", count: KurentoLegs.maximumNameBytes + 1)
    #expect(rig.ask("onIceCandidate", "{\"endpointName\":\"\(long)\",\"candidate\":\"c\"}").code == 102)
  }

  @Test func bigThingsAreRefusedByTheirSize() {
    var rig = KurentoRig.joined()
    let sdp = String(repeating: "a", count: JSONRPCFields.maximumDescriptionBytes + 1)
    #expect(rig.ask("publishVideo", "{\"sdpOffer\":\"\(sdp)\"}").code == 302)
    let candidate = String(repeating: "c", count: JSONRPCFields.maximumCandidateBytes + 1)
    #expect(rig.ask("onIceCandidate", "{\"endpointName\":\"ann\",\"candidate\":\"\(candidate)\"}").code == 306)
    #expect(rig.say(String(repeating: " ", count: JSONLimits.signaling.bytes + 1)).code == -32_700)
    #expect(rig.feed(.unreadable("binary messages are not taken here", from: KurentoSample.link)).code == -32_600)
  }
}
