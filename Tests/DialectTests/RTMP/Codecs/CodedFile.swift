import Foundation
import Machines
import Recording
import TestSupport

@testable import Server

/// Sound as an encoder sends it: frames with their timestamps, made by ffmpeg.
struct CodedFile {
  var configuration: [UInt8] = []
  var frames: [(timestamp: Int64, bytes: [UInt8])] = []
  /// Samples of a frame in the stream, and their rate in Hz.
  var frameLength: Int
  var rate: Int

  /// - Parameters:
  ///   - source: a filter of ffmpeg, such as `aevalsrc`.
  ///   - codec: AAC or MP3, which FLV can carry in the form that has been there always.
  init(_ source: String, seconds: Int, channels: Int, rate: Int, codec: StreamCodec = .aac) throws {
    let file = FileManager.default.temporaryDirectory.path + "/jamjar-\(UUID().uuidString).flv"
    defer { try? FileManager.default.removeItem(atPath: file) }
    try SpawnedProgram.run(
      "/usr/bin/ffmpeg",
      [
        "-loglevel", "error", "-f", "lavfi", "-i", source, "-t", "\(seconds)", "-ac", "\(channels)", "-ar", "\(rate)",
        "-c:a", codec == .mp3 ? "libmp3lame" : "aac", "-b:a", "\(channels * 96)k", "-f", "flv", file,
      ])
    frameLength = codec == .mp3 ? 1_152 : 1_024
    self.rate = rate
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
    // The header and the first back pointer; then tags with 11 bytes of head and 4 of back pointer.
    var place = 13
    while place + 11 < bytes.count {
      let size = Int(bytes[place + 1]) << 16 | Int(bytes[place + 2]) << 8 | Int(bytes[place + 3])
      let time = Int64(bytes[place + 4]) << 16 | Int64(bytes[place + 5]) << 8 | Int64(bytes[place + 6])
      let body = Array(bytes[place + 11..<place + 11 + size])
      if bytes[place] == 8 {
        if codec == .mp3 {
          frames.append((time, Array(body.dropFirst())))
        } else if body[1] == 0 {
          configuration = Array(body.dropFirst(2))
        } else {
          frames.append((time, Array(body.dropFirst(2))))
        }
      }
      place += 11 + size + 4
    }
  }

  /// The frame as it arrives from a live encoder: ffmpeg's gives a frame out once two more are there.
  func frame(_ index: Int) -> AudioTranscoder.Frame {
    let time = CodedFile.start + .nanoseconds(Int64((index + 2) * frameLength) * 1_000_000_000 / Int64(rate))
    return .init(
      bytes: frames[index].bytes, timestamp: frames[index].timestamp, arrival: StreamArrival(time: time, due: time))
  }

  /// When the first sample was played.
  static let start = MonotonicTime(nanoseconds: 1_000_000_000_000)
}

/// What came out of a transcoder, decoded.
struct TranscodedSound {
  /// Left and right, or one channel; from time 0 on, in samples at 48 kHz, silent where nothing came.
  var channels: [[Float]] = []
  /// Lengths of the gaps in samples.
  var gaps: [Int64] = []
  var missing = 0
  var end: Int64 = 0
  /// By how many samples packets arrive after the end of their sound, the least and the most.
  var delay: ClosedRange<Double>?
  var counts = AudioTranscoder.Counts()

  /// The encoder's delay, which the render takes off every track.
  private static let lookahead: Int64 = 312

  init(
    _ transcoder: AudioTranscoder,
    _ feed: @escaping @Sendable (@Sendable (AudioTranscoder.Frame) async throws -> Void) async throws -> Void
  ) async throws {
    var packets: [AudioTranscoder.Packet] = []
    try await transcoder.run(feed) { packets.append($0) }
    counts = transcoder.counts
    guard let first = packets.first else { return }
    let count = first.isStereo ? 2 : 1
    let decoder = try OpusDecoder(channels: count)
    var next = first.timestamp
    channels = [[Float]](repeating: [], count: count)
    for packet in packets {
      if packet.timestamp > next { gaps.append(packet.timestamp - next) }
      missing += packet.missing
      var block = [Float](repeating: 0, count: count * OpusPacket.longest)
      let frames = try block.withUnsafeMutableBufferPointer { try decoder.decode(packet.opus[...], into: $0) }
      let start = packet.timestamp - TranscodedSound.lookahead
      let needed = max(0, Int(start) + frames)
      for channel in 0..<count {
        let known = channels[channel].count
        if known < needed { channels[channel] += [Float](repeating: 0, count: needed - known) }
        for frame in 0..<frames where start + Int64(frame) >= 0 {
          channels[channel][Int(start) + frame] = block[frame * count + channel]
        }
      }
      next = packet.timestamp + Int64(frames)
      // Whole packets: a shorter one is filled up with silence.
      if frames == 960 {
        let late = (packet.arrival.time - CodedFile.start).seconds * 48_000 - Double(next)
        delay = delay.map { min($0.lowerBound, late)...max($0.upperBound, late) } ?? late...late
      }
    }
    end = next
  }

  /// The level of a channel between two seconds against a full sine, in dB.
  func level(_ channel: Int, from: Double = 2, to: Double = 3) -> Double {
    let piece = channels[channel][Int(from * 48_000)..<Int(to * 48_000)]
    let power = piece.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(piece.count)
    return 10 * log10(2 * power)
  }

  /// Where the sound becomes louder than half of the test tone after 150 ms of quiet.
  var onsets: [Int] {
    var (found, quiet) = ([Int](), 7_200)
    for (place, sample) in (channels.first ?? []).enumerated() {
      if abs(sample) > 0.25 {
        if quiet >= 7_200 { found.append(place) }
        quiet = 0
      } else {
        quiet += 1
      }
    }
    return found
  }
}
