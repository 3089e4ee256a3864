import TestSupport
import Testing

@testable import Recording

struct CRC32CTests {
  /// RFC 3720 appendix B.4, and the check value of the CRC catalogue.
  private static let known: [(bytes: [UInt8], checksum: UInt32)] = [
    ([UInt8](repeating: 0, count: 32), 0x8A91_36AA),
    ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43),
    ([UInt8](0..<32), 0x46DD_794E),
    ([UInt8]((0..<32).reversed()), 0x113F_DB5C),
    ([UInt8]("123456789".utf8), 0xE306_9283),
  ]

  @Test func givesTheChecksumsOfTheStandard() {
    for (bytes, checksum) in CRC32CTests.known {
      #expect(CRC32C.of(bytes) == checksum)
      #expect(~bytes.withUnsafeBytes { CRC32C.byTables(~0, $0) } == checksum)
    }
  }

  @Test func theInstructionAndTheTablesAgreeAtEveryLengthAndAlignment() {
    var generator = SeededRandom(1)
    let bytes = (0..<300).map { _ in UInt8.random(in: 0...255, using: &generator) }
    for start in 0..<9 {
      for end in stride(from: start, to: bytes.count, by: 7) {
        let piece = Array(bytes[start..<end])
        let byTables = bytes[start..<end].withUnsafeBytes { ~CRC32C.byTables(~0, $0) }
        #expect(CRC32C.of(piece) == byTables)
      }
    }
  }

  @Test func goesOnFromWhereItStopped() {
    let whole = CRC32C.of(Array("the quick brown fox".utf8))
    let half = CRC32C.of(Array("the quick ".utf8))
    #expect(CRC32C.of(Array("brown fox".utf8), seed: half) == whole)
  }
}
