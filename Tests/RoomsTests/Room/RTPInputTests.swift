import Catalog
import Machines
import Music
import Recording
import Signaling
import TestSupport
import Testing

@testable import Rooms

/// Plain RTP from an encoder, with strangers on the same network.
@Suite(.timeLimit(.minutes(5))) struct RTPInputTests {
  /// Plays a performance by plain RTP in real time, from a media loop's thread.
  private actor Encoder {
    private let loop: MediaLoop
    private let endpoint = UDPEndpoint()
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(loop: MediaLoop) { self.loop = loop }

    /// - Parameter beside: called with each packet's number before it is sent.
    func play(_ performance: Performance, to port: UInt16, beside: @escaping @Sendable (Int) -> Void) async {
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        var number = 0
        var ticker: Ticker?
        ticker = Ticker(loop: loop, interval: .milliseconds(20)) { [self] _ in
          guard ticker != nil else { return }
          beside(number)
          let packet = RTPInputTests.packet(number, source: 0xADA, performance.packets[number])
          assumeIsolated { $0.endpoint.send(packet, to: port) }
          number += 1
          guard number == performance.packets.count else { return }
          ticker?.stop()
          ticker = nil
          continuation.resume()
        }
      }
    }
  }

  private static func packet(_ number: Int, source: UInt32, _ opus: [UInt8]) -> [UInt8] {
    func bytes(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
    return [0x80, 111] + bytes(UInt32(truncatingIfNeeded: number)).suffix(2)
      + bytes(UInt32(truncatingIfNeeded: number * 960)) + bytes(source) + opus
  }

  @Test func strangersPacketsAreNeitherRecordedNorInTheWay() async throws {
    let service = try await LiveService(policy: RoomPolicy(recording: .manual))
    let room = try RoomName(checking: "studio")
    let watcher = try await service.broker.enter(
      room, JoinRequest(name: try DisplayName(checking: "watcher"), role: .listener))
    let input = try await service.broker.addRTPInput(
      in: room, RTPInputRequest(name: try DisplayName(checking: "desk"), payloadType: 111))
    guard case .take(let take, _) = try await service.broker.startTake(in: room, song: nil) else {
      throw ClientPeer.Failure(description: "no take")
    }
    let performance = try TestSignal(seed: 5, seconds: 3).performance()
    let (stranger, flood) = (UDPEndpoint(), UDPEndpoint())
    await Encoder(loop: service.clients).play(performance, to: input.port) { number in
      // One packet before the first, one in the middle, and a stream of its own over the last second.
      if [0, 70].contains(number) {
        stranger.send(RTPInputTests.packet(9_000 + number, source: 0xBAD, [0xFC, 0xFF, 0xFE]), to: input.port)
      }
      if number > 100 {
        flood.send(RTPInputTests.packet(number, source: 0xF100D, [0xFC, 0xFF, 0xFE]), to: input.port)
      }
    }
    _ = try await service.broker.stopTake(in: room)
    #expect(await service.finishedTake(watcher.events) == take)
    let tracks = try await service.index.tracks(of: take)
    #expect(tracks.map(\.participant.name.description) == ["desk"])
    let alignment = try #require(tracks.first?.alignment)
    #expect(alignment.expectedPackets == performance.packets.count && alignment.lostPackets == 0)
    // A busy machine may stop the take any time after the last packet, and what lies between is a gap.
    let end = alignment.offset + Double(performance.packets.count - 2) * 0.02
    #expect(tracks.first?.gaps.allSatisfy { $0.start.seconds > end } == true, "\(tracks)")
    let row = try #require(try await service.index.take(take))
    var reader = JournalReader()
    reader.feed(try TakeFolder(existing: row.folder, in: service.folder).read(TakeFolder.journalName))
    var sources: [UInt32: Int] = [:]
    while let frame = try reader.next() {
      guard case .rtp(_, _, let packet) = frame else { continue }
      sources[packet[8..<12].reduce(0) { $0 << 8 | UInt32($1) }, default: 0] += 1
    }
    #expect(sources == [0xADA: performance.packets.count])
    await service.end()
  }

  /// A hole is waited for; what fills it after the musician has left is in the totals too.
  @Test func whatComesAfterTheEndCountsInTheTotals() async throws {
    let service = try await LiveService(policy: RoomPolicy(recording: .manual))
    let room = try RoomName(checking: "studio")
    let watcher = try await service.broker.enter(
      room, JoinRequest(name: try DisplayName(checking: "watcher"), role: .listener))
    let input = try await service.broker.addRTPInput(
      in: room, RTPInputRequest(name: try DisplayName(checking: "desk"), payloadType: 111))
    _ = try await service.broker.startTake(in: room, song: nil)
    let performance = try TestSignal(seed: 5, seconds: 1).performance()
    let packets = performance.packets.enumerated().map { RTPInputTests.packet($0, source: 0xADA, $1) }
    let late = packets.count - 5
    let sender = UDPEndpoint()
    for (number, packet) in packets.enumerated() where number != late { sender.send(packet, to: input.port) }
    let whole = Int64(packets.reduce(0) { $0 + $1.count })
    let most = whole - Int64(packets[late].count)
    try await eventually("all but one have arrived") {
      await service.broker.connections().contains { $0.dialect == .rtp && $0.received.bytes == most }
    }
    async let removed: Void = service.broker.removeRTPInput(input.id, in: room)
    for await event in watcher.events {
      if case .left = event { break }
    }
    sender.send(packets[late], to: input.port)
    try await removed
    #expect(service.broker.traffic.current[.rtp]?.received == whole)
    await service.end()
  }
}
