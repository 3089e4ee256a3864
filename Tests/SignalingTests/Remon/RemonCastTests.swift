import Machines
import Music
import Testing

@testable import Signaling

/// Casts and conferences.
@Suite struct RemonCastTests {
  @Test func theSenderOffersToJamjar() {
    var rig = RemonRig.entering("create", ["type": "BROADCAST"])
    let joined = rig.join([])
    #expect(joined.told == ["onCreate INIT"])
    #expect(joined.frames.first?["channel"]?.object?["id"] == "PROPOSED1", "the server's own proposal")
    guard case .publish(let label, let sdp, _)? = rig.describe("offer").asked.first else {
      Issue.record("nothing is published")
      return
    }
    #expect(sdp == RemonRig.offer)
    let answered = rig.answer(.room(.answer(label, sdp: KurentoSample.answer)))
    #expect(answered.frames.first?["command"] == "onSdp")
    #expect(rig.send("stateChange", ["body": "COMPLETE"]).isEmpty)
  }

  @Test func aViewersOfferOnlyAnnouncesAndOursCounts() {
    // One method of the web SDK misspells the type.
    var rig = RemonRig()
    _ = rig.send("create", ["channel": ["id": "take5", "type": "VIEVER"]])
    let looking = rig.bind()
    #expect(looking.commands == [.find("take5", bound: nil)])
    let bob = KurentoSample.id("bob")
    let found = rig.answer(.source(RemonSource(room: KurentoSample.room("take5"), participant: bob)))
    #expect(found.entries.first?.request.role == .listener)
    #expect(rig.join(["bob"]).told == ["onCreate INIT"])
    guard case .subscribe(let label, .participant(bob), nil)? = rig.describe("offer").asked.first else {
      Issue.record("no offer of ours")
      return
    }
    #expect(rig.describe("offer").asked.isEmpty, "a second wish changes nothing")
    let offered = rig.answer(.room(.offer(label, sdp: KurentoSample.answer)))
    #expect(offered.frames.first?["command"] == "onSdp")
    guard case .answer(label, _)? = rig.describe("answer", KurentoSample.answer).asked.first else {
      Issue.record("the answer is lost")
      return
    }
    #expect(rig.leaves("bob").told == ["onDisconnectChannel CLOSE"])
  }

  @Test func aCastThatIsNotThereIsRefusedInOnCreate() {
    var rig = RemonRig.entering("create", ["id": "nobody", "type": "VIEWER"])
    let refused = rig.refuse(RoomRefusal(.unknownParticipant, "no cast"))
    #expect(refused.told == ["onCreate 500"])
    var broken = RemonRig.entering("create", ["id": "take5", "type": "BROADCAST"])
    guard let (operation, _) = broken.lastJoin else { return }
    #expect(broken.feed(.refused(operation, RoomRefusal(.unavailable, "stops"))).told == ["onCreate 530"])
  }

  private func presence(_ others: [String] = [], publishing: Bool = false) -> RemonRig {
    var rig = RemonRig()
    _ = rig.send("create", ["channel": ["type": "ROOM"], "roomId": "take5"])
    _ = rig.bind()
    _ = rig.join(others, publishing: publishing)
    return rig
  }

  @Test func thePresenceOfAConferenceTakesNoSeatUntilItPlays() {
    var rig = presence(["bob"], publishing: true)
    #expect(rig.lastJoin?.entry.part == .presence)
    #expect(rig.lastJoin?.entry.request.role == .listener)
    #expect(rig.describe("offer").asked == [.leave])
    // What comes meanwhile waits.
    #expect(rig.send("ice", ["body": #"{"candidate":"candidate:1"}"#]).isEmpty)
    let upgraded = rig.answer(.room(.done))
    #expect(upgraded.entries.first?.part == .member && upgraded.entries.first?.request.role == .musician)
    // And between the two seats too.
    #expect(rig.send("ice", ["body": #"{"candidate":"candidate:2"}"#]).isEmpty)
    let joined = rig.join(["bob", "cy"], publishing: true)
    #expect(joined.asked.count == 3)
    guard case .publish(let label, _, _)? = joined.asked.first, case .candidate(label, _)? = joined.asked.last else {
      Issue.record("\(joined)")
      return
    }
    // Whoever began in between is told; the others are known.
    #expect(joined.frames.compactMap { $0["channel"]?.object?["name"] } == ["cy"])
  }

  @Test func aBroadcastOnThePresencesSocketIsItsOwnCast() {
    var rig = presence()
    #expect(rig.send("create", ["channel": ["type": "BROADCAST"]]).asked == [.leave])
    _ = rig.answer(.room(.done))
    let created = rig.join([]).frames.first
    let id = created?["channel"]?.object?["id"]?.string ?? ""
    #expect(created?["command"] == "onCreate")
    #expect(id == RemonChannelID.own(KurentoSample.id("anna"), token: "tok-anna"))
    #expect(RemonChannelID.participant(in: id) == KurentoSample.id("anna"))
  }

  @Test func aCastThatEndsWhileThePresenceTakesItsSeatIsTold() {
    var rig = presence(["bob", "cy"], publishing: true)
    _ = rig.send("create", ["channel": ["type": "BROADCAST"]])
    _ = rig.answer(.room(.done))
    // An offer that does not wait for its channel is its own answer.
    #expect(rig.describe("offer").isEmpty)
    let joined = rig.join(["cy"], publishing: true)
    #expect(joined.frames.map { $0["command"]?.string ?? "" } == ["onRoomEvent"])
    #expect(joined.frames.first?["body"] == "leave")
    guard case .publish? = joined.asked.first else { return _ = Issue.record("\(joined)") }
  }

  @Test func castsOfAConferenceComeAndGoAsEvents() {
    var rig = presence()
    #expect(rig.arrives("bob").isEmpty, "nothing to be seen yet")
    var bob = KurentoSample.member("bob", publishes: true)
    bob.meta = "bass"
    let joined = rig.event(.changed(bob)).frames.first
    #expect(joined?["command"] == "onRoomEvent" && joined?["body"] == "join")
    let channel = joined?["channel"]?.object
    #expect(channel?["id"]?.string == KurentoSample.id("bob").description && channel?["userMeta"] == "bass")
    let left = rig.leaves("bob").frames.first
    #expect(left?["body"] == "leave" && left?["channel"]?.object?["id"] == channel?["id"])
  }

  @Test func aSocketThatBreaksIsContinuedByAnother() {
    var rig = RemonRig()
    _ = rig.send("reconnect")
    let resumed = rig.answer(.former(sessionID: "s1"))
    #expect(resumed == [.resume(sessionID: "s1", RemonReturn(), on: RemonRig.link)])
    // The former session is over.
    #expect(rig.feed(.unknownSession(RemonReturn(), on: RemonRig.link)).told == ["onReconnect 502"])
    // The other end: presence is brought up to date.
    var former = RemonRig.call(["bob"])
    let told = former.feed(.resumed(RemonReturn(), on: LinkNumber(2), KurentoSample.snapshot()))
    #expect(told.told == ["onReconnect CONNECT", "onDisconnectChannel CLOSE"])
    // A token that has a socket opens no other one by any other word.
    var thief = RemonRig()
    _ = thief.send("connect", ["channel": ["id": "take5"]])
    #expect(thief.answer(.former(sessionID: "s1")).told == ["onError 502"])
  }
}
