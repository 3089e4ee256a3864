import Catalog
import Machines
import Music
import Realtime
import Recording
import Signaling
import Synchronization
import Testing

@testable import Rooms

/// Strangers at the port of an RTP input (promise 12).
@Suite(.timeLimit(.minutes(5))) struct HostileRTPTests {
  private static func number(_ value: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
  }

  /// An RTP packet of 20 ms.
  private static func packet(_ sequence: Int, source: UInt32, _ payload: [UInt8]) -> [UInt8] {
    [0x80, 111] + number(UInt32(UInt16(truncatingIfNeeded: sequence))).suffix(2)
      + number(UInt32(truncatingIfNeeded: sequence * 960)) + number(source) + payload
  }

  /// A sender that forges a victim's address makes the recorder ask the victim for what is missing: it must not be worth
  /// it. Every packet here leaves fifteen others out.
  @Test func aForgedSourceGetsNoMoreThanThreeTimesWhatItCost() async throws {
    let service = try await LiveService(policy: RoomPolicy(recording: .manual))
    let room = try RoomName(checking: "studio")
    let input = try await service.broker.addRTPInput(
      in: room, RTPInputRequest(name: try DisplayName(checking: "desk"), payloadType: 111))
    let traffic = Traffic()
    // The input asks again every 40 ms at most, for three seconds: this long, it could ask some 20,000 times.
    await Metronome(loop: service.clients).count(75) { beat, _ in
      traffic.send(Self.packet(beat * 16, source: 0xBAD, [UInt8](repeating: 0xFC, count: 18)), to: input.port)
    }
    try await service.broker.removeRTPInput(input.id, in: room)
    let (sent, received) = traffic.bytes
    #expect(sent == 75 * 30)
    #expect(received > 0, "it asked")
    #expect(received <= 3 * sent)
    await service.end()
  }

  /// Datagrams of one socket and the bytes that came back.
  private final class Traffic: Sendable {
    private let endpoint = UDPEndpoint()
    private let total = Mutex((sent: 0, received: 0))

    func send(_ datagram: [UInt8], to port: UInt16) {
      endpoint.send(datagram, to: port)
      total.withLock { $0 = ($0.sent + datagram.count, $0.received + endpoint.takeWaiting()) }
    }

    var bytes: (sent: Int, received: Int) {
      total.withLock { ($0.sent, $0.received + endpoint.takeWaiting()) }
    }
  }

  @Test func copiesDamageAndTenThousandSourcesLeaveARunningTakeWithoutAGap() async throws {
    let service = try await LiveService(policy: RoomPolicy(recording: .manual))
    let room = try RoomName(checking: "studio")
    let watcher = try await service.broker.enter(
      room, JoinRequest(name: try DisplayName(checking: "watcher"), role: .listener))
    let key = (0..<28).map { UInt8($0) }
    let input = try await service.broker.addRTPInput(
      in: room,
      RTPInputRequest(name: try DisplayName(checking: "desk"), profile: .savp, payloadType: 111, key: key))
    guard case .take(let take, _) = try await service.broker.startTake(in: room, song: nil) else {
      throw ClientPeer.Failure(description: "no take")
    }
    let performance = try TestSignal(seed: 6, seconds: 5).performance()
    let sealed = try Self.sealed(performance, key: key)
    let (encoder, stranger) = (UDPEndpoint(), UDPEndpoint())
    let each = 10_000 / sealed.count + 1
    await Metronome(loop: service.clients).count(sealed.count) { beat, _ in
      let packet = sealed[beat]
      var flipped = packet
      flipped[2 + beat % (packet.count - 2)] ^= 1 << UInt8(beat % 8)
      // Damage comes before its original, copies come after it.
      stranger.send(flipped, to: input.port)
      stranger.send(Array(packet.prefix(2 + beat % (packet.count - 2))), to: input.port)
      encoder.send(packet, to: input.port)
      stranger.send(packet, to: input.port)
      stranger.send(sealed[beat / 2], to: input.port)
      for index in 0..<each {
        let source = UInt32(truncatingIfNeeded: beat * each + index) | 1 << 30
        stranger.send(Self.packet(beat, source: source, [UInt8](repeating: 0xFC, count: 40)), to: input.port)
      }
    }
    _ = try await service.broker.stopTake(in: room)
    #expect(await service.finishedTake(watcher.events) == take)
    let tracks = try await service.index.tracks(of: take)
    #expect(tracks.map(\.participant.name.description) == ["desk"])
    let alignment = try #require(tracks.first?.alignment)
    #expect(alignment.expectedPackets == sealed.count && alignment.lostPackets == 0)
    // A busy machine may stop the take any time after the last packet, and what lies between is a gap.
    let end = alignment.offset + Double(sealed.count - 2) * 0.02
    #expect(tracks.first?.gaps.allSatisfy { $0.start.seconds > end } == true, "\(tracks)")
    await service.end()
  }

  /// The performance as SRTP packets of an encoder with this key.
  private static func sealed(_ performance: Performance, key: [UInt8]) throws -> [[UInt8]] {
    guard let sending = KeyMaterial(profile: .aeadAES128GCM, keyAndSalt: key),
      let receiving = KeyMaterial(profile: .aeadAES128GCM, keyAndSalt: key),
      let keys = KeyPair(sending: sending, receiving: receiving)
    else { throw ClientPeer.Failure(description: "no keys") }
    let context = try SRTPContext(keys: keys)
    return try performance.packets.enumerated().map { index, opus in
      let plain = packet(index, source: 0xADA, opus)
      return Array(try plain.withUnsafeBytes { bytes in try context.protect(rtp: bytes) })
    }
  }
}
