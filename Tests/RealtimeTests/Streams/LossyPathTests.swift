import Machines
import TestSupport
import Testing

@testable import Realtime

/// Both ends of a bad path as they really are: receiver and reports here, history there.
@Suite struct LossyPathTests {
  private struct Outcome {
    /// What came, each once.
    var arrived: Set<Int64> = []
    /// Numbers between the first and the last of them that did not come.
    var lost: Int {
      guard let first = arrived.min(), let last = arrived.max() else { return 0 }
      return Int(last - first) + 1 - arrived.count
    }
    var repairs = 0
    var roundTrip: MonotonicTime.Span?
    var sent = 0
  }

  private enum Event {
    case toReceiver([UInt8]), toSender([UInt8])
  }

  /// Ten seconds of 20 ms packets over a path with `loss` each way, 30 ms and up to `jitter` ms more.
  private func play(loss: Double, jitter: Int64, outage: Range<Int64>? = nil, seed: UInt64) throws -> Outcome {
    var random = SeededRandom(seed)
    let source = OpusSource(sequenceNumber: 65_000)
    var history = RetransmissionHistory()
    var senderReports = ReportScheduler(.init(ssrc: source.ssrc, cname: "musician"))
    var receiverReports = ReportScheduler(.init(ssrc: 1, cname: "jamjar", asksForDelay: true))
    var streams = IncomingStreams()
    var flying: [Int64: [Event]] = [:]
    var outcome = Outcome()
    senderReports.start(at: .at(0))
    receiverReports.start(at: .at(0))

    func send(_ event: Event, at now: Int64) {
      if random.unit() < loss || outage?.contains(now) == true { return }
      flying[now + 30 + Int64.random(in: 0...max(jitter, 0), using: &random), default: []].append(event)
    }
    for millisecond in Int64(0)..<15_000 {
      let now = MonotonicTime.at(millisecond)
      if millisecond % 20 == 0, millisecond < 10_000 {
        let packet = try source.packet(Int(millisecond / 20))
        history.store(.own(packet.bytes), sequenceNumber: packet.header.sequenceNumber, at: now)
        senderReports.sent(timestamp: packet.header.timestamp, payloadLength: packet.payload.count, at: now)
        send(.toReceiver(packet.bytes), at: millisecond)
        outcome.sent += 1
      }
      for event in flying.removeValue(forKey: millisecond) ?? [] {
        switch event {
        case .toReceiver(let bytes) where (192...223).contains(bytes[1]):
          for packet in try RTCPCompound.parse(bytes) {
            streams.handle(packet, at: now)
            receiverReports.received(packet, at: now)
          }
        case .toReceiver(let bytes):
          let received = streams.handle(try RTPPacket(parsing: bytes), at: now)
          guard !received.isDuplicate else {
            continue
          }
          if received.isRepair { outcome.repairs += 1 }
          outcome.arrived.insert(received.extendedSequence)
        case .toSender(let bytes):
          for packet in try RTCPCompound.parse(bytes) {
            senderReports.received(packet, at: now)
            guard case .nack(let nack) = packet else { continue }
            for number in nack.sequenceNumbers {
              let roundTrip = senderReports.roundTrip ?? .zero
              if case .own(let bytes)? = history.packet(number, at: now, roundTrip: roundTrip) {
                send(.toReceiver(bytes), at: millisecond)
              }
            }
          }
        }
      }
      if let roundTrip = receiverReports.roundTrip { streams.roundTrip = roundTrip }
      let nacks = streams.nacks(at: now, sender: 1)
      if !nacks.isEmpty { send(.toSender(RTCPCompound.write(nacks.map { .nack($0) })), at: millisecond) }
      if senderReports.isDue(at: now) {
        send(.toReceiver(RTCPCompound.write(senderReports.reports(at: now, blocks: []))), at: millisecond)
      }
      if receiverReports.isDue(at: now) {
        let blocks = streams.reportBlocks(at: now)
        send(.toSender(RTCPCompound.write(receiverReports.reports(at: now, blocks: blocks))), at: millisecond)
      }
    }
    outcome.roundTrip = receiverReports.roundTrip
    return outcome
  }

  @Test(arguments: 1...3) func bringsEveryPacketBackOverATenPercentLoss(seed: UInt64) throws {
    let outcome = try play(loss: 0.1, jitter: 0, seed: seed)
    // What was lost before the first or behind the last packet that came leaves no hole to see.
    #expect(outcome.lost == 0)
    #expect(outcome.arrived.count >= outcome.sent - 2)
    #expect(outcome.repairs > 30)
    #expect(abs(try #require(outcome.roundTrip).milliseconds - 60) < 2)
  }

  @Test func bringsEveryPacketBackOverAThirdLostAndMuchJitter() throws {
    let outcome = try play(loss: 0.33, jitter: 40, seed: 9)
    #expect(outcome.lost == 0)
    #expect(outcome.arrived.count >= outcome.sent - 4)
  }

  @Test func bringsTwoSecondsOfSilenceBack() throws {
    let outcome = try play(loss: 0, jitter: 0, outage: 4_000..<6_000, seed: 3)
    #expect(outcome.repairs == 100)
    #expect(outcome.lost == 0)
    #expect(outcome.arrived.count == outcome.sent)
  }

  @Test func asksForNothingOnACleanPathWithReordering() throws {
    let outcome = try play(loss: 0, jitter: 9, seed: 4)
    #expect(outcome.repairs == 0)
    #expect(outcome.arrived.count == outcome.sent)
  }
}
