import Signaling
import TestSupport
import Testing

@testable import Server

@Suite struct DeflateTests {
  /// The examples of RFC 7692 section 7.2.3.
  @Test(
    arguments: [
      ([0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00], "Hello"),
      ([0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00], "Hello"),
      // With a final block.
      ([0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00], "Hello"),
      // In two blocks.
      ([0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00], "Hello"),
      ([0x00], ""),
    ] as [([UInt8], String)])
  func inflatesTheExamplesOfTheSpecification(bytes: [UInt8], text: String) throws {
    #expect(try Deflate.inflate(bytes, 5) == Array(text.utf8))
  }

  @Test(
    arguments: [[], [0xFF, 0xFF], [0xF2, 0x48, 0xCD], [0xF2, 0x48, 0xCD, 0xC9, 0xC9], [0x06], [0x00, 0x05, 0x00]]
      as [[UInt8]])
  func refusesWhatIsNoStream(bytes: [UInt8]) {
    #expect(throws: FrameViolation.notDeflate) { try Deflate.inflate(bytes, 1_000) }
  }

  @Test func stopsAtTheLimit() throws {
    let bomb = try #require(Deflate.deflate([UInt8](repeating: 0x20, count: 1 << 20), windowBits: 15))
    #expect(bomb.count < 2_000)
    #expect(throws: FrameViolation.tooLarge(limit: 262_144)) { try Deflate.inflate(bomb, 262_144) }
    #expect(throws: FrameViolation.tooLarge(limit: (1 << 20) - 1)) { try Deflate.inflate(bomb, (1 << 20) - 1) }
    #expect(try Deflate.inflate(bomb, 1 << 20).count == 1 << 20)
  }

  @Test(arguments: [100, 16_383, 16_384, 16_385, 32_768, 65_536, 262_144])
  func whatWasDeflatedIsInflated(length: Int) throws {
    var generator = SeededRandom(UInt64(length))
    let text = (0..<length).map { _ in UInt8.random(in: 0x61...0x64, using: &generator) }
    for bits in 9...15 {
      let bytes = try #require(Deflate.deflate(text, windowBits: bits))
      #expect(bytes.count < length && bytes.suffix(4) != [0, 0, 0xFF, 0xFF])
      #expect(try Deflate.inflate(bytes, length) == text)
    }
  }

  @Test func aNarrowWindowIsKept() throws {
    var generator = SeededRandom(1)
    let verse = (0..<1_000).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    // Each byte is one that came a thousand bytes before: too far for a window of 512.
    let song = verse + verse + verse
    #expect(Deflate.deflate(song, windowBits: 9) == nil, "it gets no shorter")
    let wide = try #require(Deflate.deflate(song, windowBits: 15))
    #expect(wide.count < 1_500)
  }

  @Test func whatGetsNoShorterIsLeftAsItIs() {
    #expect(Deflate.deflate([], windowBits: 15) == nil)
    #expect(Deflate.deflate(Array("Hello".utf8), windowBits: 15) == nil)
  }
}
