import Foundation
import Machines
import Recording
import Rooms
import Testing

@testable import Server

@Suite(.timeLimit(.minutes(2))) struct AACTranscoderTests {
  /// The audio messages of an encoder: ffmpeg's own, of a tone that begins after one second.
  private func messages(rate: Int, in folder: DataFolder) throws -> [(timestamp: Int64, body: [UInt8])] {
    let file = folder.path + "/tone.flv"
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/ffmpeg")
    process.arguments = [
      "-loglevel", "error", "-f", "lavfi", "-i", "aevalsrc='if(gte(t,1),sin(2*PI*1000*t),0)':s=\(rate):d=2", "-ac", "2",
      "-c:a", "aac", "-f", "flv", file,
    ]
    try process.run()
    process.waitUntilExit()
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
    var (place, found) = (13, [(timestamp: Int64, body: [UInt8])]())
    while place + 11 < bytes.count {
      let size = Int(bytes[place + 1]) << 16 | Int(bytes[place + 2]) << 8 | Int(bytes[place + 3])
      let time = Int64(bytes[place + 4]) << 16 | Int64(bytes[place + 5]) << 8 | Int64(bytes[place + 6])
      if bytes[place] == 8 { found.append((time, Array(bytes[place + 11..<place + 11 + size]))) }
      place += 11 + size + 4
    }
    return found
  }

  @Test(arguments: [48_000, 44_100])
  func everySampleKeepsItsPlace(rate: Int) async throws {
    let folder = try DataFolder()
    let transcoder = try await AACTranscoder(rate: rate, priming: 1_024)
    for (timestamp, body) in try messages(rate: rate, in: folder) {
      transcoder.take(body, isFrame: body[1] == 1, timestamp: timestamp, arrival: MonotonicClock.now)
    }
    transcoder.finish()
    let decoder = try OpusDecoder(channels: 2)
    var (samples, first) = ([Float](), Int64?.none)
    try await transcoder.run { packet in
      if first == nil { first = packet.timestamp }
      #expect(packet.timestamp == (first ?? 0) + Int64(samples.count))
      var block = [Float](repeating: 0, count: 2 * 960)
      let frames = try block.withUnsafeMutableBufferPointer { try decoder.decode(packet.opus[...], into: $0) }
      samples += stride(from: 0, to: 2 * frames, by: 2).map { block[$0] }
    }
    let onset = try #require(samples.firstIndex { abs($0) > 0.3 })
    // The tone rises to 0.3 within 3 samples; AAC and Opus smear its edge over a few more.
    // The second encoder's own delay is the render's to take off, as it does with every musician's.
    #expect(abs((first ?? 0) + Int64(onset) - 48_000 - 312) < 48, "within a millisecond")
  }
}
