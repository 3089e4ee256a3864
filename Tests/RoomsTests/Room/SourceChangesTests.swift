import Catalog
import Machines
import Music
import Realtime
import Recording
import Signaling
import Testing

@testable import Rooms

/// Musicians whose machine changes its SSRC again and again, as after every pause or change of microphone.
@Suite(.timeLimit(.minutes(5))) struct SourceChangesTests {
  private static let changes = 20
  /// Packets under one SSRC: a fifth of a second, which is faster than missing packets come.
  private static let packetsOfOne = 10
  private static let packetCount = packetsOfOne * (changes + 1)

  /// Sends packets of 20 ms in real time, each SSRC with numbers and times of its own.
  private static func play(
    _ performance: Performance, on loop: MediaLoop, payloadType: UInt8, _ send: @escaping @Sendable ([UInt8]) -> Void
  ) async {
    await Metronome(loop: loop).count(packetCount) { number, _ in
      let (source, index) = number.quotientAndRemainder(dividingBy: packetsOfOne)
      let writer = RTPWriter(
        payloadType: payloadType, sequenceNumber: UInt16(truncatingIfNeeded: 1_000 * source + index),
        timestamp: UInt32(truncatingIfNeeded: 7_000_000 * source + 960 * index), ssrc: UInt32(0xADA_000 + source))
      send(writer.packet(payload: performance.packets[number]))
    }
  }

  private func performance() throws -> Performance {
    try TestSignal(seed: 7, seconds: Double(SourceChangesTests.packetCount) * 0.02).performance()
  }

  /// Everything that was sent is in the journal, and it is one track from which nothing is missing.
  private func check(_ take: TakeID, of service: LiveService) async throws {
    let tracks = try await service.index.tracks(of: take)
    #expect(tracks.count == 1)
    let alignment = try #require(tracks.first?.alignment)
    #expect(alignment.expectedPackets == SourceChangesTests.packetCount)
    #expect(alignment.lostPackets == 0)
    let row = try #require(try await service.index.take(take))
    var reader = JournalReader()
    reader.feed(try TakeFolder(existing: row.folder, in: service.folder).read(TakeFolder.journalName))
    var sources: [UInt32: Int] = [:]
    while let frame = try reader.next() {
      guard case .rtp(_, _, let packet) = frame else { continue }
      sources[try RTPPacket(parsing: packet).header.ssrc, default: 0] += 1
    }
    #expect(sources.count == SourceChangesTests.changes + 1)
    #expect(sources.values.allSatisfy { $0 == SourceChangesTests.packetsOfOne }, "\(sources)")
  }

  @Test func anRTPInputIsOneTrack() async throws {
    let service = try await LiveService(policy: RoomPolicy(recording: .manual))
    let room = try RoomName(checking: "studio")
    let watcher = try await service.broker.enter(
      room, JoinRequest(name: try DisplayName(checking: "watcher"), role: .listener))
    let input = try await service.broker.addRTPInput(
      in: room, RTPInputRequest(name: try DisplayName(checking: "desk"), payloadType: 111))
    _ = try await service.broker.startTake(in: room, song: nil)
    let endpoint = UDPEndpoint()
    await SourceChangesTests.play(try performance(), on: service.clients, payloadType: 111) {
      endpoint.send($0, to: input.port)
    }
    _ = try await service.broker.stopTake(in: room)
    try await check(try #require(await service.finishedTake(watcher.events)), of: service)
    await service.end()
  }

  @Test func aBrowserIsOneTrack() async throws {
    let service = try await LiveService(policy: RoomPolicy(recording: .manual))
    let ada = try await service.musician("ada", in: "studio")
    _ = try await ada.membership.perform(.startTake(song: nil))
    let peer = ada.peer
    let payloadType = try #require(await peer.negotiated).opusPayloadType
    await SourceChangesTests.play(try performance(), on: service.clients, payloadType: payloadType) { packet in
      // The metronome runs on the peer's loop.
      peer.assumeIsolated { $0.send(packet) }
    }
    _ = try await ada.membership.perform(.stopTake)
    try await check(try #require(await service.finishedTake(ada.membership.events)), of: service)
    await peer.close()
    await service.end()
  }
}
