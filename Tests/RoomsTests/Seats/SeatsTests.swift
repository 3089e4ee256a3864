import Catalog
import Machines
import Music
import Realtime
import Recording
import Signaling
import Testing

@testable import Rooms

@Suite(.serialized, .timeLimit(.minutes(2))) struct SeatsTests {
  private func refusal(_ body: () async throws -> Void) async throws -> RoomRefusal? {
    do {
      try await body()
      return nil
    } catch let refusal as RoomRefusal {
      return refusal
    }
  }

  private func enter(
    _ service: LiveService, _ name: String, role: Role = .musician, secret: String? = nil
  ) async throws -> Membership {
    try await service.broker.enter(
      try RoomName(checking: "studio"),
      JoinRequest(name: try DisplayName(checking: name), role: role, resumeSecret: secret))
  }

  @Test func aFourthMusicianIsRefusedInWordsAndAListenerIsNot() async throws {
    let service = try await LiveService()
    for name in ["ada", "bob", "cyd"] { _ = try await enter(service, name) }
    let refused = try await refusal { _ = try await enter(service, "dan") }
    #expect(refused?.code == .roomFull)
    #expect(refused?.description.contains("3 seats") == true)
    let listener = try await enter(service, "eve", role: .listener)
    #expect(listener.snapshot.members.count == 4)
    await service.end()
  }

  @Test func aNameInUseIsRefusedAndTheSecretTakesTheSeatBack() async throws {
    let service = try await LiveService()
    let first = try await enter(service, "ada")
    #expect(try await refusal { _ = try await enter(service, "ada") }?.code == .nameTaken)
    let wrong = String(repeating: "0", count: first.resumeSecret.count)
    #expect(try await refusal { _ = try await enter(service, "ada", secret: wrong) }?.code == .nameTaken)
    let second = try await enter(service, "ada", secret: first.resumeSecret)
    #expect(second.participant == first.participant)
    var last: RoomEvent?
    for await event in first.events { last = event }
    #expect(last == .closed(reason: .replaced), "the old link is told why it ends")
    #expect(try await refusal { _ = try await first.perform(.snapshot) }?.code == .notJoined)
    await service.end()
  }

  @Test func aSeatIsKeptForTheGracePeriodAndNoLonger() async throws {
    let service = try await LiveService(policy: RoomPolicy(gracePeriod: 0.3))
    let bob = try await enter(service, "bob")
    let ada = try await enter(service, "ada")
    ada.detach()
    var seen: [RoomEvent] = []
    for await event in bob.events {
      seen.append(event)
      if case .left = event { break }
    }
    #expect(seen.last == .left(ada.participant))
    #expect(
      seen.contains {
        if case .changed(let member) = $0 { return member.participant.id == ada.participant && !member.isConnected }
        return false
      }, "the others see first that the link is lost")
    await service.end()
  }

  @Test func whoComesBackContinuesOnTheSameTrackOfTheSameTake() async throws {
    let service = try await LiveService()
    let watcher = try await enter(service, "ear", role: .listener)
    let first = try await service.musician("ada", in: "studio")
    let performance = try TestSignal(seed: 3, seconds: 1).performance()
    await first.peer.play(performance, from: MonotonicClock.now)
    // The page is gone without a word: no BYE, no close_notify, no leave.
    await first.peer.vanish()
    first.membership.detach()
    let second = try await service.musician("ada", in: "studio", secret: first.membership.resumeSecret)
    #expect(second.membership.participant == first.membership.participant)
    await second.peer.play(performance, from: MonotonicClock.now)
    await second.peer.close()
    await second.membership.leave()
    let id = try #require(await service.finishedTake(watcher.events))
    let tracks = try await service.index.tracks(of: id)
    #expect(tracks.count == 1)
    let track = try #require(tracks.first)
    #expect(try #require(track.length).seconds > 2)
    #expect(track.gaps.contains { $0.cause == .disconnected }, "gaps \(track.gaps)")
    await service.end()
  }

  @Test func anOfferWhoseFingerprintIsNotThePeersComesToNothing() async throws {
    let service = try await LiveService()
    let ada = try await enter(service, "ada")
    let peer = ClientPeer(
      loop: service.clients, sends: true, configuration: service.ice, certificate: service.certificate)
    let offer = try await peer.offer()
    let other = try DTLSCertificate().fingerprint.description
    let forged = offer.replacing(service.certificate.fingerprint.description, with: other)
    #expect(forged != offer)
    let reply = try await ada.perform(.publish(try service.label("mic"), offer: forged))
    guard case .answer(_, let answer) = reply else { throw ClientPeer.Failure(description: "no answer") }
    try await peer.accept(answer: answer)
    await #expect(throws: ClientPeer.Failure.self) { try await peer.waitUntilConnected() }
    for await event in ada.events {
      if case .peer(_, let state) = event, state == .failed { break }
    }
    #expect(await service.broker.snapshots().first?.take == nil, "nothing is recorded of a stranger")
    await service.end()
  }

  @Test func garbageInsteadOfAnOfferIsRefusedAndTheSeatStays() async throws {
    let service = try await LiveService()
    let ada = try await enter(service, "ada")
    let label = try service.label("mic")
    for text in ["", "v=0", "nonsense", String(repeating: "a=x\r\n", count: 20_000)] {
      let refused = try await refusal { _ = try await ada.perform(.publish(label, offer: text)) }
      #expect(refused?.code == .invalidDescription)
      #expect(refused?.description.isEmpty == false)
    }
    for _ in 0..<64 { _ = try await ada.perform(.candidate(label, CandidateMessage(candidate: "candidate:x"))) }
    let refused = try await refusal { _ = try await ada.perform(.candidate(label, .end)) }
    #expect(refused?.code == .tooMany)
    let reply = try await ada.perform(.snapshot)
    guard case .snapshot(let snapshot) = reply else {
      Issue.record("no snapshot but \(reply)")
      return
    }
    #expect(snapshot.members.count == 1)
    await service.end()
  }
}
