import Machines
import Testing

@testable import Realtime

@Suite struct RetransmissionHistoryTests {
  private func history(upTo last: UInt16, depth: Int = 512) -> RetransmissionHistory {
    var history = RetransmissionHistory(depth: depth)
    for number in 0...last {
      history.store(.own([UInt8(truncatingIfNeeded: number)]), sequenceNumber: number, at: .at(0))
    }
    return history
  }

  @Test func repeatsWhatItKeepsAndNothingElse() {
    var history = history(upTo: 1_000)
    #expect(history.packet(1_000, at: .at(0), roundTrip: .zero) == .own([UInt8(1_000 & 255)]))
    #expect(history.packet(489, at: .at(0), roundTrip: .zero) == .own([UInt8(489 & 255)]))
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

  @Test(arguments: [(10, 512), (20, 256), (60, 128), (120, 64)])
  func keepsFiveSecondsInAsManyPlacesAsTheyNeed(length: Int64, places: Int) {
    var history = RetransmissionHistory()
    for index in Int64(0)..<2_000 {
      let number = UInt16(truncatingIfNeeded: 65_000 + index)
      history.store(.own([UInt8(truncatingIfNeeded: index)]), sequenceNumber: number, at: .at(index * length))
      let oldest = max(0, index - 4_999 / length)
      let kept = history.packet(
        UInt16(truncatingIfNeeded: 65_000 + oldest), at: .at(index * length), roundTrip: .zero)
      #expect(kept == .own([UInt8(truncatingIfNeeded: oldest)]))
    }
    #expect(history.places == places)
  }

  @Test func forgetsOverTheWrap() {
    var history = RetransmissionHistory(depth: 4)
    for number: UInt16 in [65_534, 65_535, 0, 1] { history.store(.own([9]), sequenceNumber: number, at: .at(0)) }
    #expect(history.packet(65_534, at: .at(0), roundTrip: .zero) != nil)
    history.store(.own([9]), sequenceNumber: 2, at: .at(50))
    #expect(history.packet(65_534, at: .at(50), roundTrip: .zero) == nil)
    #expect(history.packet(2, at: .at(50), roundTrip: .zero) != nil)
  }
}
