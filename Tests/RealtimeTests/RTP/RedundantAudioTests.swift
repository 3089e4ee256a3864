import TestSupport
import Testing

@testable import Realtime

@Suite struct RedundantAudioTests {
  @Test func readsWhatBrowsersSend() throws {
    // Payload type 111, 960 ticks older, 3 bytes; then the primary of 111.
    let payload = hexadecimal("ef 0f00 03 6f aabbcc 0102")
    let red = try RedundantAudio(parsing: payload[...])
    #expect(red.redundant.map(\.timestampOffset) == [960])
    #expect(red.redundant.map(\.payloadType) == [111])
    #expect(red.redundant.map { Array($0.payload) } == [[0xAA, 0xBB, 0xCC]])
    #expect(red.primaryPayloadType == 111)
    #expect(Array(red.primary) == [1, 2])
  }

  @Test func readsBackWhatItWrote() throws {
    let red = RedundantAudio(
      redundant: [
        .init(
          payloadType: 111, timestampOffset: RedundantAudio.offsetLimit,
          payload: ArraySlice([UInt8](repeating: 1, count: 1023))),
        .init(payloadType: 96, timestampOffset: 480, payload: []),
      ], primaryPayloadType: 111, primary: [9, 8, 7])
    // A slice that does not begin at zero, as a packet's payload does not.
    let payload = [0, 0] + (try red.payload())
    #expect(try RedundantAudio(parsing: payload[2...]) == red)
  }

  @Test func takesAnEmptyPrimary() throws {
    #expect(try RedundantAudio(parsing: [0x6F]).primary.isEmpty)
  }

  @Test func refusesWhatIsCutShort() {
    let payload = hexadecimal("ef 0f00 03 6f aabbcc 0102")
    for length in 0..<8 {
      #expect(throws: RTPError.self) { try RedundantAudio(parsing: payload.prefix(length)) }
    }
    #expect(throws: RTPError.truncatedRedundancy(length: 0, needed: 1)) { try RedundantAudio(parsing: []) }
  }

  @Test func refusesMoreBlocksThanItTakes() {
    let heads = [[UInt8]](repeating: [0xEF, 0, 0, 0], count: RedundantAudio.blockLimit + 1).flatMap { $0 }
    #expect(throws: RTPError.tooManyRedundantBlocks(limit: RedundantAudio.blockLimit)) {
      try RedundantAudio(parsing: (heads + [0x6F])[...])
    }
  }

  @Test func refusesToWriteWhatTheFieldsCannotHold() {
    let old = RedundantAudio(
      redundant: [.init(payloadType: 1, timestampOffset: 0x4000, payload: [])], primaryPayloadType: 1, primary: [])
    #expect(throws: RTPError.unwritableRedundancy(length: 0, offset: 0x4000)) { try old.payload() }
  }

  @Test func survivesNoise() {
    var random = SeededRandom(7)
    var read = 0
    var mistakes = 0
    for _ in 0..<2_000 {
      let payload = (0..<Int.random(in: 0...60, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      guard let red = try? RedundantAudio(parsing: payload[...]) else { continue }
      read += 1
      let total = red.primary.count + red.redundant.reduce(0) { $0 + $1.payload.count }
      if total + red.redundant.count * 4 + 1 != payload.count || (try? red.payload()) != payload { mistakes += 1 }
    }
    #expect(mistakes == 0)
    #expect(read > 400)
  }
}
