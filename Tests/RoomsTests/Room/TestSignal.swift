import Foundation
import Recording
import Rooms
import TestSupport

/// Sounds that are easy to tell apart and to find again: bursts of band-limited noise, seeded.
struct TestSignal {
  /// Interleaved stereo at 48 kHz.
  var samples: [Float]

  /// Bursts of 100 ms in every 250 ms, different for every seed and different left and right.
  init(seed: UInt64, seconds: Double) {
    var random = SeededRandom(seed)
    func noise() -> Float { Float(random.unit() * 2 - 1) }
    let frames = Int(seconds * 48_000)
    var low: (Float, Float) = (0, 0)
    samples = []
    samples.reserveCapacity(2 * frames)
    for frame in 0..<frames {
      low.0 += 0.25 * (noise() - low.0)
      low.1 += 0.25 * (noise() - low.1)
      let isOn = frame % 12_000 < 4_800
      samples.append(isOn ? low.0 * 0.8 : low.0 * 0.02)
      samples.append(isOn ? low.1 * 0.5 : low.1 * 0.02)
    }
  }

  /// Left channel only.
  var left: [Float] { stride(from: 0, to: samples.count, by: 2).map { samples[$0] } }

  /// As Opus packets of 20 ms.
  func performance() throws -> Performance {
    let encoder = try OpusEncoder(.init(channels: 2, bitrate: 256_000, complexity: 3))
    var packets: [[UInt8]] = []
    for start in stride(from: 0, to: samples.count - 1_919, by: 1_920) {
      packets.append(try encoder.encode(Array(samples[start..<start + 1_920])))
    }
    return Performance(packets: packets, packetLength: 960)
  }
}
