import Machines
import Music
import Testing

@testable import Signaling

/// The two machines against each other.
@Suite struct NativeLinkTests {
  @Test func aJoinArrivesWholeAndSoDoesItsGrant() {
    var link = NativeLink()
    let request = JoinRequest(
      name: Sample.bob.name, role: .listener, part: "bass", meta: "[1]", consents: false, resumeSecret: "before")
    let id = link.client.ask(.join(request, token: "token"), at: link.now)
    #expect(link.carryToServer() == [.join(id, RoomEntry(Sample.room, request, token: "token"))])
    #expect(link.carryToClient(.joined(id, Sample.grant)) == [.answer(id, .joined(Sample.grant))])
  }

  @Test(arguments: Sample.commands)
  func everyCommandArrivesWhole(command: RoomCommand) {
    var link = NativeLink()
    link.join()
    let id = link.client.ask(.perform(command), at: link.now)
    #expect(link.carryToServer() == [.perform(id, command)])
    #expect(link.carryToClient(.replied(id, .done)) == [.answer(id, .reply(.done))])
  }

  @Test(arguments: Sample.replies)
  func everyReplyArrivesWhole(reply: RoomReply) {
    var link = NativeLink()
    link.join()
    let id = link.client.ask(.perform(.snapshot), at: link.now)
    _ = link.carryToServer()
    #expect(link.carryToClient(.replied(id, reply)) == [.answer(id, .reply(reply))])
  }

  @Test(arguments: Sample.events)
  func everyEventArrivesWhole(event: RoomEvent) {
    var link = NativeLink()
    link.join()
    #expect(link.carryToClient(.event(event)) == [.news(event)])
  }

  @Test(arguments: RoomRefusal.Code.allCases)
  func everyRefusalArrivesWholeAndLeavesTheLinkOpen(code: RoomRefusal.Code) {
    var link = NativeLink()
    link.join()
    let id = link.client.ask(.perform(.stopTake), at: link.now)
    _ = link.carryToServer()
    let refusal = RoomRefusal(code, "no, because \"so\"")
    #expect(link.carryToClient(.refused(id, refusal)) == [.refused(id, refusal)])
    let again = link.client.ask(.perform(.snapshot), at: link.now)
    #expect(link.carryToServer() == [.perform(again, .snapshot)])
  }

  @Test func answersFindTheirRequestsInAnyOrder() {
    var link = NativeLink()
    link.join()
    let ids = (0..<5).map { _ in link.client.ask(.perform(.snapshot), at: link.now) }
    _ = link.carryToServer()
    for id in ids.reversed() {
      #expect(
        link.carryToClient(.replied(id, .snapshot(Sample.snapshot))) == [
          .answer(id, .reply(.snapshot(Sample.snapshot)))
        ])
    }
  }

  @Test func aPingMeasuresTheRoundTripAndTheServersClock() {
    var link = NativeLink()
    link.now = MonotonicTime(nanoseconds: 5_000_000_001)
    let id = link.client.ask(.ping, at: link.now)
    guard case .send(let question) = link.client.next() else { return _ = Issue.record("nothing was sent") }
    link.rig.now = MonotonicTime(nanoseconds: 77_000_000_123)
    guard let answer = link.rig.say(question).texts.first else { return _ = Issue.record("nothing was answered") }
    link.client.handle(.text(answer), at: link.now + .milliseconds(3))
    let sample = NativeClockSample(
      sentAt: link.now, answeredAt: link.now + .milliseconds(3),
      serverTime: MonotonicTime(nanoseconds: 77_000_000_123))
    #expect(link.client.next() == .answer(id, .clock(sample)))
    #expect(sample.roundTrip == .milliseconds(3))
  }

  @Test(arguments: [
    "", "[]", "{\"event\":\"left\"}", "{\"event\":\"warning\"}", "{\"event\":7}", "{\"id\":9,\"result\":{}}",
    "{\"id\":1,\"result\":[]}", "{\"id\":1,\"error\":{\"code\":\"odd\",\"message\":\"x\"}}", "{\"id\":null}",
  ])
  func whatNoServerOfOursSaysIsAViolation(text: String) {
    var client = DialectClient<NativeClient>()
    _ = client.ask(.perform(.snapshot), at: .init(nanoseconds: 0))
    _ = client.next()
    client.handle(.text(text), at: .init(nanoseconds: 0))
    guard case .violation = client.next() else { return _ = Issue.record("\(text) was taken") }
    #expect(client.next() == nil)
  }

  @Test(arguments: [
    "{\"event\":\"dance\"}", "{\"event\":\"dance\",\"participant\":7}",
    "{\"event\":\"warning\",\"code\":\"too-loud\",\"text\":\"softly\",\"takeId\":null}",
  ])
  func whatANewerServiceTellsIsPassedOver(text: String) {
    var client = DialectClient<NativeClient>()
    let id = client.ask(.perform(.snapshot), at: .init(nanoseconds: 0))
    _ = client.next()
    client.handle(.text(text), at: .init(nanoseconds: 0))
    #expect(client.next() == nil)
    client.handle(.text("{\"id\":\(id.number),\"result\":{}}"), at: .init(nanoseconds: 0))
    #expect(client.next() == .answer(id, .reply(.done)))
  }
}
