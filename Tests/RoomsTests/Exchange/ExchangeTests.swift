import Catalog
import Machines
import Music
import Realtime
import Recording
import Signaling
import TestSupport
import Testing

@testable import Rooms

/// Members with a connection for each other musician, which carries their microphone in and that musician out.
@Suite(.serialized, .timeLimit(.minutes(2))) struct ExchangeTests {
  /// A client's end of one such connection, and what it has received.
  private struct Leg {
    var label: PeerLabel
    var peer: ClientPeer
    var heard: PacketCount
  }

  private func enter(_ name: String, _ service: LiveService) async throws -> Membership {
    try await service.broker.enter(
      try RoomName(checking: "studio"), JoinRequest(name: try DisplayName(checking: name), door: .xirsys))
  }

  private func connect(_ me: Membership, with other: Membership, _ name: String, _ service: LiveService) async throws
    -> Leg
  {
    let heard = PacketCount()
    let peer = ClientPeer(
      loop: service.clients, sends: true, hears: true, configuration: service.ice, certificate: service.certificate,
      onPacket: { _, _ in heard.add() })
    let label = try service.label(name)
    let offer = try await peer.offer()
    let reply = try await me.perform(.exchange(label, with: other.participant, offer: offer))
    guard case .answer(_, let answer) = reply else { throw ClientPeer.Failure(description: "no answer") }
    try await peer.accept(answer: answer)
    try await peer.waitUntilConnected()
    return Leg(label: label, peer: peer, heard: heard)
  }

  private func channel(of file: String, in folder: TakeFolder) throws -> [Float] {
    let reader = try SoundFileReader(file, in: folder)
    var samples: [Float] = []
    while true {
      let block = try reader.read(frames: 48_000)
      if block.isEmpty { return samples }
      for index in stride(from: 0, to: block.count, by: reader.channels) { samples.append(block[index]) }
    }
  }

  @Test func threeMusiciansWithTwoConnectionsEachAreThreeTracks() async throws {
    let service = try await LiveService()
    let names = ["anna", "bob", "carl"]
    var members: [Membership] = []
    for name in names { members.append(try await enter(name, service)) }
    let watcher = try await service.broker.enter(
      try RoomName(checking: "studio"), JoinRequest(name: try DisplayName(checking: "ear"), role: .listener))
    var legs: [[Leg]] = []
    for me in members {
      var own: [Leg] = []
      for other in members where other !== me {
        own.append(try await connect(me, with: other, "to-\(other.participant)", service))
      }
      legs.append(own)
    }
    let signals = (1...3).map { TestSignal(seed: UInt64($0), seconds: 3) }
    let start = MonotonicClock.now + .milliseconds(50)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (own, signal) in zip(legs, signals) {
        let performance = try signal.performance()
        // The same sound goes out on every connection, as with an app.
        for leg in own { group.addTask { await leg.peer.play(performance, from: start) } }
      }
      try await group.waitForAll()
    }
    for leg in legs.joined() { #expect(leg.heard.count > 100, "\(leg.label) heard \(leg.heard.count) packets") }
    for (me, own) in zip(members, legs) {
      for leg in own { await leg.peer.close() }
      await me.leave()
    }
    let id = try #require(await service.finishedTake(watcher.events))
    let take = try #require(try await service.index.take(id))
    let tracks = try await service.index.tracks(of: id)
    #expect(take.state == .ready)
    #expect(tracks.map { $0.participant.name.description }.sorted() == names)
    let folder = try TakeFolder(existing: take.folder, in: service.folder)
    for (name, signal) in zip(names, signals) {
      let track = try #require(tracks.first { $0.participant.name.description == name })
      let recorded = try channel(of: try #require(track.file), in: folder)
      let match = try #require(CrossCorrelation.align(recorded, to: signal.left, maximumLag: 96_000))
      #expect(match.coefficient > 0.95, "\(name)")
    }
    await service.end()
  }

  @Test func theOtherConnectionGoesOnWhenTheFirstEnds() async throws {
    let service = try await LiveService()
    let anna = try await enter("anna", service)
    let bob = try await enter("bob", service)
    let carl = try await enter("carl", service)
    let first = try await connect(anna, with: bob, "to-bob", service)
    let second = try await connect(anna, with: carl, "to-carl", service)
    let ear = try await connect(bob, with: anna, "to-anna", service)
    let performance = try TestSignal(seed: 5, seconds: 4).performance()
    let start = MonotonicClock.now + .milliseconds(50)
    async let one: Void = first.peer.play(performance, from: start)
    async let two: Void = second.peer.play(performance, from: start)
    try await eventually("bob hears the first connection") { ear.heard.count > 60 }
    _ = try await anna.perform(.close(first.label))
    let before = ear.heard.count
    try await eventually("bob hears the second connection") { ear.heard.count > before + 60 }
    _ = await (one, two)
    let snapshot = try #require(await service.broker.snapshot(of: anna.room))
    #expect(snapshot.members.first { $0.participant.id == anna.participant }?.isPublishing == true)
    await second.peer.close()
    for member in [bob, carl] { await member.leave() }
    // For the others nothing began anew.
    var announcements = 0
    for await event in bob.events {
      if case .published(anna.participant) = event { announcements += 1 }
    }
    #expect(announcements == 1)
    async let finished = service.finishedTake(anna.events)
    let rolling = try #require(snapshot.take)
    _ = try await service.broker.stopTake(in: anna.room)
    let id = try #require(await finished)
    #expect(id == rolling.id)
    let tracks = try await service.index.tracks(of: id)
    #expect(tracks.map { $0.participant.name.description } == ["anna"])
    await service.end()
  }

  /// XirSys and Kurento do not bound them, and those without an offer wait in the room.
  @Test func noLongCandidateWaitsForItsOffer() async throws {
    let service = try await LiveService()
    let anna = try await enter("anna", service)
    let label = try service.label("early")
    let long = CandidateMessage(candidate: "candidate:" + String(repeating: "1", count: 1_024))
    let refusal = await #expect(throws: RoomRefusal.self) { _ = try await anna.perform(.candidate(label, long)) }
    #expect(refusal?.code == .invalidCandidate)
    let short = CandidateMessage(candidate: "candidate:1 1 udp 1 192.0.2.1 9 typ host", mid: "0")
    #expect(try await anna.perform(.candidate(label, short)) == .done)
    await service.end()
  }

  @Test func nobodyExchangesWithThemselvesOrWithStrangers() async throws {
    let service = try await LiveService()
    let anna = try await enter("anna", service)
    let bob = try await enter("bob", service)
    let label = try service.label("x")
    let own = await #expect(throws: RoomRefusal.self) {
      _ = try await anna.perform(.exchange(label, with: anna.participant, offer: nil))
    }
    #expect(own?.code == .forbidden)
    await bob.leave()
    let gone = await #expect(throws: RoomRefusal.self) {
      _ = try await anna.perform(.exchange(label, with: bob.participant, offer: nil))
    }
    #expect(gone?.code == .unknownParticipant)
    await service.end()
  }
}
