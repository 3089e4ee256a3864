import Machines
import Testing

@testable import Realtime

@Suite struct RetransmissionHistoryTests {
  private func history(upTo last: UInt16, depth: Int = 512) -> RetransmissionHistory {
    var history = RetransmissionHistory(depth: depth)
    for number in 0...last { history.store([UInt8(truncatingIfNeeded: number)], sequenceNumber: number) }
    return history
  }

  @Test func repeatsWhatItKeepsAndNothingElse() {
    var history = history(upTo: 1_000)
    #expect(history.packet(1_000, at: .at(0), roundTrip: .zero) == [UInt8(1_000 & 255)])
    #expect(history.packet(489, at: .at(0), roundTrip: .zero) == [UInt8(489 & 255)])
    #expect(history.packet(488, at: .at(0), roundTrip: .zero) == nil)
    #expect(history.packet(1_001, at: .at(0), roundTrip: .zero) == nil)
    #expect(history.counts == .init(repeated: 2, refused: 0, missing: 2))
  }

  @Test func knowsNothingBeforeTheFirstPacket() {
    var history = RetransmissionHistory()
    #expect(history.packet(0, at: .at(0), roundTrip: .zero) == nil)
  }

  @Test func repeatsAPacketOnceARoundTrip() {
    var history = history(upTo: 10)
    #expect(history.packet(5, at: .at(0), roundTrip: .milliseconds(80)) != nil)
    #expect(history.packet(5, at: .at(79), roundTrip: .milliseconds(80)) == nil)
    #expect(history.packet(5, at: .at(80), roundTrip: .milliseconds(80)) != nil)
    #expect(history.packet(6, at: .at(80), roundTrip: .zero) != nil)
    #expect(history.packet(6, at: .at(85), roundTrip: .zero) == nil)
  }

  @Test func boundsAllRepeatsTogether() {
    var history = history(upTo: 511)
    var repeated = 0
    for time in stride(from: Int64(0), to: 10_000, by: 20) {
      for number in UInt16(0)..<512 where history.packet(number, at: .at(time), roundTrip: .zero) != nil {
        repeated += 1
      }
    }
    #expect(repeated <= 512 + 500 * 10)
    #expect(repeated > 5_000)
  }

  @Test func forgetsOverTheWrap() {
    var history = RetransmissionHistory(depth: 4)
    for number: UInt16 in [65_534, 65_535, 0, 1] { history.store([9], sequenceNumber: number) }
    #expect(history.packet(65_534, at: .at(0), roundTrip: .zero) != nil)
    history.store([9], sequenceNumber: 2)
    #expect(history.packet(65_534, at: .at(50), roundTrip: .zero) == nil)
    #expect(history.packet(2, at: .at(50), roundTrip: .zero) != nil)
  }
}
