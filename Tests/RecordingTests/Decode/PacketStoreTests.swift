import TestSupport
import Testing

@testable import Recording

/// How far waiting packets go without a hole.
@Suite struct PacketStoreTests {
  /// A packet of 20 ms with the number `sequence`.
  private func packet(_ sequence: Int64, isRedundant: Bool = false) -> StoredPacket {
    let payload: [UInt8] = [0xF8, 0xFF, 0xFE]
    return StoredPacket(
      sequence: sequence, timestamp: sequence * 960, payload: payload[...], opus: OpusPacket(payload.span),
      isRedundant: isRedundant)
  }

  /// The same by looking at all packets.
  private func wholeEnd(of store: PacketStore) -> Int64? {
    var last: StoredPacket?
    for packet in store.waiting {
      if packet.isRedundant { break }
      if let last, packet.sequence != last.sequence + 1 || packet.timestamp != last.timestamp + last.duration { break }
      last = packet
    }
    return last.map { $0.timestamp + $0.duration }
  }

  @Test func aHoleEndsWhatIsWholeUntilItsPacketComes() {
    var store = PacketStore()
    #expect(store.wholeEnd == nil)
    for sequence in [5, 6, 8, 9] as [Int64] { _ = store.insert(packet(sequence)) }
    #expect(store.wholeEnd == 6_720)
    _ = store.insert(packet(7, isRedundant: true))
    #expect(store.wholeEnd == 6_720)
    _ = store.insert(packet(7))
    #expect(store.wholeEnd == 9_600)
    // RTP time stood still before the last two.
    store.delay(from: 8, by: 480)
    #expect(store.wholeEnd == 7_680)
    for _ in 0..<3 { store.removeFirst() }
    #expect(store.wholeEnd == 10_080)
    #expect(store.split(from: 9).count == 1)
    #expect(store.wholeEnd == 9_120)
    store.removeFirst()
    #expect(store.wholeEnd == nil)
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>) func itIsKnownInWhateverOrderPacketsComeAndGo(seed: UInt64) {
    var random = SeededRandom(seed)
    var store = PacketStore()
    var newest: Int64 = 100
    for _ in 0..<3_000 {
      switch Int.random(in: 0..<20, using: &random) {
      case 0..<9:
        newest += Int64.random(in: 0..<12, using: &random) == 0 ? 2 : 1
        _ = store.insert(packet(newest))
      case 9..<12:
        let late = newest - Int64.random(in: 0..<30, using: &random)
        _ = store.insert(packet(late, isRedundant: Bool.random(using: &random)))
      case 12: store.delay(from: newest - 3, by: 480)
      case 13: _ = store.split(from: newest - 2)
      default: store.removeFirst()
      }
      let expected = wholeEnd(of: store)
      #expect(store.wholeEnd == expected)
    }
  }
}
