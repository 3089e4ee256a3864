import Foundation
import Machines
import Recording
import Rooms
import Testing

@testable import Server

@Suite(.timeLimit(.minutes(2))) struct AACTranscoderTests {
  /// The audio messages of an encoder: ffmpeg's own, of a tone that begins after one second.
  private func messages(rate: Int, seconds: Int = 2, in folder: DataFolder) throws -> [(
    timestamp: Int64, body: [UInt8]
  )] {
    let file = folder.path + "/tone.flv"
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/ffmpeg")
    process.arguments = [
      "-loglevel", "error", "-f", "lavfi", "-i", "aevalsrc='if(gte(t,1),sin(2*PI*1000*t),0)':s=\(rate):d=\(seconds)",
      "-ac", "2",
      "-c:a", "aac", "-f", "flv", file,
    ]
    try process.run()
    process.waitUntilExit()
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
    var (place, found) = (13, [(timestamp: Int64, body: [UInt8])]())
    while place + 11 < bytes.count {
      let size = Int(bytes[place + 1]) << 16 | Int(bytes[place + 2]) << 8 | Int(bytes[place + 3])
      let time =
        Int64(bytes[place + 4]) << 16 | Int64(bytes[place + 5]) << 8 | Int64(bytes[place + 6])
        | Int64(bytes[place + 7]) << 24
      if bytes[place] == 8 { found.append((time, Array(bytes[place + 11..<place + 11 + size]))) }
      place += 11 + size + 4
    }
    return found
  }

  @Test(arguments: [48_000, 44_100])
  func everySampleKeepsItsPlace(rate: Int) async throws {
    let folder = try DataFolder()
    let messages = try messages(rate: rate, in: folder)
    let decoder = try OpusDecoder(channels: 2)
    var (samples, first) = ([Float](), Int64?.none)
    try await AACTranscoder(rate: rate, priming: 1_024).run { put in
      for (timestamp, body) in messages { try await put(AACTranscoderTests.message(timestamp, body)) }
    } _: { opus, timestamp, _ in
      if first == nil { first = timestamp }
      #expect(timestamp == (first ?? 0) + Int64(samples.count))
      var block = [Float](repeating: 0, count: 2 * 960)
      let frames = try block.withUnsafeMutableBufferPointer { try decoder.decode(opus[...], into: $0) }
      samples += stride(from: 0, to: 2 * frames, by: 2).map { block[$0] }
    }
    let onset = try #require(samples.firstIndex { abs($0) > 0.3 })
    // The tone rises to 0.3 within 3 samples; AAC and Opus smear its edge over a few more.
    // The second encoder's own delay is the render's to take off, as it does with every musician's.
    #expect(abs((first ?? 0) + Int64(onset) - 48_000 - 312) < 48, "within a millisecond")
  }

  @Test func whatIsPutAsFastAsItGoesComesOutWhole() async throws {
    let messages = try messages(rate: 48_000, seconds: 40, in: try DataFolder())
    var samples: Int64 = 0
    try await AACTranscoder(rate: 48_000, priming: 1_024).run { put in
      for (timestamp, body) in messages { try await put(AACTranscoderTests.message(timestamp, body)) }
    } _: { _, _, _ in
      samples += 960
    }
    #expect(samples >= 40 * 48_000)
  }

  private static func message(_ timestamp: Int64, _ body: [UInt8]) -> AACTranscoder.Message {
    let now = MonotonicClock.now
    return .init(
      body: body, isFrame: body[1] == 1, timestamp: timestamp, arrival: StreamArrival(time: now, due: now))
  }
}
