import Catalog
import Machines
import Music
import Realtime
import Recording
import Signaling
import TestSupport
import Testing

@testable import Rooms

/// Seats whose link is lost: who keeps them, who gets them, and what is told to those who come back.
@Suite(.serialized, .timeLimit(.minutes(2))) struct AbsenceTests {
  /// So long that a seat that waits for it fails the test by its time limit.
  private static let patient = RoomPolicy(gracePeriod: 3_600)

  private func enter(
    _ service: LiveService, _ name: String, role: Role = .musician, secret: String? = nil,
    door: Authorisation.Door = .kurento
  ) async throws -> Membership {
    try await service.broker.enter(
      try RoomName(checking: "studio"),
      JoinRequest(name: try DisplayName(checking: name), role: role, resumeSecret: secret, door: door))
  }

  private func names(_ snapshot: RoomSnapshot?) -> [String] {
    snapshot?.members.filter { $0.role == .musician }.map { $0.participant.name.description } ?? []
  }

  private func refusal(_ body: () async throws -> Membership) async throws -> RoomRefusal? {
    do {
      _ = try await body()
      return nil
    } catch let refusal as RoomRefusal {
      return refusal
    }
  }

  @Test func aFullRoomGivesTheSeatOfALostLinkToANewcomer() async throws {
    let service = try await LiveService(policy: AbsenceTests.patient)
    let ada = try await enter(service, "ada")
    let bob = try await enter(service, "bob")
    let cyd = try await enter(service, "cyd")
    #expect(try await refusal { try await enter(service, "dan") }?.code == .roomFull)
    await cyd.detach(SessionParting(isLeaving: false))
    await bob.detach(SessionParting(isLeaving: false))
    let dan = try await enter(service, "dan")
    #expect(names(dan.snapshot) == ["ada", "bob", "dan"], "the one who has been away for longer makes room")
    let back = try await enter(service, "cyd", secret: cyd.resumeSecret)
    #expect(names(back.snapshot) == ["ada", "dan", "cyd"], "a newcomer like any other")
    #expect(back.participant == cyd.participant && back.resumeSecret != cyd.resumeSecret)
    let full = try await refusal { try await enter(service, "eve") }
    #expect(full?.code == .roomFull)
    #expect(full?.description.contains("listener") == false, "no client of Kurento can join as one: \(full as Any)")
    for member in [ada, dan, back] { await member.leave() }
    await service.end()
  }

  @Test func aRoomOfOneSeatStaysOpenWhenItIsGivenAway() async throws {
    let service = try await LiveService(policy: RoomPolicy(capacity: 1, gracePeriod: 3_600))
    let ada = try await enter(service, "ada")
    await ada.detach(SessionParting(isLeaving: false))
    let bob = try await enter(service, "bob")
    #expect(names(await service.broker.snapshot(of: try RoomName(checking: "studio"))) == ["bob"])
    await bob.leave()
    await service.end()
  }

  @Test func whatWasHeardOfAGhostIsWhole() async throws {
    let service = try await LiveService(policy: AbsenceTests.patient)
    let watcher = try await enter(service, "ear", role: .listener, door: .native)
    let ada = try await service.musician("ada", in: "studio", door: .kurento)
    let bob = try await enter(service, "bob")
    let cyd = try await enter(service, "cyd")
    let performance = try TestSignal(seed: 21, seconds: 2).performance()
    await ada.peer.play(performance, from: MonotonicClock.now)
    // Power cut: no close of any kind.
    await ada.peer.vanish()
    await ada.membership.detach(SessionParting(isLeaving: false))
    let dan = try await enter(service, "dan")
    #expect(names(dan.snapshot) == ["bob", "cyd", "dan"])
    _ = try await dan.perform(.stopTake)
    let take = try #require(await service.finishedTake(watcher.events))
    let track = try #require(
      try await service.index.tracks(of: take).first { $0.participant.name.description == "ada" })
    #expect(track.alignment?.expectedPackets == performance.packets.count)
    #expect(track.alignment?.lostPackets == 0)
    #expect(track.gaps.allSatisfy { $0.start.seconds >= 2 }, "only behind all that was played: \(track.gaps)")
    for member in [bob, cyd, dan, watcher] { await member.leave() }
    await service.end()
  }

  /// The seat waits for the grace period; the take does not last as long.
  @Test func aTakeEndsWithTheLastSoundOfTheLastMusicianWhoseLinkIsLost() async throws {
    let service = try await LiveService(policy: RoomPolicy(gracePeriod: 3))
    let watcher = try await enter(service, "ear", role: .listener, door: .native)
    let ada = try await service.musician("ada", in: "studio", door: .kurento)
    let performance = try TestSignal(seed: 23, seconds: 2).performance()
    await ada.peer.play(performance, from: MonotonicClock.now)
    await ada.peer.vanish()
    await ada.membership.detach(SessionParting(isLeaving: false))
    let id = try #require(await service.finishedTake(watcher.events))
    let take = try #require(try await service.index.take(id))
    let seconds = try #require(take.length).seconds
    #expect(seconds > 1.9 && seconds < 2.5, "two seconds were played, and three were waited for: \(seconds)")
    await watcher.leave()
    await service.end()
  }

  /// A bot learns by the end of the media first, and then that nobody will come back.
  @Test func aLinkThatWasLostMayStillLeaveUnlessSomebodyHasComeBack() async throws {
    let service = try await LiveService(policy: AbsenceTests.patient)
    let bob = try await enter(service, "bob")
    let ada = try await enter(service, "ada")
    await ada.detach(SessionParting(isLeaving: false))
    let back = try await enter(service, "ada", secret: ada.resumeSecret)
    await ada.leave()
    let room = try RoomName(checking: "studio")
    #expect(names(await service.broker.snapshot(of: room)) == ["bob", "ada"], "the seat is the other link's")
    await back.detach(SessionParting(isLeaving: false))
    await ada.leave()
    #expect(names(await service.broker.snapshot(of: room)) == ["bob", "ada"])
    await back.leave()
    #expect(names(await service.broker.snapshot(of: room)) == ["bob"])
    await bob.leave()
    await service.end()
  }

  @Test func whoPlaysOnWithoutALinkKeepsTheSeat() async throws {
    let service = try await LiveService(policy: AbsenceTests.patient)
    let ada = try await service.musician("ada", in: "studio", door: .kurento)
    let bob = try await enter(service, "bob")
    let cyd = try await enter(service, "cyd")
    let performance = try TestSignal(seed: 22, seconds: 20).performance()
    let playing = Task { await ada.peer.play(performance, from: MonotonicClock.now) }
    let room = try RoomName(checking: "studio")
    try await eventually("she is heard") {
      await service.broker.snapshot(of: room)?.members.first?.isPublishing == true
    }
    await ada.membership.detach(SessionParting(isLeaving: false))
    #expect(try await refusal { try await enter(service, "dan") }?.code == .roomFull)
    #expect(names(await service.broker.snapshot(of: room)) == ["ada", "bob", "cyd"])
    playing.cancel()
    let back = try await enter(service, "ada", secret: ada.membership.resumeSecret)
    #expect(back.participant == ada.membership.participant)
    await ada.peer.close()
    for member in [back, bob, cyd] { await member.leave() }
    await service.end()
  }

  @Test(arguments: [Authorisation.Door.kurento, .native])
  func whoClosesTheLinkMakesRoomAtOnceAndIsGoneSoon(door: Authorisation.Door) async throws {
    let service = try await LiveService(policy: AbsenceTests.patient)
    let ada = try await enter(service, "ada", door: door)
    let bob = try await enter(service, "bob", door: door)
    let cyd = try await enter(service, "cyd", door: door)
    await cyd.detach(SessionParting(isLeaving: true))
    await bob.detach(SessionParting(isLeaving: true))
    let dan = try await enter(service, "dan", door: door)
    #expect(names(dan.snapshot) == ["ada", "bob", "dan"])
    for await event in ada.events { if case .left(bob.participant) = event { break } }
    for member in [ada, dan] { await member.leave() }
    await service.end()
  }

  @Test func aReloadedPageHasAMomentToComeBack() async throws {
    let service = try await LiveService(policy: AbsenceTests.patient)
    let ada = try await enter(service, "ada", door: .native)
    let bob = try await enter(service, "bob", door: .native)
    let cyd = try await enter(service, "cyd", door: .native)
    await cyd.detach(SessionParting(isLeaving: false))
    let refused = try await refusal { try await enter(service, "dan", door: .native) }
    // Unless this machine stood still for seconds.
    if let refused { #expect(refused.code == .roomFull && refused.description.contains("join as a listener")) }
    for member in [ada, bob] { await member.leave() }
    await service.end()
  }

  private func next(_ count: Int, of events: AsyncStream<RoomEvent>) async -> [RoomEvent] {
    var messages: [RoomEvent] = []
    for await event in events {
      switch event {
      case .missed, .message: messages.append(event)
      default: continue
      }
      if messages.count == count { break }
    }
    return messages
  }

  @Test func missedMessagesAreToldOnceAndInOrder() async throws {
    let service = try await LiveService(policy: AbsenceTests.patient)
    let ada = try await enter(service, "ada")
    let bob = try await enter(service, "bob")
    let cyd = try await enter(service, "cyd")
    _ = try await bob.perform(.message("heard", to: nil))
    await ada.detach(SessionParting(isLeaving: false))
    _ = try await bob.perform(.message("one", to: nil))
    _ = try await bob.perform(.message("not for her", to: cyd.participant))
    _ = try await bob.perform(.message("two", to: ada.participant))
    await bob.leave()
    let author = Participant(id: bob.participant, name: try DisplayName(checking: "bob"))
    let back = try await enter(service, "ada", secret: ada.resumeSecret)
    _ = try await cyd.perform(.message("three", to: nil))
    #expect(
      await next(3, of: back.events) == [
        .missed(from: author, text: "one", isPrivate: false), .missed(from: author, text: "two", isPrivate: true),
        .message(from: cyd.participant, text: "three", isPrivate: false),
      ])
    await back.detach(SessionParting(isLeaving: false))
    let again = try await enter(service, "ada", secret: ada.resumeSecret)
    _ = try await cyd.perform(.message("four", to: nil))
    #expect(
      await next(1, of: again.events) == [.message(from: cyd.participant, text: "four", isPrivate: false)],
      "what was told is not told again")
    for member in [again, cyd] { await member.leave() }
    await service.end()
  }

  /// What the link had taken is not told again; what it had not, and what nobody had come to, is, even if its author is gone.
  @Test func whatDidNotLeaveForALostLinkIsToldFirst() async throws {
    let service = try await LiveService(policy: AbsenceTests.patient)
    let ada = try await enter(service, "ada")
    let bob = try await enter(service, "bob")
    let cyd = try await enter(service, "cyd")
    let author = Participant(id: bob.participant, name: try DisplayName(checking: "bob"))
    for text in ["one", "two", "three"] { _ = try await bob.perform(.message(text, to: nil)) }
    _ = try await bob.perform(.message("four", to: ada.participant))
    var numbers: [String: UInt64] = [:]
    var number: UInt64 = 0
    for await event in ada.events {
      number += 1
      guard case .message(_, let text, _) = event else { continue }
      numbers[text] = number
      if text == "three" { break }
    }
    await bob.leave()
    let unread = Set(try ["one", "three"].map { try #require(numbers[$0]) })
    await ada.detach(SessionParting(isLeaving: false, unread: unread, heard: number))
    _ = try await cyd.perform(.message("five", to: nil))
    // A link that is gone already has nothing more to give back.
    await ada.detach(SessionParting(isLeaving: false, heard: 0))
    let back = try await enter(service, "ada", secret: ada.resumeSecret)
    let latest = Participant(id: cyd.participant, name: try DisplayName(checking: "cyd"))
    let missed: [RoomEvent] = [
      .missed(from: author, text: "one", isPrivate: false), .missed(from: author, text: "three", isPrivate: false),
      .missed(from: author, text: "four", isPrivate: true), .missed(from: latest, text: "five", isPrivate: false),
    ]
    #expect(await next(4, of: back.events) == missed)
    // A second link that is lost before it takes them.
    await back.detach(SessionParting(isLeaving: false, heard: 0))
    let again = try await enter(service, "ada", secret: ada.resumeSecret)
    _ = try await cyd.perform(.message("six", to: nil))
    #expect(
      await next(5, of: again.events) == missed + [.message(from: cyd.participant, text: "six", isPrivate: false)])
    for member in [again, cyd] { await member.leave() }
    await service.end()
  }

  @Test func whatASlowReaderHadNoPlaceForIsToldLater() async throws {
    let service = try await LiveService(policy: AbsenceTests.patient)
    let ada = try await enter(service, "ada")
    let bob = try await enter(service, "bob")
    for number in 0...MemberLink.mailbox { _ = try await bob.perform(.message("\(number)", to: ada.participant)) }
    var told: [String] = []
    for await event in ada.events { if case .message(_, let text, _) = event { told.append(text) } }
    let back = try await enter(service, "ada", secret: ada.resumeSecret)
    await back.leave()
    for await event in back.events { if case .missed(_, let text, _) = event { told.append(text) } }
    #expect(told == (0...MemberLink.mailbox).map { "\($0)" })
    await bob.leave()
    await service.end()
  }

  @Test func aTokenRevokedWhileItsHolderWaitsForASeatOpensNothing() async throws {
    let service = try await LiveService(policy: AbsenceTests.patient)
    let room = try RoomName(checking: "studio")
    let ada = try await service.musician("ada", in: "studio", door: .kurento)
    let bob = try await enter(service, "bob")
    let cyd = try await enter(service, "cyd")
    let performance = try TestSignal(seed: 23, seconds: 1).performance()
    await ada.peer.play(performance, from: MonotonicClock.now)
    await ada.peer.vanish()
    await ada.membership.detach(SessionParting(isLeaving: false))
    var request = JoinRequest(name: try DisplayName(checking: "dan"), door: .kurento)
    request.token = TokenStamp(id: "one", room: room, issued: 1)
    // Waits until nothing has been heard of ada for a second.
    let coming = Task { [request] in try await service.broker.enter(room, request) }
    _ = try await service.broker.revoke(.token("one"), until: nil)
    _ = try? await coming.value
    // Refused; or in and out again, if this machine stood still.
    #expect(!names(await service.broker.snapshot(of: room)).contains("dan"))
    for member in [bob, cyd] { await member.leave() }
    await service.end()
  }
}
