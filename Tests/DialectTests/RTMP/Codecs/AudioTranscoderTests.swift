import Foundation
import TestSupport
import Testing

@testable import Server

/// Real AAC and MP3 through a real decoder; the worker is a thread of the test.
@Suite(.timeLimit(.minutes(2))) struct AudioTranscoderTests {
  /// Half a second of 1 kHz at the beginning of every second.
  private static let bursts = "aevalsrc='if(lt(mod(t,1),0.5),0.5*sin(2*PI*1000*t),0)':s=48000"
  private static let tone = "aevalsrc='0.5*sin(2*PI*997*t)':s=48000"

  private func sound(_ file: CodedFile, codec: StreamCodec = .aac) async throws -> TranscodedSound {
    let frames = file.frames.indices.map { file.frame($0) }
    let transcoder = AudioTranscoder(codec, configuration: file.configuration, program: nil)
    return try await TranscodedSound(transcoder) { put in
      for frame in frames { try await put(frame) }
    }
  }

  @Test(arguments: [48_000, 44_100, 32_000])
  func everySampleKeepsItsPlace(rate: Int) async throws {
    let file = try CodedFile(AudioTranscoderTests.bursts, seconds: 10, channels: 2, rate: rate)
    let sound = try await sound(file)
    #expect(sound.gaps.isEmpty && sound.counts.undecodable == 0 && sound.counts.lost == 0)
    #expect(sound.onsets.count == 10)
    // Both codecs smear the edge of a tone over some samples.
    for (second, onset) in sound.onsets.enumerated() { #expect(abs(onset - second * 48_000) < 48, "\(onset)") }
    #expect(sound.end >= 10 * 48_000)
  }

  @Test(arguments: [48_000, 44_100])
  func arrivalsAreThoseOfTheSound(rate: Int) async throws {
    let file = try CodedFile(AudioTranscoderTests.tone, seconds: 4, channels: 1, rate: rate)
    let delay = try #require(try await sound(file).delay)
    // An encoder for RTP gives a packet out when its sound is there.
    #expect(delay.lowerBound > -24 && delay.upperBound < 24, "\(delay) samples")
  }

  @Test func mp3KeepsItsPlace() async throws {
    let file = try CodedFile(AudioTranscoderTests.bursts, seconds: 5, channels: 2, rate: 44_100, codec: .mp3)
    let sound = try await sound(file, codec: .mp3)
    #expect(sound.gaps.isEmpty && sound.onsets.count == 5)
    for (second, onset) in sound.onsets.enumerated() { #expect(abs(onset - second * 48_000) < 96, "\(onset)") }
  }

  @Test func monoStaysMonoAtItsLevel() async throws {
    let sound = try await sound(
      try CodedFile(AudioTranscoderTests.tone, seconds: 4, channels: 1, rate: 44_100))
    #expect(sound.channels.count == 1)
    #expect(abs(sound.level(0) + 6.02) < 0.1)
  }

  @Test func stereoStaysStereoAtItsLevel() async throws {
    let sound = try await sound(
      try CodedFile(
        "aevalsrc='0.5*sin(2*PI*997*t)|0.25*sin(2*PI*503*t)':s=48000", seconds: 4, channels: 2, rate: 48_000))
    #expect(sound.channels.count == 2)
    #expect(abs(sound.level(0) + 6.02) < 0.1 && abs(sound.level(1) + 12.04) < 0.1)
  }

  /// ITU-R BS.775: front left as it is, the centre and a surround channel by -3 dB, LFE not at all.
  @Test(arguments: [
    ("0.5*sin(2*PI*997*t)|0|0|0|0|0", -6.02, -200.0), ("0|0|0.5*sin(2*PI*997*t)|0|0|0", -9.03, -9.03),
    ("0|0|0|0|0|0.5*sin(2*PI*997*t)", -200, -9.03),
  ])
  func surroundIsMixedDownByTheStandard(source: String, left: Double, right: Double) async throws {
    let sound = try await sound(
      try CodedFile("aevalsrc='\(source)':s=48000:c=5.1", seconds: 4, channels: 6, rate: 48_000))
    #expect(sound.counts.channels == 6 && sound.channels.count == 2)
    for (channel, level) in [left, right].enumerated() {
      let found = sound.level(channel)
      #expect(level < -100 ? found < -60 : abs(found - level) < 0.15, "\(found) dB for \(level)")
    }
  }

  @Test(arguments: [48_000, 44_100])
  func corruptedAndLostFramesAreGapsAndMoveNothing(rate: Int) async throws {
    let file = try CodedFile(AudioTranscoderTests.bursts, seconds: 30, channels: 2, rate: rate)
    var random = SeededRandom(5)
    var frames: [AudioTranscoder.Frame] = []
    var (corrupted, lost) = (0, 0)
    for index in file.frames.indices {
      var frame = file.frame(index)
      // Apart from each other, so that each is a gap of its own; not the last, whose loss cannot be known.
      if index > 20, index < file.frames.count - 10, index % 50 == 7 {
        lost += 1
        continue
      }
      if index > 20, index % 50 == 32 {
        corrupted += 1
        frame.bytes = frame.bytes.map { _ in UInt8.random(in: .min ... .max, using: &random) }
      }
      frames.append(frame)
    }
    let sent = frames
    let sound = try await TranscodedSound(
      AudioTranscoder(.aac, configuration: file.configuration, program: nil)
    ) { put in
      for frame in sent { try await put(frame) }
    }
    #expect(sound.counts.lost == lost)
    // Random bytes are a frame now and then.
    #expect((corrupted - 1...corrupted).contains(sound.counts.undecodable))
    #expect(sound.gaps.count == lost + sound.counts.undecodable && sound.missing >= sound.gaps.count)
    let good = sound.onsets.filter { abs(($0 + 24_000) % 48_000 - 24_000) < 96 }
    #expect(good.count >= 25, "\(sound.onsets)")
    // To the end: the last whole second begins where it did.
    #expect(sound.onsets.contains { abs($0 - 29 * 48_000) < 96 })
  }

  @Test func whatIsPutAsFastAsItGoesComesOutWhole() async throws {
    let file = try CodedFile(AudioTranscoderTests.tone, seconds: 60, channels: 2, rate: 48_000)
    let frames = file.frames.indices.map { file.frame($0) }
    let transcoder = AudioTranscoder(.aac, configuration: file.configuration, program: nil)
    var (end, missing) = (Int64(0), 0)
    try await transcoder.run { put in
      for frame in frames { try await put(frame) }
    } _: { packet in
      (end, missing) = (packet.timestamp + 960, missing + packet.missing)
    }
    #expect(end >= 60 * 48_000 && missing == 0 && transcoder.counts.decoded == frames.count)
  }

  @Test func aConfigurationThatIsNoneIsRefusedInASentence() async throws {
    let transcoder = AudioTranscoder(.aac, configuration: [0xFF, 0xFF, 0xFF], program: nil)
    let refusal = await #expect(throws: AudioTranscoder.Refusal.self) {
      try await transcoder.run { put in
        try await put(
          .init(bytes: [1, 2, 3], timestamp: 0, arrival: .init(time: CodedFile.start, due: CodedFile.start)))
      } _: { _ in
      }
    }
    #expect(refusal?.description.contains("AAC") == true)
  }

  @Test func nothingButGarbageEndsWithoutSound() async throws {
    let transcoder = AudioTranscoder(.aac, configuration: [0x11, 0x90], program: nil)
    let sound = try await TranscodedSound(transcoder) { put in
      for index in 0..<200 {
        let time = StreamArrival(time: CodedFile.start, due: CodedFile.start)
        // 7 is the element that ends a frame: there is nothing in it.
        try await put(.init(bytes: index % 2 == 0 ? [] : [0xE0], timestamp: Int64(index * 21), arrival: time))
      }
    }
    #expect(sound.counts.decoded == 0 && sound.channels.isEmpty)
  }

  @Test func aWorkerThatNeverWorksIsAnError() async throws {
    // It starts, and ends at once.
    let transcoder = AudioTranscoder(.aac, configuration: [0x11, 0x90], program: "/bin/false")
    await #expect(throws: (any Error).self) {
      try await transcoder.run { put in
        while true {
          try await put(.init(bytes: [0], timestamp: 0, arrival: .init(time: CodedFile.start, due: CodedFile.start)))
        }
      } _: { _ in
      }
    }
    #expect(transcoder.counts.restarts == AudioTranscoder.mostRestarts + 1)
  }

  @Test func aWorkerThatDecodedTenMinutesCountsAsNew() throws {
    var flow = FrameFlow(.aac, [0x11, 0x90])
    func decode(seconds: Int) throws {
      let sound = CodecMessage.Sound(
        kind: .decoded, channels: 1, ownChannels: 1, frameLength: 1_024, rate: 48_000, samples: [])
      for index in 0...(seconds * 48_000 / 1_024) {
        let arrival = StreamArrival(time: CodedFile.start, due: CodedFile.start)
        _ = flow.add(.init(bytes: [1], timestamp: Int64(index * 64 / 3), arrival: arrival))
        _ = try flow.sound(from: .sound(sound))
      }
    }
    for _ in 0..<20 {
      try decode(seconds: 600)
      let goesOn = flow.restart()
      #expect(goesOn)
    }
    // The first of these is the last one above.
    for _ in 1..<AudioTranscoder.mostRestarts {
      try decode(seconds: 10)
      let goesOn = flow.restart()
      #expect(goesOn)
    }
    let isOneTooMany = !flow.restart()
    #expect(isOneTooMany)
    #expect(flow.counts.restarts == 20 + AudioTranscoder.mostRestarts)
  }

  @Test func cancellingEndsIt() async throws {
    let transcoder = AudioTranscoder(.aac, configuration: [0x11, 0x90], program: nil)
    let (waits, waiting) = AsyncStream.makeStream(of: Void.self)
    let running = Task {
      try await transcoder.run { _ in
        waiting.yield()
        let (never, open) = AsyncStream.makeStream(of: Void.self)
        for await _ in never {}
        open.finish()
      } _: { _ in
      }
    }
    _ = await waits.first { true }
    running.cancel()
    _ = try? await running.value
  }
}
