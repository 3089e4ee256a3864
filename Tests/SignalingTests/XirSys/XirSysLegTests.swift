import Machines
import Music
import Testing

@testable import Signaling

/// The media server in the middle: connections that end at Jamjar under the other musicians' names.
@Suite struct XirSysLegTests {
  private static let answer = """
    v=0\r\no=- 2 2 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\na=group:BUNDLE 0 video\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r
    a=mid:0\r\na=sendrecv\r\nm=video 9 UDP/TLS/RTP/SAVPF 100\r\na=mid:video\r\na=inactive\r\n
    """
  private static let ours = "candidate:1 1 UDP 2015363327 198.51.100.7 40012 typ host"

  @Test func aNewcomerIsOfferedAConnectionForEverybodyPresent() throws {
    var rig = XirSysRig()
    let outputs = rig.join(["bob", "carl"])
    #expect(outputs.told == ["peers server"])
    #expect(outputs.commands.count == 2)
    let asked = try #require(outputs.asked.first)
    guard case .exchange(let label, let other, nil) = asked.command else {
      Issue.record("\(asked.command)")
      return
    }
    #expect(other == KurentoSample.id("bob"))
    let frame = try #require(rig.feed(.replied(asked.operation, .offer(label, sdp: XirSysRig.offer))).frames.first)
    #expect(frame["type"] == "offer" && frame["userid"] == "bob")
    let data = try #require(frame["message"]?.object?["data"]?.object)
    #expect(data["connectionId"]?.string?.isEmpty == false)
    // PerchRTC crashes at an offer without a video section.
    let sdp = try #require(data["offer"]?.object?["sdp"]?.string)
    #expect(
      sdp.contains("\r\nm=video ") && sdp.contains("a=group:BUNDLE 0 video\r\n") && sdp.contains("a=inactive\r\n"))

    // The answer has two sections, the room's offer one.
    let description: JSONValue = ["sdp": .string(XirSysLegTests.answer), "type": "answer"]
    let answered = rig.send(
      "answer", to: "bob", ["connectionId": data["connectionId"] ?? .null, "answer": description])
    guard case .answer(label, let text)? = answered.commands.first else {
      Issue.record("\(answered)")
      return
    }
    #expect(!text.contains("m=video") && text.contains("a=group:BUNDLE 0\r\n"))
  }

  @Test func anOfferToSomebodyIsAnsweredInThatName() throws {
    var rig = XirSysRig.joined()
    _ = rig.arrives("bob")
    let asked = try #require(rig.offer(to: "bob", connection: "c1").asked.first)
    guard case .exchange(let label, _, XirSysRig.offer?) = asked.command else {
      Issue.record("\(asked.command)")
      return
    }
    // Our candidates wait for our answer, and say where they belong.
    let candidate = CandidateMessage(candidate: XirSysLegTests.ours)
    #expect(rig.event(.candidate(label, candidate)).texts.isEmpty)
    let outputs = rig.feed(.replied(asked.operation, .answer(label, sdp: KurentoSample.answer)))
    #expect(outputs.told == ["answer bob", "ice bob"])
    let data = outputs.frames.last?["message"]?.object?["data"]?.object
    #expect(data?["connectionId"] == "c1")
    #expect(data?["iceCandidate"]?.object?["id"] == "audio" && data?["iceCandidate"]?.object?["label"] == 0)
  }

  @Test func candidatesOfTheVideoLeadNowhere() throws {
    var rig = XirSysRig.joined()
    _ = rig.arrives("bob")
    _ = rig.offer(to: "bob", connection: "c1")
    let video: JSONValue = ["label": 1, "id": "video", "candidate": .string(XirSysLegTests.ours)]
    #expect(rig.send("ice", to: "bob", ["connectionId": "c1", "iceCandidate": video]).isEmpty)
    let audio: JSONValue = ["label": 0, "id": "audio", "candidate": .string(XirSysLegTests.ours)]
    #expect(rig.send("ice", to: "bob", ["connectionId": "c1", "iceCandidate": audio]).commands.count == 1)
  }

  /// A rig whose connection to "bob" was offered by the client and stands.
  private func open(_ rig: inout XirSysRig) throws -> PeerLabel {
    _ = rig.arrives("bob")
    let asked = try #require(rig.offer(to: "bob", connection: "c1").asked.first)
    guard case .exchange(let label, _, _) = asked.command else { throw RoomRefusal(.malformed, "no exchange") }
    _ = rig.feed(.replied(asked.operation, .answer(label, sdp: KurentoSample.answer)))
    _ = rig.event(.peer(label, .connected))
    return label
  }

  @Test func anotherOfferOfTheSameConnectionRenewsIt() throws {
    var rig = XirSysRig.joined()
    let label = try open(&rig)
    guard case .restart(label, XirSysRig.offer)? = rig.offer(to: "bob", connection: "c1").commands.first else {
      Issue.record("no restart")
      return
    }
  }

  @Test func anotherConnectionReplacesTheFormer() throws {
    var rig = XirSysRig.joined()
    let label = try open(&rig)
    let commands = rig.offer(to: "bob", connection: "c2").commands
    #expect(commands.first == .close(label) && commands.count == 2)
  }

  @Test func aRefusedOfferIsHungUp() throws {
    var rig = XirSysRig.joined()
    _ = rig.arrives("bob")
    let asked = try #require(rig.offer(to: "bob", connection: "c1").asked.first)
    let outputs = rig.feed(.refused(asked.operation, RoomRefusal(.invalidDescription, "no")))
    #expect(outputs.told == ["bye bob"])
  }

  @Test func aGoodbyeGoesToTheOtherAndEndsBothEnds() throws {
    var rig = XirSysRig.joined()
    let label = try open(&rig)
    let outputs = rig.send("bye", to: "bob", ["connectionId": "c1", "bye": [:]])
    #expect(outputs.commands == [.close(label)])
    #expect(outputs.relayed.map(\.1) == ["bob"])
    // The one who is hung up on.
    var other = XirSysRig.joined()
    let theirs = try open(&other)
    let told = other.feed(.event(.relayed(XirSysMessage(.bye), from: "bob")))
    #expect(told.told == ["bye bob"] && told.commands == [.close(theirs)])
    // Once.
    #expect(other.feed(.event(.relayed(XirSysMessage(.bye), from: "bob"))).isEmpty)
  }

  @Test func whoLeavesSaysGoodbyeBeforeTheyAreRemoved() throws {
    var rig = XirSysRig.joined()
    let label = try open(&rig)
    let outputs = rig.leaves("bob")
    #expect(outputs.told == ["bye bob", "peer_removed bob"])
    #expect(outputs.commands == [.close(label)])
  }

  @Test func nobodyWaitsForALostConnection() throws {
    var rig = XirSysRig.joined()
    let label = try open(&rig)
    // The client restarts what it offered by itself; only if it does not, we offer.
    _ = rig.event(.peer(label, .disconnected))
    #expect(rig.advance(by: .seconds(6)).isEmpty)
    let outputs = rig.advance(by: .seconds(7))
    #expect(outputs.told == ["bye bob"])
    guard case .exchange(_, KurentoSample.id("bob"), nil)? = outputs.commands.last else {
      Issue.record("no new offer: \(outputs.commands)")
      return
    }
    #expect(outputs.commands.first == .close(label))
  }

  @Test func aConnectionThatComesBackIsLeftAlone() throws {
    var rig = XirSysRig.joined()
    let label = try open(&rig)
    _ = rig.event(.peer(label, .disconnected))
    _ = rig.event(.peer(label, .connected))
    #expect(rig.advance(by: .seconds(60)).isEmpty && rig.server.deadline == nil)
  }

  @Test func offersThatLeadToNothingStop() {
    var rig = XirSysRig()
    var outputs = rig.join(["bob"])
    var count = 0
    while let asked = outputs.asked.last, count < 20 {
      count += 1
      _ = rig.feed(.refused(asked.operation, RoomRefusal(.unavailable, "no")))
      outputs = rig.advance(by: .seconds(5))
    }
    #expect(count == 1 + XirSysLegs.attempts)
  }

  @Test func whoComesBackGetsTheNamesAndKeepsWhatWorks() throws {
    var rig = XirSysRig.joined()
    let label = try open(&rig)
    var snapshot = XirSysRig.seating(["bob", "carl"]).snapshot
    snapshot.members.removeAll { $0.participant.id == KurentoSample.id("anna") }
    let outputs = rig.feed(.resumed(XirSysReturn(XirSysRig.listener(.legacy)), on: LinkNumber(2), snapshot))
    #expect(outputs.told == ["peers server"])
    // The old connection is looked at, the newcomer gets a new one.
    #expect(outputs.commands.contains(.redirect(label, to: .participant(KurentoSample.id("bob")))))
    let offers = outputs.commands.filter { if case .exchange = $0 { true } else { false } }
    #expect(offers.count == 1)
    #expect(outputs.contains { if case .perform(_, .announceReturn) = $0 { true } else { false } })
  }

  @Test func aSocketOfTheOtherDialectIsWrittenToInItsOwn() throws {
    var rig = XirSysRig.joined()
    let label = try open(&rig)
    let snapshot = XirSysRig.seating(["bob"]).snapshot
    let outputs = rig.feed(.resumed(XirSysReturn(XirSysRig.listener(.channel)), on: LinkNumber(2), snapshot))
    let operations = outputs.frames.map { $0["m"]?.object?["o"]?.string }
    #expect(operations == ["peers"])
    // It is another program, which does not know the connections of the former.
    #expect(outputs.commands.first == .close(label))
    guard case .exchange(_, KurentoSample.id("bob"), nil)? = outputs.commands.last else {
      Issue.record("no new offer: \(outputs.commands)")
      return
    }
  }

  @Test func theOthersSeeAReturnInOrder() {
    var rig = XirSysRig.joined(["bob"])
    #expect(rig.feed(.event(.returned("bob"))).told == ["peer_removed bob", "peer_connected bob"])
    #expect(rig.feed(.event(.returned("carl"))).isEmpty)
  }
}
