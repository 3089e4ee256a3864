import Machines
import Music
import Testing

@testable import Signaling

/// Apps in mesh rooms: with whom they connect themselves, and how much of theirs is passed on.
@Suite struct XirSysMeshTests {
  /// "bob" by XirSys in a mesh, or by another protocol.
  private func member(_ name: String, isDirect: Bool) -> RoomSnapshot.Member {
    var member = KurentoSample.member(name)
    member.isDirect = isDirect
    return member
  }

  private func exchanges(_ outputs: [XirSysServer.Output]) -> [ParticipantID] {
    outputs.commands.compactMap { if case .exchange(_, let other, _) = $0 { other } else { nil } }
  }

  /// Anna's app came into a mesh where Bob has an app too, and Carl a page of the studio.
  private func mixed(_ first: inout [XirSysServer.Output]) -> XirSysRig {
    var rig = XirSysRig()
    guard case .join(let operation, _)? = rig.drain().first else { return rig }
    var seating = XirSysRig.seating(["bob", "carl"], topology: .mesh)
    for index in seating.snapshot.members.indices
    where seating.snapshot.members[index].participant.name.description == "carl" {
      seating.snapshot.members[index].isDirect = false
    }
    first = rig.feed(.joined(operation, seating))
    return rig
  }

  @Test func whoHasNoAppIsMetAtJamjar() {
    var first: [XirSysServer.Output] = []
    var rig = mixed(&first)
    #expect(first.told == ["peers server"])
    #expect(exchanges(first) == [KurentoSample.id("carl")])
    let toBob = rig.offer(to: "bob", connection: "c1")
    #expect(toBob.relayed.map(\.1) == ["bob"] && toBob.commands.isEmpty)
    let toCarl = rig.offer(to: "carl", connection: "c2")
    #expect(toCarl.relayed.isEmpty && exchanges(toCarl) == [KurentoSample.id("carl")])
  }

  @Test func newcomersAreMetInTheWayThatTheyCameBy() {
    // The room was a mesh when Anna came, and is routed when Bob comes: he expects an offer from Jamjar, she makes one.
    var inMesh = XirSysRig.joined(topology: .mesh)
    _ = inMesh.event(.joined(member("bob", isDirect: false)))
    #expect(exchanges(inMesh.offer(to: "bob", connection: "c")) == [KurentoSample.id("bob")])
    // And the other way round.
    var routed = XirSysRig.joined()
    _ = routed.event(.joined(member("bob", isDirect: true)))
    #expect(exchanges(routed.offer(to: "bob", connection: "c")) == [KurentoSample.id("bob")])
  }

  @Test func aGoodbyeMayComeAfterItsSenderHasLeftAndNothingElseMay() {
    var rig = XirSysRig.joined(["bob"], topology: .mesh)
    _ = rig.event(.left(KurentoSample.id("bob")))
    let offer = XirSysMessage(.offer(sdp: XirSysRig.offer), connection: "c")
    #expect(rig.feed(.event(.relayed(offer, from: "bob"))).isEmpty)
    let bye = XirSysMessage(.bye, connection: "c")
    #expect(rig.feed(.event(.relayed(bye, from: "bob"))).told == ["bye bob"])
  }

  @Test func whoFloodsTheOthersIsEndedWithASentence() {
    var rig = XirSysRig.joined(["bob"])
    let text = String(repeating: "x", count: 65_536)
    var passed = 0
    while passed < 100 {
      let outputs = rig.send("chat", to: "bob", ["text": .string(text)])
      for (operation, _) in outputs.performed { _ = rig.feed(.replied(operation, .done)) }
      guard outputs.end == nil else {
        #expect(outputs.end == 1008)
        break
      }
      passed += 1
    }
    #expect(passed == 7)
  }

  @Test func whoSendsFasterThanTheRoomActsIsEnded() {
    var rig = XirSysRig.joined(["bob"])
    let candidate: JSONValue = ["label": 0, "id": "audio", "candidate": "candidate:1 1 udp 1 192.0.2.7 50000 typ host"]
    _ = rig.offer(to: "bob", connection: "c")
    // More than any app has at a time.
    for _ in 0..<200 {
      #expect(rig.send("ice", to: "bob", ["connectionId": "c", "iceCandidate": candidate]).end == nil)
    }
    var count = 200
    while count < 2_000, rig.send("ice", to: "bob", ["connectionId": "c", "iceCandidate": candidate]).end == nil {
      count += 1
    }
    #expect(count < 600)
  }
}
