import Testing

@testable import Signaling

/// Ogg as it comes through a pipe.
@Suite struct OggPacketsTests {
  /// A page with `table` and a body of counting bytes.
  private func page(_ table: [UInt8], granule: UInt8) -> [UInt8] {
    var bytes = Array("OggS".utf8) + [0, 0, granule] + [UInt8](repeating: 0, count: 7)
    if granule == 255 { bytes = Array("OggS".utf8) + [0, 0] + [UInt8](repeating: 255, count: 8) }
    bytes += [UInt8](repeating: 0, count: 12) + [UInt8(table.count)] + table
    return bytes + (0..<table.reduce(0) { $0 + Int($1) }).map { UInt8(truncatingIfNeeded: $0) }
  }

  @Test func packetsAreTheSameInWhateverPiecesTheyCome() throws {
    // Two packets on a page; one that goes on over two pages.
    let bytes = page([3, 4], granule: 9) + page([255, 255], granule: 255) + page([10], granule: 20)
    for piece in [1, 2, 27, 100, bytes.count] {
      var ogg = OggPackets()
      var packets: [OggPackets.Packet] = []
      for start in stride(from: 0, to: bytes.count, by: piece) {
        packets += try ogg.add(bytes[start..<min(start + piece, bytes.count)])
      }
      #expect(packets.map(\.bytes.count) == [3, 4, 520])
      #expect(packets.map(\.granule) == [nil, 9, 20])
    }
  }

  @Test func whatIsNoPageIsRefused() {
    #expect(throws: OggPackets.Nonsense.self) {
      var ogg = OggPackets()
      _ = try ogg.add(Array("RIFF, which is something else".utf8))
    }
    #expect(throws: OggPackets.Nonsense.self) {
      var ogg = OggPackets()
      for _ in 0..<3 { _ = try ogg.add(page([UInt8](repeating: 255, count: 255), granule: 255)) }
    }
  }
}
