import Machines
import Testing

@testable import Realtime

@Suite struct ReportSchedulerTests {
  private func scheduler(_ ssrc: UInt32 = 1, asksForDelay: Bool = false, clock: NTPClock = NTPClock())
    -> ReportScheduler
  {
    var scheduler = ReportScheduler(.init(ssrc: ssrc, cname: "jam", clock: clock, asksForDelay: asksForDelay))
    scheduler.start(at: .at(0))
    return scheduler
  }

  @Test func reportsOnceASecondWithItsName() {
    var scheduler = scheduler()
    #expect(scheduler.deadline == .at(500))
    #expect(scheduler.isDue(at: .at(499)) == false)
    #expect(scheduler.isDue(at: .at(500)))
    let packets = scheduler.reports(at: .at(500), blocks: [ReportBlock(ssrc: 2)])
    #expect(
      packets == [
        .receiverReport(ReceiverReport(ssrc: 1, blocks: [ReportBlock(ssrc: 2)])),
        .sourceDescription(SourceDescription(ssrc: 1, cname: "jam")),
      ])
    #expect(scheduler.deadline == .at(1_500))
  }

  @Test func sendsReferenceTimesBetweenReportsWhereTheyCanBeAnswered() throws {
    var silent = scheduler()
    _ = silent.reports(at: .at(500), blocks: [])
    let unanswerable = silent.probe(at: .at(700))
    #expect(unanswerable == nil)

    let clock = NTPClock(anchor: NTPTime(seconds: 100, fraction: 0), at: .at(0))
    var asking = scheduler(asksForDelay: true, clock: clock)
    let beforeTheFirstReport = asking.probe(at: .at(100))
    #expect(beforeTheFirstReport == nil)
    _ = asking.reports(at: .at(500), blocks: [])
    #expect(asking.deadline == .at(575))
    let early = asking.probe(at: .at(574))
    #expect(early == nil)
    let due = asking.probe(at: .at(620))
    let probe = try #require(due)
    #expect(
      probe == [
        .receiverReport(ReceiverReport(ssrc: 1, blocks: [])),
        .sourceDescription(SourceDescription(ssrc: 1, cname: "jam")),
        .extendedReport(ExtendedReport(ssrc: 1, blocks: [.receiverReferenceTime(clock.time(at: .at(620)))])),
      ])
    #expect(asking.deadline == .at(717))
    #expect(asking.isDue(at: .at(1_499)) == false)
    #expect(asking.isDue(at: .at(1_500)))
    _ = asking.goodbye(at: .at(1_510))
    let afterGoodbye = asking.probe(at: .at(1_700))
    #expect(afterGoodbye == nil)
  }

  @Test func withoutAnIntervalReferenceTimesComeWithReportsOnly() {
    var listening = ReportScheduler(.init(ssrc: 1, cname: "jam", probeInterval: nil, asksForDelay: true))
    listening.start(at: .at(0))
    let report = listening.reports(at: .at(500), blocks: [])
    #expect(report.contains { if case .extendedReport = $0 { true } else { false } })
    let between = listening.probe(at: .at(1_499))
    #expect(between == nil)
    #expect(listening.deadline == .at(1_500))
  }

  /// A peer that reports once a second answers references of all ages.
  @Test func referencesHaveNoPhase() {
    var asking = scheduler(asksForDelay: true)
    _ = asking.reports(at: .at(0), blocks: [])
    var sent: [Int64] = []
    for now in 1..<20_000 as Range<Int64> {
      if asking.isDue(at: .at(now)) {
        _ = asking.reports(at: .at(now), blocks: [])
        sent.append(now)
      } else if asking.probe(at: .at(now)) != nil {
        sent.append(now)
      }
    }
    let pauses = zip(sent, sent.dropFirst()).map { $1 - $0 }
    #expect(pauses.allSatisfy { $0 <= 101 })
    #expect((220...240).contains(sent.count), "\(sent.count)")
    let ages = stride(from: Int64(570), to: 20_000, by: 1_000).compactMap { report in
      sent.last { $0 <= report }.map { report - $0 }
    }
    #expect(ages.min() ?? .max < 20 && ages.max() ?? 0 > 50, "\(ages)")
  }

  @Test func sendsOneReportAfterAStallNotAllThatWereMissed() {
    var scheduler = scheduler()
    _ = scheduler.reports(at: .at(60_000), blocks: [])
    #expect(scheduler.deadline == .at(61_000))
  }

  @Test func reportsAsASenderWhileItSends() throws {
    var scheduler = scheduler(clock: NTPClock(anchor: NTPTime(seconds: 100, fraction: 0), at: .at(0)))
    for index in 0..<25 {
      scheduler.sent(timestamp: 1_000 + UInt32(index) * 960, payloadLength: 160, at: .at(Int64(index) * 20))
    }
    guard case .senderReport(let report) = try #require(scheduler.reports(at: .at(500), blocks: []).first) else {
      return #expect(Bool(false), "a sender must send a sender report")
    }
    #expect(report.time == NTPTime(seconds: 100, fraction: 0x8000_0000))
    // 480 ms of packets, and 20 ms since the last: the media clock at the time of the report.
    #expect(report.timestamp == 1_000 + 24_000)
    #expect((report.packetCount, report.byteCount) == (25, 4_000))
    guard case .receiverReport = try #require(scheduler.reports(at: .at(2_480), blocks: []).first) else {
      return #expect(Bool(false), "one that sent nothing for two intervals is a receiver")
    }
  }

  @Test func learnsTheRoundTripFromBlocksAboutItsStream() throws {
    var sender = scheduler(1)
    var receiver = StreamReceiver(ssrc: 1)
    sender.sent(timestamp: 0, payloadLength: 1, at: .at(400))
    let first = try #require(sender.reports(at: .at(500), blocks: []).first)
    guard case .senderReport(let report) = first else { return _ = Issue.record("\(first)") }
    receiver.handle(report, at: .at(530))
    let block = receiver.reportBlock(at: .at(900))
    #expect(sender.roundTrip == nil)
    sender.received(.receiverReport(ReceiverReport(ssrc: 2, blocks: [ReportBlock(ssrc: 99), block])), at: .at(945))
    let roundTrip = try #require(sender.roundTrip)
    #expect(abs(roundTrip.milliseconds - 75) < 0.1)
    #expect(sender.remoteBlock == block)
  }

  @Test func learnsTheRoundTripOfAPureReceiver() throws {
    var receiver = scheduler(1, asksForDelay: true)
    var sender = scheduler(2)
    for packet in receiver.reports(at: .at(500), blocks: []) { sender.received(packet, at: .at(520)) }
    let answer = sender.reports(at: .at(800), blocks: [])
    for packet in try RTCPCompound.parse(RTCPCompound.write(answer)) { receiver.received(packet, at: .at(825)) }
    #expect(abs(try #require(receiver.roundTrip).milliseconds - 45) < 0.1)
    // Answered once, not for ever.
    #expect(sender.reports(at: .at(1_800), blocks: []).count == 2)
  }

  @Test func smoothsTheRoundTrip() throws {
    var scheduler = scheduler()
    func block(sent: Int64) -> RTCPPacket {
      let middle = NTPClock().time(at: .at(sent)).middle
      return .receiverReport(ReceiverReport(ssrc: 2, blocks: [ReportBlock(ssrc: 1, lastSenderReport: middle)]))
    }
    scheduler.received(block(sent: 1_000), at: .at(1_040))
    scheduler.received(block(sent: 2_000), at: .at(2_080))
    #expect(abs(try #require(scheduler.roundTrip).milliseconds - 50) < 0.1)
    // A queue of two seconds, and its end: requests for what is missing must not wait for it any longer.
    scheduler.received(block(sent: 3_000), at: .at(5_000))
    #expect(abs(try #require(scheduler.roundTrip).milliseconds - 537.5) < 0.1)
    scheduler.received(block(sent: 5_000), at: .at(5_040))
    #expect(abs(try #require(scheduler.roundTrip).milliseconds - 40) < 0.1)
  }

  @Test func believesNoImpossibleRoundTrip() {
    var scheduler = scheduler()
    for (sent, held) in [(0, 5), (0xFFFF_FFFF, 0), (0x8000_0000, 0x8000_0000), (1, 0xFFFF_FFFF), (0x0005_0000, 0)]
      as [(UInt32, UInt32)]
    {
      let block = ReportBlock(ssrc: 1, lastSenderReport: sent, delaySinceLastSenderReport: held)
      scheduler.received(.receiverReport(ReceiverReport(ssrc: 2, blocks: [block])), at: .at(60_000))
    }
    #expect(scheduler.roundTrip == nil)
  }

  @Test func keepsNoMoreThanFourAskers() throws {
    var scheduler = scheduler()
    for ssrc in UInt32(0)..<1_000 {
      scheduler.received(
        .extendedReport(ExtendedReport(ssrc: ssrc, blocks: [.receiverReferenceTime(NTPTime(bits: 1 << 40))])),
        at: .at(0))
    }
    guard case .extendedReport(let report) = try #require(scheduler.reports(at: .at(500), blocks: []).last),
      case .delaySinceLastReceiverReport(let delays) = try #require(report.blocks.first)
    else { return #expect(Bool(false), "the askers must be answered") }
    #expect(delays.map(\.ssrc) == [996, 997, 998, 999])
  }

  @Test func saysGoodbyeAndIsSilent() throws {
    var scheduler = scheduler()
    let packets = scheduler.goodbye(at: .at(100), reason: "done")
    #expect(packets.count == 3)
    #expect(packets.last == .goodbye(Goodbye(sources: [1], reason: "done")))
    #expect(scheduler.deadline == nil)
  }

  @Test func showsAWallClockThatOnlyTheMonotonicClockMoves() {
    let clock = NTPClock(anchor: NTPTime(unixNanoseconds: 1_700_000_000_000_000_000), at: .at(5_000))
    #expect(clock.time(at: .at(6_500)).unixNanoseconds == 1_700_000_001_500_000_000)
    #expect(clock.time(at: .at(4_000)).unixNanoseconds == 1_699_999_999_000_000_000)
    #expect(NTPClock.ticks(.milliseconds(-5)) == 0)
    #expect(NTPClock.ticks(.seconds(100_000)) == .max)
    #expect(NTPClock.span(ticks: 65_536 * 3) == .seconds(3))
  }
}
