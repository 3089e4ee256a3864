import Machines
import Testing

@testable import Realtime

@Suite struct SourceLatchTests {
  private static let encoder = SourceLatch.Sender(host: 0xC000_0201, port: 5_004)
  private static let restarted = SourceLatch.Sender(host: 0xC000_0201, port: 5_008)
  private static let stranger = SourceLatch.Sender(host: 0xC633_6407, port: 40_000)

  private func time(_ milliseconds: Int64) -> MonotonicTime {
    MonotonicTime(nanoseconds: 0) + .milliseconds(milliseconds)
  }

  private func packet(_ number: Int, source: UInt32 = 7, timestamp: UInt32? = nil) -> [UInt8] {
    func bytes(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
    return [0x80, 111] + bytes(UInt32(UInt16(truncatingIfNeeded: number))).suffix(2)
      + bytes(timestamp ?? UInt32(truncatingIfNeeded: number * 960)) + bytes(source) + [0xFC, 0xFF, 0xFE]
  }

  /// The sequence numbers that are taken because of this datagram: those held before it and its own.
  private func taken(
    _ latch: inout SourceLatch, _ datagram: [UInt8], from sender: SourceLatch.Sender, at milliseconds: Int64
  ) -> [Int] {
    let held = datagram.withUnsafeBytes { latch.admit($0, from: sender, at: time(milliseconds)) }
    guard let held else { return [] }
    return (held.map(\.bytes) + [datagram]).map { Int($0[2]) << 8 | Int($0[3]) }
  }

  /// An input whose encoder has sent `count` packets, 20 ms apart.
  private func latched(count: Int = 10, source: UInt32? = nil) -> SourceLatch {
    var latch = SourceLatch(onlySource: source)
    for number in 0..<count { _ = taken(&latch, packet(number), from: Self.encoder, at: Int64(number) * 20) }
    return latch
  }

  @Test func aRunIsTakenWholeAndWithItsOwnTimes() {
    var latch = SourceLatch()
    #expect(taken(&latch, packet(65_534), from: Self.encoder, at: 0) == [])
    #expect(taken(&latch, packet(65_535), from: Self.encoder, at: 20) == [])
    let third = packet(65_536).withUnsafeBytes { latch.admit($0, from: Self.encoder, at: time(40)) }
    #expect(third?.map(\.arrival) == [time(0), time(20)])
    #expect(taken(&latch, packet(65_537), from: Self.encoder, at: 60) == [1])
    #expect(latch.dropped == 0)
  }

  @Test func lossesDoNotBreakARun() {
    var latch = SourceLatch()
    #expect(taken(&latch, packet(3), from: Self.encoder, at: 0) == [])
    #expect(taken(&latch, packet(6), from: Self.encoder, at: 60) == [])
    #expect(taken(&latch, packet(16), from: Self.encoder, at: 260) == [3, 6, 16])
  }

  @Test func whatWasOvertakenAmongTheFirstIsTaken() {
    var latch = SourceLatch()
    #expect(taken(&latch, packet(1), from: Self.encoder, at: 0) == [])
    #expect(taken(&latch, packet(0), from: Self.encoder, at: 5) == [])
    #expect(taken(&latch, packet(1), from: Self.encoder, at: 6) == [])
    #expect(taken(&latch, packet(3), from: Self.encoder, at: 40) == [])
    #expect(taken(&latch, packet(2), from: Self.encoder, at: 45) == [])
    #expect(taken(&latch, packet(4), from: Self.encoder, at: 60) == [1, 0, 1, 3, 2, 4])
    #expect(latch.dropped == 0)
  }

  @Test(arguments: [
    // Numbers that jump, RTP times that stand still, that jump, the same number again.
    [(1, 960), (500, 1_920), (900, 2_880), (10, 3_840)], [(1, 960), (2, 960), (3, 960), (4, 960)],
    [(1, 960), (2, 90_000), (3, 1_920), (4, 900_000)], [(1, 960), (1, 960), (1, 960), (1, 960)],
  ])
  func whatIsNoRunIsNotTaken(packets: [(Int, UInt32)]) {
    var latch = SourceLatch()
    for (index, (number, timestamp)) in packets.enumerated() {
      let datagram = packet(number, timestamp: timestamp)
      #expect(taken(&latch, datagram, from: Self.stranger, at: Int64(index) * 20) == [])
    }
    // Nor is it in the encoder's way.
    for number in 20..<22 { _ = taken(&latch, packet(number), from: Self.encoder, at: Int64(number) * 20) }
    #expect(taken(&latch, packet(22), from: Self.encoder, at: 440) == [20, 21, 22])
  }

  @Test func strangersAreDroppedWhateverTheySend() {
    var latch = latched()
    for number in 10..<200 {
      let now = Int64(number) * 20
      // With the encoder's own SSRC and numbers too.
      #expect(taken(&latch, packet(number), from: Self.stranger, at: now) == [])
      #expect(taken(&latch, packet(number, source: 9), from: Self.stranger, at: now) == [])
      #expect(taken(&latch, packet(number, source: 9), from: Self.restarted, at: now) == [])
      #expect(taken(&latch, packet(number), from: Self.encoder, at: now + 1) == [number])
    }
    // What is held of them is bounded; the rest is counted.
    #expect(latch.dropped > 100)
  }

  @Test func reportsOfTheSameMachineAreTakenAndStrangersGoodbyesAreNot() {
    var latch = latched()
    let goodbye: [UInt8] = [0x80, 201, 0, 1, 0, 0, 0, 7, 0x81, 203, 0, 1, 0, 0, 0, 7]
    func isTaken(_ sender: SourceLatch.Sender) -> Bool {
      goodbye.withUnsafeBytes { latch.admit($0, from: sender, at: time(300)) != nil }
    }
    #expect(!isTaken(Self.stranger))
    for number in 10..<15 { #expect(taken(&latch, packet(number), from: Self.stranger, at: 310) == []) }
    #expect(isTaken(Self.restarted))
    // The place is free once the last packets have come: the next run has it.
    #expect(taken(&latch, packet(10), from: Self.encoder, at: 320) == [10])
    for number in 15..<18 {
      #expect(taken(&latch, packet(number, source: 9), from: Self.stranger, at: Int64(number) * 20 + 30) == [])
    }
    #expect(taken(&latch, packet(18, source: 9), from: Self.stranger, at: 530) == [15, 16, 17, 18])
  }

  @Test func aGoodbyeThatTheHolderContradictsFreesNothing() {
    var latch = latched()
    let goodbye: [UInt8] = [0x80, 201, 0, 1, 0, 0, 0, 7, 0x81, 203, 0, 1, 0, 0, 0, 7]
    for number in 10..<100 {
      let now = Int64(number) * 20
      // Somebody else on the encoder's machine sends one again and again, and plays besides.
      _ = goodbye.withUnsafeBytes { latch.admit($0, from: Self.restarted, at: time(now)) }
      #expect(taken(&latch, packet(number), from: Self.encoder, at: now + 5) == [number])
      #expect(taken(&latch, packet(number, source: 9), from: Self.restarted, at: now + 10) == [])
    }
    // Nor does the last of them count once the holder has gone on for a moment.
    #expect(taken(&latch, packet(111), from: Self.encoder, at: 2_220) == [111])
    for number in 100..<120 {
      #expect(taken(&latch, packet(number, source: 9), from: Self.stranger, at: Int64(number) * 20 + 230) == [])
    }
  }

  /// A musician pauses for six seconds, and somebody who has been sending all the time goes on.
  @Test(arguments: [Self.stranger, Self.restarted])
  func aSenderBesideTheHolderDoesNotInheritAPause(other: SourceLatch.Sender) {
    var latch = latched()
    for number in 10..<200 {
      #expect(taken(&latch, packet(number, source: 9), from: other, at: Int64(number) * 20) == [])
      guard number < 100 || number >= 400 else { continue }
      #expect(taken(&latch, packet(number), from: Self.encoder, at: Int64(number) * 20 + 1) == [number])
    }
    for number in 200..<400 {
      #expect(taken(&latch, packet(number, source: 9), from: other, at: Int64(number) * 20) == [])
    }
    #expect(taken(&latch, packet(400), from: Self.encoder, at: 8_001) == [400])
  }

  @Test func aSenderBesideTheHolderIsTakenAfterALongSilenceAndFromThenOn() {
    var latch = latched(count: 100)
    var first: [Int] = []
    for number in 10..<2_000 where first.isEmpty {
      first = taken(&latch, packet(number, source: 9), from: Self.stranger, at: Int64(number) * 20)
    }
    // The holder was last heard at 1.98 s.
    #expect(first == [1_597, 1_598, 1_599])
  }

  @Test(arguments: [Self.stranger, Self.restarted])
  func theFormerHolderHasPrecedence(other: SourceLatch.Sender) {
    var latch = latched()
    var all: [Int] = []
    for number in 0..<400 {
      all += taken(&latch, packet(number, source: 9), from: other, at: 400 + Int64(number) * 20)
    }
    #expect(all.last == 399)
    // Six seconds later the musician plays on; the other one does not stop.
    for number in 420..<600 {
      let now = Int64(number) * 20
      let returned = taken(&latch, packet(number), from: Self.encoder, at: now)
      #expect(returned == (number < 422 ? [] : number == 422 ? [420, 421, 422] : [number]))
      let isStillHeard = !taken(&latch, packet(number, source: 9), from: other, at: now + 5).isEmpty
      #expect(isStillHeard == (number < 422))
    }
  }

  @Test func aHolderThatSaidGoodbyeHasNoPrecedence() {
    var latch = latched()
    let goodbye: [UInt8] = [0x80, 201, 0, 1, 0, 0, 0, 7, 0x81, 203, 0, 1, 0, 0, 0, 7]
    _ = goodbye.withUnsafeBytes { latch.admit($0, from: Self.encoder, at: time(200)) }
    for number in 0..<40 {
      _ = taken(&latch, packet(number, source: 9), from: Self.restarted, at: 300 + Int64(number) * 20)
    }
    for number in 60..<70 {
      #expect(taken(&latch, packet(number), from: Self.encoder, at: Int64(number) * 20) == [])
    }
  }

  @Test func aReportAmongTheFirstPacketsIsTakenWithThem() {
    var latch = SourceLatch()
    let report = RTCPCompound.write([
      .senderReport(SenderReport(ssrc: 7, time: NTPTime(bits: 1), timestamp: 960, packetCount: 1, byteCount: 3))
    ])
    func isTaken(_ sender: SourceLatch.Sender, at milliseconds: Int64) -> Bool {
      report.withUnsafeBytes { latch.admit($0, from: sender, at: time(milliseconds)) != nil }
    }
    // It may even overtake the first, and a stranger's is dropped.
    #expect(!isTaken(Self.restarted, at: 1))
    #expect(!isTaken(Self.stranger, at: 2))
    #expect(taken(&latch, packet(1), from: Self.encoder, at: 5) == [])
    #expect(!isTaken(Self.encoder, at: 10))
    #expect(taken(&latch, packet(2), from: Self.encoder, at: 20) == [])
    let third = packet(3).withUnsafeBytes { latch.admit($0, from: Self.encoder, at: time(40)) }
    #expect(third?.map(\.arrival) == [time(1), time(5), time(10), time(20)])
    #expect(third?.map(\.bytes.count) == [report.count, 15, report.count, 15])
    #expect(latch.dropped == 1)
    #expect(isTaken(Self.encoder, at: 50))
  }

  @Test func reportsOfManyStrangersAreBounded() {
    var latch = SourceLatch()
    let report = RTCPCompound.write([
      .senderReport(SenderReport(ssrc: 7, time: NTPTime(bits: 1), timestamp: 960, packetCount: 1, byteCount: 3))
    ])
    for number in 0..<100 as Range<Int64> {
      let isTaken = report.withUnsafeBytes { latch.admit($0, from: Self.stranger, at: time(number)) != nil }
      #expect(!isTaken)
    }
    #expect(latch.dropped == 96)
  }

  @Test func anEncoderThatIsStartedAnewLosesNothing() {
    var latch = latched()
    // The last packet of the former came at 180 ms; the new one begins 100 ms later.
    var all: [Int] = []
    for number in 0..<40 {
      all += taken(&latch, packet(number, source: 9), from: Self.restarted, at: 280 + Int64(number) * 20)
    }
    #expect(all == Array(0..<40))
  }

  @Test func anotherMachineWaitsUntilTheFormerIsSilentForSeconds() {
    var latch = latched()
    var first: Int?
    for number in 0..<400 where first == nil {
      if !taken(&latch, packet(number, source: 9), from: Self.stranger, at: 180 + Int64(number) * 20).isEmpty {
        first = number
      }
    }
    #expect(first == 250)
  }

  @Test func anSSRCThatWasAgreedOnIsTheOnlyOne() {
    var latch = SourceLatch(onlySource: 7)
    for number in 0..<10 { #expect(taken(&latch, packet(number, source: 9), from: Self.stranger, at: 0) == []) }
    for number in 0..<2 { _ = taken(&latch, packet(number), from: Self.encoder, at: 10) }
    #expect(taken(&latch, packet(2), from: Self.encoder, at: 20) == [0, 1, 2])
  }

  @Test func whatIsNoRTPIsDropped() {
    var latch = latched()
    for datagram: [UInt8] in [[], [0x80], [0x80, 111], [22, 254, 253], [0xFF, 0xFF, 0xFF, 0xFF]] {
      #expect(taken(&latch, datagram, from: Self.stranger, at: 200) == [])
    }
    #expect(latch.dropped == 5)
  }
}
