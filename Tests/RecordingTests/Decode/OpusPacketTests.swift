import TestSupport
import Testing

@testable import Recording

@Suite struct OpusPacketTests {
  private func read(_ bytes: [UInt8]) -> OpusPacket? { OpusPacket(bytes.span) }

  @Test func readsEveryDurationOfTheTable() {
    // RFC 6716 table 2, in samples at 48 kHz.
    let silk = [480, 960, 1_920, 2_880]
    let hybrid = [480, 960]
    let celt = [120, 240, 480, 960]
    for configuration in 0..<32 {
      let expected =
        configuration < 12
        ? silk[configuration % 4] : configuration < 16 ? hybrid[configuration % 2] : celt[configuration % 4]
      for code in 0..<3 {
        let bytes = [UInt8(configuration << 3 | code), 1, 2, 3]
        let packet = read(bytes)
        let frames = code == 0 ? 1 : 2
        #expect(packet?.duration == expected * frames)
        #expect(packet?.frameDuration == expected)
      }
    }
  }

  @Test func silenceIsAsLongAsThePacketAndDecodesToNothing() throws {
    for configuration in 0..<32 {
      for (code, count) in [(0, 1), (1, 1), (3, 3)] {
        for stereo in [0, 4] {
          let packet = [UInt8(configuration << 3 | stereo | code), UInt8(count), 2, 3]
          let silence = OpusPacket.silence(like: packet.span)
          guard let length = read(packet)?.duration else {
            #expect(silence == nil)
            continue
          }
          let made = try #require(silence)
          #expect(read(made)?.duration == length)
          #expect(read(made)?.isStereo == (stereo > 0))
          #expect(read(made)?.isDiscontinuous == false)
          var samples = [Float](repeating: 1, count: 2 * OpusPacket.longest)
          let decoder = try OpusDecoder(channels: 2)
          let frames = try samples.withUnsafeMutableBufferPointer { try decoder.decode(made[...], into: $0) }
          #expect(frames == length)
          #expect(samples.prefix(2 * frames).allSatisfy { abs($0) < 1e-6 })
        }
      }
    }
    #expect(OpusPacket.silence(like: [UInt8]().span) == nil)
    let announced: [UInt8] = [0xFC]
    #expect(OpusPacket.silence(like: announced.span) == announced)
  }

  @Test func refusesWhatIsNoPacket() {
    #expect(read([]) == nil)
    // Code 3 needs a count, of at least one, and of 120 ms at most.
    #expect(read([0xFB]) == nil)
    #expect(read([0xFB, 0]) == nil)
    #expect(read([0xFB, 7]) == nil)
    #expect(read([0xFB, 6])?.duration == 5_760)
  }

  @Test func noBytesTrap() {
    var random = SeededRandom(5)
    var count = 0
    for _ in 0..<5_000 {
      let bytes = (0..<Int.random(in: 0..<8, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      guard let packet = read(bytes) else { continue }
      count += 1
      #expect((120...5_760).contains(packet.duration))
    }
    #expect(count > 1_000)
  }

  @Test func tellsStereoAndRedundancyOfRealPackets() throws {
    let signal = VirtualSignal()
    let voice = try OpusEncoder(.init(channels: 1, bitrate: 24_000, complexity: 0, isVoice: true, expectedLoss: 30))
    let music = try OpusEncoder(.init(channels: 2, bitrate: 128_000, complexity: 0))
    var redundant = 0
    for index in 0..<20 {
      let samples = signal.samples(from: index * 960, count: 960)
      let spoken = try #require(read(voice.encode(samples)))
      #expect(!spoken.isStereo)
      if spoken.hasForwardErrorCorrection { redundant += 1 }
      let played = try #require(read(music.encode(samples.flatMap { [$0, -$0] })))
      #expect(played.isStereo)
      #expect(played.duration == 960)
      #expect(!played.hasForwardErrorCorrection)
    }
    #expect(redundant > 10)
  }
}
