import Machines
import Music
import Recording
import Signaling
import TestSupport
import Testing

@testable import Realtime
@testable import Rooms

/// Rooms whose musicians hear each other directly: what the room passes on and decides.
@Suite(.serialized, .timeLimit(.minutes(3))) struct MeshRoomTests {
  private static let sdp = "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\n"

  private func enter(
    _ service: LiveService, _ name: String, _ role: Role = .musician, authority: Authority? = nil
  ) async throws -> Membership {
    var request = JoinRequest(name: try DisplayName(checking: name), role: role)
    if let authority { request.authority = authority }
    return try await service.broker.enter(try RoomName(checking: "den"), request)
  }

  /// The next event that `read` knows.
  private func next<Value>(_ events: AsyncStream<RoomEvent>, _ read: (RoomEvent) -> Value?) async throws -> Value {
    for await event in events { if let value = read(event) { return value } }
    throw ClientPeer.Failure(description: "the events ended")
  }

  private func pair(_ events: AsyncStream<RoomEvent>, _ state: MeshPair.State) async throws -> MeshPair {
    try await next(events) { if case .pair(let pair) = $0, pair.state == state { pair } else { nil } }
  }

  private func refusal(_ membership: Membership, _ command: RoomCommand) async -> RoomRefusal.Code? {
    do throws(RoomRefusal) {
      _ = try await membership.perform(command)
      return nil
    } catch {
      return error.code
    }
  }

  @Test func messagesReachTheOtherUnreadAndInOrder() async throws {
    let service = try await LiveService(policy: RoomPolicy(topology: .mesh))
    let (ada, bob) = (try await enter(service, "ada"), try await enter(service, "bob"))
    #expect(ada.snapshot.policy.topology == .mesh)
    #expect(try await ada.perform(.meshEnter) == .done)
    #expect(try await bob.perform(.meshEnter) == .done)
    let pair = try await pair(ada.events, .connecting)
    #expect(pair.offers == ada.participant && pair.answers == bob.participant)
    let sent: [PairMessage.Content] =
      [.offer(sdp: Self.sdp)] + (0..<20).map { .candidate(CandidateMessage(candidate: "candidate:\($0)", mid: "0")) }
      + [.candidate(.end)]
    for content in sent {
      #expect(try await ada.perform(.meshRelay(PairMessage(content), to: bob.participant)) == .done)
    }
    for content in sent {
      let (message, sender) = try await next(bob.events) { event -> (PairMessage, ParticipantID)? in
        if case .relayed(let message, let sender) = event { (message, sender) } else { nil }
      }
      #expect(message == PairMessage(content, pair: pair.number))
      #expect(sender == ada.participant)
    }
    await service.end()
  }

  @Test func everybodySeesWhichWayTwoMusiciansHearEachOther() async throws {
    let service = try await LiveService(policy: RoomPolicy(topology: .mesh))
    let (ada, bob) = (try await enter(service, "ada"), try await enter(service, "bob"))
    let guest = try await enter(service, "guest", .listener)
    for member in [ada, bob] { _ = try await member.perform(.meshEnter) }
    _ = try await ada.perform(.meshReport(PairReport(.connected), about: bob.participant))
    _ = try await bob.perform(.meshReport(PairReport(.connected), about: ada.participant))
    for member in [ada, bob, guest] { #expect(try await pair(member.events, .connected).route == .direct) }
    _ = try await bob.perform(.meshReport(PairReport(.disconnected), about: ada.participant))
    for member in [ada, bob, guest] {
      let lost = try await pair(member.events, .lost)
      #expect(lost.route == .routed)
      #expect(lost.attempt == 1)
    }
    guard case .snapshot(let snapshot) = try await guest.perform(.snapshot) else {
      throw ClientPeer.Failure(description: "no snapshot")
    }
    #expect(snapshot.pairs.map(\.state) == [.lost])
    // Bob leaves, and with him the pair.
    _ = try await bob.perform(.leave)
    let left = await service.broker.snapshot(of: try RoomName(checking: "den"))
    #expect(left?.pairs.isEmpty == true)
    await service.end()
  }

  @Test func onlyMusiciansOfTheSameMeshAreReached() async throws {
    let service = try await LiveService(policy: RoomPolicy(topology: .mesh))
    let (ada, bob) = (try await enter(service, "ada"), try await enter(service, "bob"))
    let guest = try await enter(service, "guest", .listener)
    let elsewhere = try await service.broker.enter(
      try RoomName(checking: "attic"), JoinRequest(name: try DisplayName(checking: "dan")))
    _ = try await ada.perform(.meshEnter)
    _ = try await elsewhere.perform(.meshEnter)
    let offer = PairMessage(.offer(sdp: Self.sdp))
    #expect(await refusal(guest, .meshEnter) == .forbidden)
    #expect(await refusal(guest, .meshRelay(offer, to: ada.participant)) == .forbidden)
    // Bob has not entered.
    #expect(await refusal(ada, .meshRelay(offer, to: bob.participant)) == .wrongState)
    #expect(await refusal(bob, .meshRelay(offer, to: ada.participant)) == .wrongState)
    #expect(await refusal(ada, .meshRelay(offer, to: elsewhere.participant)) == .unknownParticipant)
    #expect(await refusal(ada, .meshReport(PairReport(.failed), about: elsewhere.participant)) == .unknownParticipant)
    await service.end()
  }

  @Test func anOwnerChoosesAndTheChoiceOutlivesTheRoomAndTheService() async throws {
    let service = try await LiveService()
    let (ada, bob) = (try await enter(service, "ada"), try await enter(service, "bob", authority: .owner))
    #expect(await refusal(ada, .meshEnter) == .wrongState)
    #expect(await refusal(ada, .topology(.mesh)) == .forbidden)
    #expect(try await bob.perform(.topology(.mesh)) == .done)
    let chosen = try await next(ada.events) { event -> RoomPolicy.Topology? in
      if case .topology(let topology) = event { topology } else { nil }
    }
    #expect(chosen == .mesh)
    for member in [ada, bob] { #expect(try await member.perform(.meshEnter) == .done) }
    _ = try await pair(ada.events, .connecting)
    // And back: the pairs end.
    #expect(try await bob.perform(.topology(.routed)) == .done)
    #expect(await service.broker.snapshot(of: try RoomName(checking: "den"))?.pairs.isEmpty == true)
    #expect(try await bob.perform(.topology(.mesh)) == .done)
    for member in [ada, bob] { _ = try await member.perform(.leave) }
    await service.end(keepsFolder: true)

    let next = try await LiveService(folder: service.folder)
    let again = try await enter(next, "ada")
    #expect(again.snapshot.policy.topology == .mesh)
    await next.end()
  }

  @Test func aModeratorsMuteTakesTheServicesWay() async throws {
    let service = try await LiveService(policy: RoomPolicy(topology: .mesh))
    let ada = try await enter(service, "ada", authority: .owner)
    let bob = try await enter(service, "bob")
    for member in [ada, bob] { _ = try await member.perform(.meshEnter) }
    _ = try await ada.perform(.meshReport(PairReport(.connected), about: bob.participant))
    _ = try await bob.perform(.meshReport(PairReport(.connected), about: ada.participant))
    #expect(try await pair(ada.events, .connected).route == .direct)
    _ = try await ada.perform(.mute(bob.participant, true))
    #expect(try await pair(ada.events, .connected).route == .routed)
    // A page that was loaded anew enters again, as muted as before.
    _ = try await bob.perform(.meshEnter)
    #expect(try await pair(ada.events, .connecting).hasMuted)
    _ = try await ada.perform(.mute(bob.participant, false))
    #expect(try await pair(ada.events, .connecting).hasMuted == false)
    await service.end()
  }

  @Test func whoIsRemovedReachesNobodyAnyMore() async throws {
    let service = try await LiveService(policy: RoomPolicy(topology: .mesh))
    let ada = try await enter(service, "ada", authority: .owner)
    let bob = try await enter(service, "bob")
    for member in [ada, bob] { _ = try await member.perform(.meshEnter) }
    _ = try await ada.perform(.kick(bob.participant))
    #expect(await service.broker.snapshot(of: try RoomName(checking: "den"))?.pairs.isEmpty == true)
    let offer = PairMessage(.offer(sdp: Self.sdp))
    #expect(await refusal(bob, .meshRelay(offer, to: ada.participant)) == .notJoined)
    #expect(await refusal(ada, .meshRelay(offer, to: bob.participant)) == .unknownParticipant)
    await service.end()
  }

  @Test func enteringWithoutEndDisturbsNobody() async throws {
    let service = try await LiveService(policy: RoomPolicy(topology: .mesh))
    let (ada, bob) = (try await enter(service, "ada"), try await enter(service, "bob"))
    _ = try await ada.perform(.meshEnter)
    var last: RoomRefusal.Code?
    for _ in 0..<100 where last == nil { last = await refusal(bob, .meshEnter) }
    #expect(last == .rateLimited)
    await service.end()
  }

  @Test func anAppOfXirSysGoesOnAsItBegan() async throws {
    let service = try await LiveService(policy: RoomPolicy(topology: .mesh))
    let room = try RoomName(checking: "den")
    let names = ["anna", "bob"]
    var members: [Membership] = []
    for name in names {
      let request = JoinRequest(name: try DisplayName(checking: name), door: .xirsys)
      members.append(try await service.broker.enter(room, request))
      try await service.broker.choose(.routed, in: room)
    }
    let page = try await enter(service, "page")
    #expect(page.snapshot.members.map(\.isDirect) == [true, false, false])
    await service.end()
  }

  @Test func aMusicianWithoutTheMeshIsRoutedWithEverybody() async throws {
    let service = try await LiveService(policy: RoomPolicy(recording: .manual, topology: .mesh))
    let ada = try await service.musician("ada", in: "den")
    let bob = try await enter(service, "bob")
    _ = try await bob.perform(.meshEnter)
    var tone = try TestSignal(seed: 3, seconds: 1).performance()
    tone.repeats = true
    let playing = Task { [tone] in await ada.peer.play(tone, from: MonotonicClock.now) }
    _ = try await next(bob.events) { if case .published(ada.membership.participant) = $0 { true } else { nil } }
    let ear = try await Listener(service, bob, to: .participant(ada.membership.participant), as: "ear")
    #expect(try await !ear.listen(to: 10).isEmpty)
    await ada.peer.close()
    await playing.value
    await service.end()
  }

  @Test func statesFollowWhatHappensToAMember() async throws {
    let service = try await LiveService(policy: RoomPolicy(recording: .manual, topology: .mesh))
    let ada = try await enter(service, "ada")
    #expect(ada.snapshot.members.first?.state == .waiting)
    let bob = try await enter(service, "bob")
    #expect(bob.snapshot.members.last?.state == .connecting)
    // Ada no longer waits; nobody has sent a sound.
    let state = try await next(bob.events) { event -> MemberState? in
      if case .state(ada.participant, let state) = event { state } else { nil }
    }
    #expect(state == .connecting)
    ada.detach()
    let away = try await next(bob.events) { event -> MemberState? in
      if case .state(ada.participant, let state) = event { state } else { nil }
    }
    #expect(away == .away)
    await service.end()
  }
}
