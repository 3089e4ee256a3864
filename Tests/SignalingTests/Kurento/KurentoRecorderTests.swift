import Music
import Testing

@testable import Signaling

@Suite struct KurentoRecorderTests {
  @Test(arguments: [
    (KurentoRecorderWish.startTake(song: nil), RoomCommand.startTake(song: nil)),
    (.startTake(song: "Solar"), .startTake(song: "Solar")), (.stopTake, .stopTake),
    (.splitTake(song: nil), .splitTake(song: nil)), (.splitTake(song: "Solar"), .splitTake(song: "Solar")),
    (.cue("bridge"), .cue("bridge")), (.song("Solar"), .startTake(song: "Solar")), (.status, .snapshot),
  ])
  func everyWordIsACommand(wish: KurentoRecorderWish, command: RoomCommand) throws {
    #expect(try KurentoRecorderWish(wish.parameters) == wish)
    var rig = KurentoRig.joined()
    #expect(rig.ask("customRequest", JSONValue.object(wish.parameters).text).commands == [command])
  }

  @Test func aSongSplitsTheTakeThatRolls() {
    var rig = KurentoRig.joined(take: KurentoSample.take)
    let song = #"{"recorder":"song","song":"Solar"}"#
    #expect(rig.ask("customRequest", song, answered: .take(Sample.id("T02"), number: 2)).result?["number"] == 2)
    #expect(rig.ask("customRequest", song, answered: .done).code == -32_603)
    _ = rig.feed(.event(.takeStopped(KurentoSample.take.id, next: nil)))
    #expect(rig.ask("customRequest", song).commands == [.startTake(song: "Solar")])
  }

  @Test func aSongSplitsAfterATakeBegan() {
    var rig = KurentoRig.joined()
    _ = rig.feed(.event(.takeStarted(KurentoSample.take)))
    #expect(rig.ask("customRequest", #"{"recorder":"song","song":"x"}"#).commands == [.splitTake(song: "x")])
  }

  @Test func takesAreToldOnlyToWhoAskedForIt() {
    var rig = KurentoRig.joined()
    #expect(rig.feed(.event(.takeStarted(KurentoSample.take))).isEmpty)
    #expect(rig.ask("customRequest", #"{"recorder":"events","value":"on"}"#).result != nil)
    var next = KurentoSample.take
    next.id = Sample.id("T02")
    next.song = nil
    #expect(
      rig.feed(.event(.takeStopped(KurentoSample.take.id, next: next))).told == [
        "custonNotification take.stopped \(KurentoSample.take.id)", "custonNotification take.started \(next.id)",
      ])
    #expect(
      rig.feed(.event(.takeFinished(next.id, .failed))).told == ["custonNotification take.finished \(next.id) failed"])
    #expect(rig.feed(.event(.cue(next.id, Sample.cue))).told == ["custonNotification cue \(next.id) bridge"])
    #expect(rig.feed(.event(.journaled(next.id, .zero))).isEmpty)
    #expect(rig.ask("customRequest", #"{"recorder":"events","value":"off"}"#).result != nil)
    #expect(rig.feed(.event(.cue(next.id, Sample.cue))).isEmpty)
  }

  @Test func statusOfAnIdleRoomHasNoTake() {
    var rig = KurentoRig.joined()
    let result = rig.ask("customRequest", #"{"recorder":"status"}"#, answered: .snapshot(KurentoSample.snapshot()))
      .result
    #expect(result?["recording"] == false)
    #expect(result?["take"] == nil)
  }
}
