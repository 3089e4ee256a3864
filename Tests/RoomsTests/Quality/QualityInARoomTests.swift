import Catalog
import Foundation
import Machines
import Music
import Realtime
import Recording
import Signaling
import Testing

@testable import Rooms

/// Readings of real connections, in the room and in the take.
@Suite(.serialized, .timeLimit(.minutes(3))) struct QualityInARoomTests {
  private func rows(of take: TakeID, in service: LiveService) async throws -> [QualityFile.TrackRows] {
    let row = try #require(try await service.index.take(take))
    let folder = try TakeFolder(existing: row.folder, in: service.folder)
    let bytes = try folder.read(QualityFile.name)
    return try JSONDecoder().decode(QualityFile.self, from: Data(bytes)).tracks
  }

  @Test func aLossyPathIsToldWithItsLossAndIsInTheTake() async throws {
    let service = try await LiveService()
    let room = try RoomName(checking: "studio")
    let watcher = try await service.broker.enter(
      room, JoinRequest(name: try DisplayName(checking: "watcher"), role: .listener))
    let input = try await service.broker.addRTPInput(
      in: room, RTPInputRequest(name: try DisplayName(checking: "desk"), payloadType: 111))
    let musician = LossyMusician(loop: service.clients)
    await musician.open(port: input.port, loss: 0.2, seed: 3)
    let performance = try TestSignal(seed: 3, seconds: 13).performance()
    let playing = Task { await musician.play(performance) }
    var told: [QualityReading] = []
    for await event in watcher.events {
      guard case .quality(input.participant, let reading) = event else { continue }
      told.append(reading)
      if told.count == 3 { break }
    }
    let snapshot = try #require(await service.broker.snapshot(of: room))
    let member = try #require(snapshot.members.first { $0.participant.id == input.participant })
    #expect(member.quality != nil)
    #expect(snapshot.members.first { $0.role == .listener }?.quality == nil)
    await playing.value
    try await service.broker.removeRTPInput(input.id, in: room)
    await musician.vanish()
    let take = try #require(await service.finishedTake(watcher.events))
    let rows = try #require(try await rows(of: take, in: service).first?.rows)
    #expect(rows.count >= 4, "and one for the rest")
    let expected = rows.reduce(0) { $0 + $1.reading.expected }
    let missed = rows.reduce(0) { $0 + $1.reading.missed }
    #expect((500...performance.packets.count).contains(expected))
    // A fifth of some 600 packets: 120, give or take four standard deviations.
    let loss = Double(missed) / Double(max(1, expected))
    #expect((0.12...0.28).contains(loss), "\(loss)")
    #expect(rows.contains { $0.verdict.cause == .loss && $0.verdict.level >= .poor })
    // In order, and within the take.
    for (row, next) in zip(rows, rows.dropFirst()) { #expect(row.end <= next.start) }
    let length = try #require(try await service.index.take(take)?.length)
    #expect(rows.allSatisfy { $0.start < $0.end && $0.end <= length })
    await service.end()
  }

  @Test func whatAClientSaysOfItsReceptionIsInTheNextReadingOnly() async throws {
    let service = try await LiveService()
    let ada = try await service.musician("ada", in: "studio")
    let performance = try TestSignal(seed: 5, seconds: 14).performance()
    let playing = Task { await ada.peer.play(performance, from: MonotonicClock.now) }
    for await event in ada.membership.events { if case .quality = event { break } }
    let heard = HeardQuality(roundTrip: 30, received: 80, lost: 20)
    #expect(try await ada.membership.perform(.report(ClientReport(health: heard))) == .done)
    // Nobody can have measured this.
    let impossible = ClientReport(health: HeardQuality(lost: -1))
    #expect(try await ada.membership.perform(.report(impossible)) == .done)
    var told: [QualityReading] = []
    for await event in ada.membership.events {
      guard case .quality(_, let reading) = event, reading.heard != nil || !told.isEmpty else { continue }
      told.append(reading)
      if told.count == 2 { break }
    }
    #expect(told.map(\.heard) == [heard, nil])
    #expect(told.first.map { QualityVerdict($0).cause } == .reception)
    #expect((told.first?.expected ?? 0) > 100)
    await playing.value
    await ada.peer.close()
    await service.end()
  }

  @Test func whatAnAppSaysOfAMusicianIsInTheRoomAndInTheTake() async throws {
    let service = try await LiveService()
    let room = try RoomName(checking: "studio")
    let meta = "{\"colour\":\"red\"}"
    let name = try DisplayName(checking: "ada")
    for bad in [String(repeating: "x", count: 1_025), "a\u{0}b"] {
      await #expect(throws: RoomRefusal.self) {
        try await service.broker.enter(room, JoinRequest(name: name, meta: bad))
      }
    }
    let ada = try await service.broker.enter(room, JoinRequest(name: name, meta: meta))
    #expect(ada.snapshot.members.first?.meta == meta)
    let label = try service.label("mic")
    let peer = ClientPeer(
      loop: service.clients, sends: true, configuration: service.ice, certificate: service.certificate)
    let offer = try await peer.offer()
    guard case .answer(_, let answer) = try await ada.perform(.publish(label, offer: offer)) else {
      throw ClientPeer.Failure(description: "no answer")
    }
    try await peer.accept(answer: answer)
    try await peer.waitUntilConnected()
    let performance = try TestSignal(seed: 6, seconds: 1).performance()
    await peer.play(performance, from: MonotonicClock.now)
    guard case .take(let take, _) = try await ada.perform(.stopTake) else {
      throw ClientPeer.Failure(description: "no take")
    }
    #expect(await service.finishedTake(ada.events) == take)
    #expect(try await service.index.tracks(of: take).map(\.meta) == [meta])
    // Even a take shorter than a reading has one.
    let rows = try await rows(of: take, in: service)
    #expect(rows.first?.rows.count == 1)
    await peer.close()
    await service.end()
  }
}
