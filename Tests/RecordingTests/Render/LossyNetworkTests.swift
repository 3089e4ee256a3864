import Music
import TestSupport
import Testing

@testable import Recording

/// Takes over a bad network in which the recorder's own requests bring back what was lost.
@Suite struct LossyNetworkTests {
  private func delivery(
    _ path: VirtualPath, minutes: Double = 2, seed: UInt64 = 1
  ) -> (delivery: VirtualDelivery, count: Int) {
    let count = Int(minutes * 3_000)
    let packets = (0..<(count + 200)).map { index -> VirtualNetwork.Packet in
      let number = UInt16(truncatingIfNeeded: index)
      let head: [UInt8] = [0x80, 111, UInt8(number >> 8), UInt8(number & 255), 0, 0, 0, 0, 0, 0, 0, 9]
      return .init(time: Double(index) * 0.02, content: head, size: 344)
    }
    return (VirtualNetwork(there: path, seed: seed).carry(packets), count)
  }

  @Test(arguments: [0.05, 0.2, 0.3]) func asksUntilEverythingIsThere(loss: Double) {
    let (delivery, count) = delivery(VirtualPath(delay: 0.03, jitter: .uniform(0.01), loss: loss))
    let first = delivery.arrivals.first?.packet ?? 0
    #expect(delivery.missing.filter { $0 > first && $0 < count } == [])
    // Every loss is sent again, most of them once: L / (1 − L), and little more.
    #expect(delivery.counts.extra > loss)
    #expect(delivery.counts.extra < loss / (1 - loss) * 1.15, "\(delivery.counts)")
  }

  @Test func bringsBackBurstsOf200Milliseconds() {
    let path = VirtualPath(delay: 0.03, jitter: .uniform(0.01), burstShare: 0.05, burst: 0.2)
    let (delivery, count) = delivery(path, minutes: 4)
    #expect(delivery.counts.retransmissions > 300)
    #expect(delivery.missing.filter { $0 < count } == [])
  }

  @Test func whatIsOlderThanTheSendersHistoryStaysLost() {
    var network = VirtualNetwork(there: VirtualPath(delay: 0.03))
    network.outages = [10...15]
    let packets = (0..<1_000).map { (index: Int) -> VirtualNetwork.Packet in
      let content: [UInt8] = [0x80, 111, UInt8(index >> 8), UInt8(index & 255), 0, 0, 0, 0, 0, 0, 0, 9]
      return VirtualNetwork.Packet(time: Double(index) * 0.02, content: content, size: 344)
    }
    let missing = network.carry(packets).missing
    // Of five seconds the newest three come back, less the requests' way.
    #expect((95...115).contains(missing.count), "\(missing.count)")
    #expect(missing.first == 499 || missing.first == 500)
  }

  @Test func asksForNothingWhereNothingIsLost() {
    let (delivery, _) = delivery(VirtualPath(delay: 0.03, jitter: .uniform(0.01), duplication: 0.05))
    #expect(delivery.missing == [])
    #expect(delivery.counts.nackPackets == 0)
    #expect(delivery.arrivals.count > delivery.counts.media)
  }

  @Test func aNarrowPathDropsAndRecovers() {
    // 155 kbit/s with heads and tags; 170 pass, so that a handful of retransmissions at once must wait or be dropped.
    let (delivery, count) = delivery(
      VirtualPath(delay: 0.03, loss: 0.02, reordering: 0.02, rate: 170_000, queue: 8_192), minutes: 1)
    #expect(delivery.missing.filter { $0 > 0 && $0 < count } == [])
  }

  @Test func aMinuteAtAFifthLostBothWaysLeavesNoGap() throws {
    let players = (0..<2).map { index in
      var player = VirtualPlayer("p\(index)")
      player.settings = OpusEncoder.Settings(channels: 1, bitrate: 32_000, complexity: 0)
      player.signal = VirtualSignal(tempo: 8, seed: UInt64(index) + 1, isStereo: false)
      player.drift = [80, -120][index]
      player.end = 62
      player.sendsCaptureTime = true
      player.answersWithReports = true
      player.network = VirtualNetwork(
        there: VirtualPath(delay: 0.03, jitter: .uniform(0.01), loss: 0.2), seed: UInt64(index) + 5)
      return player
    }
    let rehearsal = try TakeRehearsal(players, length: 60, patience: 2)
    for track in rehearsal.render.tracks {
      let report = try #require(track.report)
      #expect(track.gaps.isEmpty, "\(track.gaps)")
      #expect(report.lostPackets == 0)
      #expect((500...700).contains(report.recoveredPackets), "\(report.recoveredPackets)")
    }
    for start in [40.0, 50, 58] {
      let lags = try (1...2).map { try #require(rehearsal.lag($0, from: start, to: start + 0.5)).lag }
      #expect(abs(lags[0] - lags[1]) < 48, "\(lags)")
    }
  }
}
