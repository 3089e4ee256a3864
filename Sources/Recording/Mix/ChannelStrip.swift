import Glibc
import Music

/// The processing of one track before the sum: high-pass, then gain and pan.
struct ChannelStrip: Sendable {
  /// Below this, the filter's state counts as silence.
  private static let silence = 1e-30

  let channels: Int
  private let left: Float
  private let right: Float
  private var filter: Biquad?
  private var filtered: [Float] = []

  /// - Parameters:
  ///   - settings: settings of the track.
  ///   - channels: 1 or 2.
  ///   - gain: gain of the whole mix in dB, added to the track's.
  init(_ settings: MixSettings.Channel, channels: Int, gain: Double) {
    self.channels = channels
    let factor = pow(10, (settings.gain + gain) / 20)
    let pan = Pan(settings.pan)
    left = Float(factor * pan.left)
    right = Float(factor * pan.right)
    filter = settings.highPass.map { Biquad(.highPass(corner: $0)) }
  }

  /// Adds a block to the mixer's sum.
  mutating func add(_ block: UnsafeBufferPointer<Float>, to mixer: inout Mixer) {
    guard var filter else {
      mixer.add(block, channels: channels, left: left, right: right)
      return
    }
    if filtered.count < block.count { filtered = [Float](repeating: 0, count: block.count) }
    filtered.withUnsafeMutableBufferPointer { output in
      ChannelStrip.run(&filter, block, channels: channels, into: output)
      mixer.add(
        UnsafeBufferPointer(rebasing: output.prefix(block.count)), channels: channels, left: left, right: right)
    }
    filter.flush(below: ChannelStrip.silence)
    self.filter = filter
  }

  private static func run(
    _ filter: inout Biquad, _ block: UnsafeBufferPointer<Float>, channels: Int,
    into output: UnsafeMutableBufferPointer<Float>
  ) {
    var index = 0
    if channels == 2 {
      while index &+ 1 < block.count {
        let sample = filter.step((Double(block[index]), Double(block[index &+ 1])))
        output[index] = Float(sample.left)
        output[index &+ 1] = Float(sample.right)
        index &+= 2
      }
    } else {
      while index < block.count {
        output[index] = Float(filter.step((Double(block[index]), 0)).left)
        index &+= 1
      }
    }
  }
}

extension Biquad.Coefficients {
  /// A second-order Butterworth high-pass at 48 kHz: -3 dB at `corner` (Hz), falling by 12 dB per octave below it.
  ///
  /// Designed by the bilinear transform, prewarped at the corner.
  static func highPass(corner: Double) -> Biquad.Coefficients {
    let k = tan(.pi * corner / Double(SamplePosition.rate))
    let norm = 1 / (1 + 2.0.squareRoot() * k + k * k)
    return Biquad.Coefficients(
      b0: norm, b1: -2 * norm, b2: norm, a1: 2 * (k * k - 1) * norm, a2: (1 - 2.0.squareRoot() * k + k * k) * norm)
  }
}

/// A second-order filter for two channels, in transposed direct form II.
struct Biquad: Sendable, Codable {
  /// The coefficients, normalised to a0 = 1.
  struct Coefficients: Sendable, Codable {
    var b0: Double
    var b1: Double
    var b2: Double
    var a1: Double
    var a2: Double
  }

  /// What a channel keeps from sample to sample.
  private struct Memory: Codable {
    var first = 0.0
    var second = 0.0
  }

  private let c: Coefficients
  private var left = Memory()
  private var right = Memory()

  init(_ coefficients: Coefficients) {
    c = coefficients
  }

  /// Returns the next output of each channel.
  @inline(__always)
  mutating func step(_ input: (left: Double, right: Double)) -> (left: Double, right: Double) {
    let output = (left: input.left * c.b0 + left.first, right: input.right * c.b0 + right.first)
    // In this order, the next sample depends on only one multiplication and two additions.
    left.first = (input.left * c.b1 + left.second) - output.left * c.a1
    right.first = (input.right * c.b1 + right.second) - output.right * c.a1
    left.second = input.left * c.b2 - output.left * c.a2
    right.second = input.right * c.b2 - output.right * c.a2
    return output
  }

  /// Resets the filter's state.
  mutating func reset() {
    (left, right) = (Memory(), Memory())
  }

  /// Clears the state once it is below `limit`.
  mutating func flush(below limit: Double) {
    if abs(left.first) < limit, abs(left.second) < limit, abs(right.first) < limit, abs(right.second) < limit {
      reset()
    }
  }
}
