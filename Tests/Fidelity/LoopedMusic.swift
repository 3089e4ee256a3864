import Machines
import Recording
import TestSupport

/// Some seconds of music as real Opus packets of 20 ms, which go round with numbers and times that run on.
struct LoopedMusic {
  /// The payloads of one round.
  let payloads: [[UInt8]]

  /// Encodes `seconds` of stereo at 128 kbit/s; another seed plays other notes.
  init(seconds: Int = 20, seed: UInt64) throws {
    let encoder = try OpusEncoder(OpusEncoder.Settings(channels: 2, bitrate: 128_000, complexity: 5))
    let signal = VirtualSignal(tempo: 6, level: 0.5, seed: seed)
    payloads = try (0..<(seconds * 50)).map { packet in
      var samples = [Float](repeating: 0, count: 1_920)
      for index in samples.indices {
        samples[index] = signal.sample(Double(packet * 960 + index / 2) / 48_000, channel: index % 2)
      }
      return try encoder.encode(samples)
    }
  }

  /// The RTP packet with number `index`.
  func packet(_ index: Int) -> [UInt8] {
    MediaHead.bytes(index) + payloads[index % payloads.count]
  }

  /// What one second of a track brings the recorder, in order: 50 packets and a round trip.
  func second(_ number: Int, track: Int, zero: MonotonicTime) -> [JournalFrame] {
    var frames = (0..<50).map { place in
      let index = number * 50 + place
      let arrival = zero + .microseconds(Int64(index + 1) * 20_000 + 30_000 + Int64(index % 7) * 800)
      return JournalFrame.rtp(track: track, arrival: arrival, packet: packet(index))
    }
    frames.append(
      .roundTrip(
        track: track, at: zero + .microseconds(Int64(number + 1) * 1_000_000 + 40_000), .microseconds(60_000)))
    return frames
  }
}
