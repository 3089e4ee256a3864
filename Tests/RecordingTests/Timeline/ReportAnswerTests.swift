import Machines
import Realtime
import TestSupport
import Testing

@testable import Recording

@Suite struct ReportAnswerTests {
  private let clock = NTPClock()

  private func answers(_ packets: [RTCPPacket], at milliseconds: Int64) -> [ReportAnswer] {
    ReportAnswer.answers(in: packets, at: clock.time(at: MonotonicTime(nanoseconds: milliseconds * 1_000_000)))
  }

  private func delay(sent milliseconds: Int64, held ticks: UInt32 = 0) -> RTCPPacket {
    let sent = clock.time(at: MonotonicTime(nanoseconds: milliseconds * 1_000_000)).middle
    return .extendedReport(
      ExtendedReport(
        ssrc: 7,
        blocks: [.delaySinceLastReceiverReport([.init(ssrc: 1, lastReceiverReport: sent, delay: ticks)])]))
  }

  @Test func readsWhenOurReportLeftAndHowLongItWasHeld() throws {
    let answer = try #require(answers([delay(sent: 5_000, held: 32_768)], at: 5_560).first)
    #expect(abs(answer.elapsed - 0.56) < 1e-4)
    #expect(answer.held == 0.5)
    #expect(answer.senderTime == nil)
  }

  @Test func knowsTheSendersClockWhereAReportIsBesideIt() throws {
    let report = SenderReport(
      ssrc: 7, time: NTPTime(seconds: 3_900_000_000, fraction: 1 << 31), timestamp: 0, packetCount: 0, byteCount: 0,
      blocks: [])
    let answer = try #require(answers([.senderReport(report), delay(sent: 5_000)], at: 5_060).first)
    #expect(answer.senderTime == 3_900_000_000.5)
  }

  @Test func goesRoundWithTheClock() throws {
    // The middle 32 bits begin anew every 65,536 seconds.
    let answer = try #require(answers([delay(sent: 65_535_980)], at: 65_536_040).first)
    #expect(abs(answer.elapsed - 0.06) < 1e-4)
  }

  @Test func leavesOutWhatAnswersNothingOfOurs() {
    #expect(answers([delay(sent: 0)], at: 60).isEmpty)
    #expect(answers([delay(sent: 5_000)], at: 4_000).isEmpty)
    #expect(answers([delay(sent: 5_000)], at: 90_000).isEmpty)
    #expect(answers([delay(sent: 5_000, held: 65_536)], at: 5_500).isEmpty)
    #expect(answers([.receiverReport(ReceiverReport(ssrc: 7, blocks: []))], at: 5_500).isEmpty)
  }

  @Test func bothWaysApartPlaceMoreExactlyThanTheirSum() {
    // 30 ms each way and up to 10 ms of waiting on either; fifty packets but one answer a second.
    var random = SeededRandom(4)
    var (together, apart) = (0.0, 0.0)
    for _ in 0..<20 {
      var (sum, ways) = (SenderClock(), SenderClock())
      for packet in 0..<1_500 {
        let end = Double(packet + 1) * 0.02
        let arrival = end + 0.03 + random.unit() * 0.01
        sum.observe(packet: Int64(packet), endingAt: end, arrival: arrival, isInOrder: true)
        ways.observe(packet: Int64(packet), endingAt: end, arrival: arrival, isInOrder: true)
        guard packet % 50 == 49 else { continue }
        ways.observe(captureTime: end + 1e9, media: end, arrival: arrival)
        let reached = end + 0.03 + random.unit() * 0.01
        let returned = reached + 0.2 + 0.03 + random.unit() * 0.01
        sum.observe(answerTo: end, held: 0.2, senderTime: nil, arrival: returned)
        ways.observe(answerTo: end, held: 0.2, senderTime: reached + 0.2 + 1e9, arrival: returned)
      }
      together += abs(sum.origin)
      apart += abs(ways.origin)
    }
    #expect(apart < together / 2, "\(apart / 20 * 1_000) and \(together / 20 * 1_000) ms")
    #expect(apart / 20 < 0.000_5)
  }

  @Test func anAnswerByAnotherClockMovesNothingBeyondTheRoundTrip() {
    var clock = SenderClock()
    for packet in 0..<1_000 {
      let end = Double(packet + 1) * 0.02
      clock.observe(packet: Int64(packet), endingAt: end, arrival: end + 0.03, isInOrder: true)
      guard packet % 50 == 0 else { continue }
      clock.observe(captureTime: end + 1e9, media: end, arrival: end + 0.03)
      // The report's clock lies three seconds behind that of the capture times.
      clock.observe(answerTo: end, held: 0, senderTime: end + 0.03 + 1e9 - 3, arrival: end + 0.06)
      clock.observe(answerTo: end, held: -1, senderTime: .nan, arrival: .infinity)
    }
    #expect(abs(clock.origin) <= clock.errorBound)
    #expect(clock.errorBound < 0.05)
  }
}
