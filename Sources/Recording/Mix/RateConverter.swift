import Music

/// Converts interleaved stereo from 48 kHz to another rate as it passes, without delay: the first sample stays the
/// first.
struct RateConverter: Sendable {
  private let kernel: RateKernel
  /// Input still needed; its first sample has the number `first` in the stream.
  private var left: [Float]
  private var right: [Float]
  private var first: Int64
  private var taken: Int64 = 0
  private var made: Int64 = 0

  /// - Parameter rate: sample rate of the output, in Hz.
  init(rate: Int) {
    kernel = RateKernel(rate: rate)
    left = [Float](repeating: 0, count: kernel.before)
    right = left
    first = -Int64(kernel.before)
  }

  /// The number of frames at `rate` for `frames` at 48 kHz, rounded up so that no sample is lost.
  static func frames(_ frames: Int64, rate: Int) -> Int64 {
    guard rate != Int(SamplePosition.rate) else { return frames }
    let (product, overflow) = frames.multipliedReportingOverflow(by: Int64(rate))
    return overflow ? frames : (product + SamplePosition.rate - 1) / SamplePosition.rate
  }

  /// Takes the next samples and returns the output determined so far.
  mutating func take(_ samples: UnsafeBufferPointer<Float>) -> [Float] {
    let frames = samples.count / 2
    for index in 0..<frames {
      left.append(samples[index &* 2])
      right.append(samples[index &* 2 &+ 1])
    }
    taken += Int64(frames)
    // Output n lies at n * down / up and needs `after` samples behind it.
    let known = taken - Int64(kernel.after)
    let end = known <= 0 ? 0 : ((known - 1) * Int64(kernel.up)) / Int64(kernel.down) + 1
    return make(upTo: end)
  }

  /// Returns the rest of the output, with silence after the stream.
  mutating func finish() -> [Float] {
    let silence = [Float](repeating: 0, count: kernel.after + 1)
    left += silence
    right += silence
    return make(upTo: (taken * Int64(kernel.up) + Int64(kernel.down) - 1) / Int64(kernel.down))
  }

  private mutating func make(upTo end: Int64) -> [Float] {
    let count = Int(max(0, end - made))
    let output = [Float](unsafeUninitializedCapacity: count * 2) { output, filled in
      kernel.table.withUnsafeBufferPointer { table in
        left.withUnsafeBufferPointer { left in
          right.withUnsafeBufferPointer { right in
            for index in 0..<count {
              let place = (made + Int64(index)) * Int64(kernel.down)
              let start = Int(place / Int64(kernel.up) - Int64(kernel.before) - first)
              let row = Int(place % Int64(kernel.up)) * kernel.taps
              guard start >= 0, start + kernel.taps <= left.count else { break }
              let sample = RateConverter.sum(
                UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(left)[(start * 4)...]),
                UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(right)[(start * 4)...]),
                UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(table)[(row * 4)...]), taps: kernel.taps)
              output[index * 2] = sample.left
              output[index * 2 + 1] = sample.right
              filled = index * 2 + 2
            }
          }
        }
      }
    }
    made += Int64(output.count / 2)
    let needed = made * Int64(kernel.down) / Int64(kernel.up) - Int64(kernel.before)
    let done = min(max(0, Int(needed - first)), left.count)
    left.removeFirst(done)
    right.removeFirst(done)
    first += Int64(done)
    return output
  }

  /// Filters both sides with one row of the table, in sums of eight that every machine adds in the same order.
  @inline(__always)
  private static func sum(
    _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer, _ row: UnsafeRawBufferPointer, taps: Int
  ) -> (left: Float, right: Float) {
    guard let l = left.baseAddress, let r = right.baseAddress, let c = row.baseAddress else { return (0, 0) }
    var (a, b) = (SIMD8<Float>(), SIMD8<Float>())
    var byte = 0
    while byte < taps &* 4 {
      let factors = c.loadUnaligned(fromByteOffset: byte, as: SIMD8<Float>.self)
      a += factors * l.loadUnaligned(fromByteOffset: byte, as: SIMD8<Float>.self)
      b += factors * r.loadUnaligned(fromByteOffset: byte, as: SIMD8<Float>.self)
      byte &+= 32
    }
    let (sl, sr) = (a.lowHalf + a.highHalf, b.lowHalf + b.highHalf)
    return ((sl[0] + sl[2]) + (sl[1] + sl[3]), (sr[0] + sr[2]) + (sr[1] + sr[3]))
  }
}

/// The filter that converts a finished mix from 48 kHz to another rate: a sinc under a Kaiser window for each
/// possible position of an output sample between two input samples.
///
/// Flat to 20 kHz (Opus carries nothing above), and 130 dB down from half of the lower rate, which prevents aliasing
/// and imaging. The resampler for drift, made for ratios close to 1, would not.
struct RateKernel: Sendable {
  /// Upper edge of the pass band, in Hz.
  private static let passband = 20_000.0
  /// Attenuation in the stop band, in dB.
  private static let attenuation = 130.0

  /// Output samples for each `down` input samples.
  let up: Int
  let down: Int
  /// Coefficients per output sample; a multiple of eight.
  let taps: Int
  /// All taps for each of the `up` positions.
  let table: [Float]

  /// Input samples needed before the one at or before an output sample.
  var before: Int { taps / 2 - 1 }
  /// Input samples needed after it.
  var after: Int { taps / 2 }

  /// - Parameter rate: sample rate of the output, in Hz; at least 8000.
  init(rate: Int) {
    let input = Int(SamplePosition.rate)
    let divisor = RateKernel.divisor(rate, input)
    (up, down) = (rate / divisor, input / divisor)
    let stopband = Double(min(rate, input)) / 2
    let passband = min(RateKernel.passband, stopband * 0.9)
    let width = 2 * Double.pi * (stopband - passband) / Double(input)
    // Kaiser's length for this slope (1974), in whole groups of eight.
    let length = (RateKernel.attenuation - 7.95) / (2.285 * width)
    taps = (Int(length) / 8 + 1) * 8
    let filter = WindowedSinc(
      taps: taps, cutoff: (stopband + passband) / Double(input), window: .kaiser(attenuation: RateKernel.attenuation))
    table = (0..<up).flatMap { [up] place in filter.row(at: Double(place) / Double(up)).map { Float($0) } }
  }

  private static func divisor(_ a: Int, _ b: Int) -> Int { b == 0 ? a : divisor(b, a % b) }
}
