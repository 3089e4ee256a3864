import Machines
import Music
import Testing

@testable import Signaling

/// Calls: two in a channel, the second offers.
@Suite struct RemonCallTests {
  private static let candidate =
    #"{"candidate":"candidate:1 1 udp 1 192.0.2.7 9 typ host","sdpMid":"0","sdpMLineIndex":0}"#

  @Test func theFirstMakesTheChannelAndWaits() {
    var rig = RemonRig()
    let first = rig.send("connect", ["channel": ["id": "take5", "type": "P2P"]])
    #expect(first.commands == [.present(token: "tok-anna", serviceID: "band")])
    let bound = rig.bind()
    let entry = bound.entries.first
    #expect(entry?.room.description == "take5" && entry?.part == .caller)
    #expect(entry?.request.name.description == "anna" && entry?.request.door == .remon)
    #expect(entry?.request.meta == #"{"name":"anna"}"#)
    let joined = rig.join([])
    #expect(joined.told == ["onCreate WAIT"])
    let channel = joined.frames.first?["channel"]?.object
    #expect(channel?["id"] == "take5" && channel?["type"] == "P2P")
  }

  @Test func theSecondConnectsAndOffers() {
    var rig = RemonRig.entering("connect", ["id": "take5", "type": "P2P"])
    #expect(rig.join(["bob"]).told == ["onConnect CONNECT"])
    let offered = rig.describe("offer")
    guard case .exchange(let label, let other, let sdp?)? = offered.asked.first else {
      Issue.record("\(offered)")
      return
    }
    #expect(other == KurentoSample.id("bob") && sdp == RemonRig.offer)
    let answered = rig.answer(.room(.answer(label, sdp: KurentoSample.answer)))
    let body = answered.frames.first?["body"]?.string ?? ""
    let description = (try? JSONValue(parsing: body))?.object
    #expect(answered.frames.first?["command"] == "onSdp" && description?["type"] == "answer")
    let candidate = rig.send("ice", ["body": .string(RemonCallTests.candidate)])
    #expect(candidate.asked.count == 1)
  }

  @Test func theFirstIsOfferedToAndAnswers() {
    var rig = RemonRig.call()
    let arrived = rig.arrives("bob")
    guard case .exchange(let label, let other, nil)? = arrived.asked.first else {
      Issue.record("\(arrived)")
      return
    }
    #expect(other == KurentoSample.id("bob"))
    // Candidates of ours wait for the offer that tells their section.
    #expect(rig.event(.candidate(label, KurentoSample.candidate)).isEmpty)
    let offered = rig.answer(.room(.offer(label, sdp: KurentoSample.answer)))
    #expect(offered.frames.map { $0["command"] } == ["onSdp", "onIce"])
    let answered = rig.describe("answer", KurentoSample.answer)
    guard case .answer(label, _)? = answered.asked.first else {
      Issue.record("\(answered)")
      return
    }
  }

  @Test func aThirdIsToldThatTheCallIsBusy() {
    var rig = RemonRig.entering("connect", ["id": "take5", "type": "P2P"])
    guard let (operation, _) = rig.lastJoin else { return }
    let refused = rig.feed(.refused(operation, RoomRefusal(.roomFull, "full")))
    #expect(refused.told == ["onError 2010"])
    // Two came at once: the later one leaves again.
    var late = RemonRig.entering("connect", ["id": "take5", "type": "P2P"])
    let joined = late.join(["bob", "cy"])
    #expect(joined.told == ["onError 2010"] && joined.asked == [.leave])
    // The client may try another channel.
    #expect(late.send("connect", ["channel": ["id": "other", "type": "P2P"]]).entries.count == 1)
  }

  @Test func whoComesBackAfterAReloadFindsNoBusyCall() {
    var rig = RemonRig.entering("connect", ["id": "take5", "type": "P2P"])
    #expect(rig.join(["ghost", "bob"], away: ["ghost"]).told == ["onConnect CONNECT"])
    guard case .exchange(_, let other, _)? = rig.describe("offer").asked.first else {
      Issue.record("nobody to speak with")
      return
    }
    #expect(other == KurentoSample.id("bob"))
  }

  @Test func whoLeavesAndWhoIsLostAreTwoThings() {
    var rig = RemonRig.call(["bob"])
    #expect(rig.leaves("bob").told == ["onDisconnectChannel CLOSE"])
    var other = RemonRig.call(["bob"])
    _ = other.event(.state(KurentoSample.id("bob"), .away))
    let lost = other.leaves("bob").frames.first
    #expect(lost?["command"] == "onStateChange" && lost?["body"] == "CLOSE")
    // Whoever was lost for a moment, came back, and leaves.
    var back = RemonRig.call(["bob"])
    _ = back.event(.state(KurentoSample.id("bob"), .away))
    _ = back.event(.state(KurentoSample.id("bob"), .connected))
    #expect(back.leaves("bob").told == ["onDisconnectChannel CLOSE"])
    // A moderator's removal is no loss.
    var kicked = RemonRig.call(["bob"])
    let closed = kicked.event(.closed(reason: .kicked))
    #expect(closed.frames.first?["command"] == "onDisconnectChannel" && closed.end == 1008)
    var stopped = RemonRig.call(["bob"])
    let shutdown = stopped.event(.closed(reason: .shutdown))
    #expect(shutdown.frames.first?["body"] == "CLOSE" && shutdown.end == 1001)
    // One's own.
    var mine = RemonRig.call(["bob"])
    #expect(mine.send("disconnect").asked == [.leave])
    #expect(mine.answer(.room(.done)).end == 1000)
  }

  @Test func aFailedConnectionIsToldAsFail() {
    var rig = RemonRig.call(["bob"])
    guard case .exchange(let label, _, _)? = rig.describe("offer").asked.first else { return }
    _ = rig.answer(.room(.answer(label, sdp: KurentoSample.answer)))
    #expect(rig.event(.peer(label, .failed)).frames.first?["body"] == "FAIL")
    #expect(rig.event(.peer(label, .failed)).isEmpty, "once")
    // Offered again, it is a new connection.
    guard case .exchange(let second, _, _)? = rig.describe("offer").asked.first else {
      Issue.record("no new connection")
      return
    }
    #expect(second != label)
  }

  @Test func theSameConnectionIsRestarted() {
    var rig = RemonRig.call(["bob"])
    guard case .exchange(let label, _, _)? = rig.describe("offer").asked.first else { return }
    _ = rig.answer(.room(.answer(label, sdp: KurentoSample.answer)))
    #expect(rig.describe("offer").asked == [.restart(label, offer: RemonRig.offer)])
    let another = RemonRig.offer.replacing("o=- 1 ", with: "o=- 2 ")
    guard case .close(label)? = rig.describe("offer", another).asked.first else {
      Issue.record("the former connection stays")
      return
    }
  }

  @Test func aThirdByAnotherProtocolIsMixedIn() {
    var rig = RemonRig.call(["bob"])
    guard case .exchange(let label, _, _)? = rig.describe("offer").asked.first else { return }
    _ = rig.answer(.room(.answer(label, sdp: KurentoSample.answer)))
    #expect(rig.arrives("cy").asked == [.redirect(label, to: .mixMinus)])
    let alone = rig.leaves("bob")
    #expect(alone.asked == [.redirect(label, to: .participant(KurentoSample.id("cy")))])
    #expect(alone.frames.isEmpty, "the call goes on")
  }

  @Test func twoOfAMeshSpeakDirectly() {
    var rig = RemonRig.call(topology: .mesh)
    #expect(rig.arrives("bob", isDirect: true).asked.isEmpty, "the second offers")
    let frame = RemonFrame("onSdp", body: "unread")
    let relayed = rig.feed(.event(.relayed(frame, from: KurentoSample.id("bob")))).frames.first
    #expect(relayed?["body"] == "unread" && relayed?["token"] == "tok-anna")
    let answered = rig.describe("answer")
    guard case .relay(let passed, to: KurentoSample.id("bob"))? = answered.commands.first else {
      Issue.record("\(answered)")
      return
    }
    #expect(passed.command == "onSdp" && passed.token == nil)
    // Nobody else gets a word in.
    #expect(rig.feed(.event(.relayed(frame, from: KurentoSample.id("cy")))).isEmpty)
    // A musician of another protocol is met at Jamjar.
    var mixed = RemonRig.call(topology: .mesh)
    #expect(mixed.arrives("bob").asked.count == 1)
  }

  @Test func messagesAndPingsPass() {
    var rig = RemonRig.call(["bob"])
    #expect(rig.send("message", ["body": "count in", "code": ""]).asked == [.message("count in", to: nil)])
    let told = rig.event(.message(from: KurentoSample.id("bob"), text: "ready", isPrivate: false)).frames.first
    #expect(told?["command"] == "onMessage" && told?["body"] == "ready")
    #expect(rig.event(.message(from: KurentoSample.id("anna"), text: "mine", isPrivate: false)).isEmpty)
    #expect(rig.advance(by: .seconds(15)).told == ["ping "])
    #expect(rig.send("pong").isEmpty)
  }

  @Test func aNameThatIsTakenGetsTheTokensFirstLetters() {
    var rig = RemonRig.entering("connect", ["id": "take5", "type": "P2P"])
    guard let (operation, _) = rig.lastJoin else { return }
    let again = rig.feed(.refused(operation, RoomRefusal(.nameTaken, "taken")))
    #expect(again.entries.first?.request.name.description == "anna tok-an")
    guard let (second, _) = rig.lastJoin else { return }
    #expect(rig.feed(.refused(second, RoomRefusal(.nameTaken, "taken"))).told == ["onError 500"])
  }
}
