/// Reads a stream of samples at fractional positions, which corrects drift and sub-sample offsets without a seam.
///
/// Its only state is the coefficient table. The caller gives the input position of each output sample, so a ratio
/// that changes from block to block changes continuously, and equal positions give equal samples.
///
/// Four running sums become vectors of four in optimised builds, which every x86-64 and ARM64 machine supports. Wider
/// or fused arithmetic would be faster on some machines but change the last bits, and a take must render to identical
/// samples everywhere. The sums are scalars rather than `SIMD4`, which is ten times slower in debug builds.
///
/// ```swift
/// let run = Resampler.Run(position: Double(ResamplerKernel.before), step: 1.000_02, count: output.count)
/// Resampler().process(plane, run, into: output)
/// ```
package struct Resampler: Sendable {
  private let kernel = ResamplerKernel.shared

  /// All resamplers share one table.
  package init() {}

  /// Fractional bits of a fixed-point position: 32, whose upper bits select the row of the table.
  private static let fractionBits = 32
  private static let weightBits = fractionBits - ResamplerKernel.fractionBits
  private static let weightScale = 1 / Float(1 << weightBits)

  /// Frames whose four sums are kept before they are added up. Adding them in the multiplication loop would defeat
  /// vectorisation.
  private static let stretch = 64

  /// The input positions of a run of output samples.
  package struct Run: Hashable, Sendable {
    /// Position of the first output sample, in input samples from the start of the plane; at least
    /// `ResamplerKernel.before`.
    package var position: Double
    /// Input samples per output sample, close to 1.
    package var step: Double
    /// Number of output frames.
    package var count: Int

    /// A run of `count` frames from `position`, `step` input samples apart.
    package init(position: Double, step: Double, count: Int) {
      (self.position, self.step, self.count) = (position, step, count)
    }

    /// Input samples needed by the run, from the start of the plane.
    var needed: Double { position + step * Double(count) + Double(ResamplerKernel.after) }

    /// True if every input sample needed by the run lies within `length` samples.
    func fits(in length: Int) -> Bool {
      guard count > 0 else { return true }
      return position >= Double(ResamplerKernel.before) && step > 0 && needed < Double(min(length, 1 << 24))
    }

    /// Position and step in fixed point; `fits` has checked that both are in range.
    fileprivate var fixed: (position: Int, step: Int) {
      let scale = Double(1 << Resampler.fractionBits)
      return (Int((position * scale).rounded()), Int((step * scale).rounded()))
    }
  }

  /// Resamples one plane into `output`, which takes `run.count` samples.
  /// - Precondition: the run fits in the plane and in the output.
  package func process(_ plane: UnsafeBufferPointer<Float>, _ run: Run, into output: UnsafeMutableBufferPointer<Float>)
  {
    precondition(run.fits(in: plane.count) && output.count >= run.count, "resampler run \(run) outside its buffers")
    guard run.count > 0, let input = plane.baseAddress, let out = output.baseAddress else { return }
    let (position, step) = run.fixed
    withUnsafeTemporaryAllocation(of: Float.self, capacity: Resampler.stretch * 4) { sums in
      kernel.table.withUnsafeBufferPointer { table in
        guard let table = table.baseAddress, let sums = sums.baseAddress else { return }
        var start = 0
        while start < run.count {
          let frames = min(Resampler.stretch, run.count &- start)
          var frame = 0
          while frame < frames {
            let place = position &+ step &* (start &+ frame)
            let row = table + ResamplerKernel.row(place &>> Resampler.weightBits)
            let weight = Resampler.weight(place)
            let samples = input + ((place &>> Resampler.fractionBits) &- ResamplerKernel.before)
            var (s0, s1, s2, s3): (Float, Float, Float, Float) = (0, 0, 0, 0)
            var tap = 0
            while tap < ResamplerKernel.taps {
              let c = row + (tap &* 2)
              let x = samples + tap
              s0 += (c[0] + weight * c[4]) * x[0]
              s1 += (c[1] + weight * c[5]) * x[1]
              s2 += (c[2] + weight * c[6]) * x[2]
              s3 += (c[3] + weight * c[7]) * x[3]
              tap &+= 4
            }
            let sum = sums + (frame &* 4)
            sum[0] = s0
            sum[1] = s1
            sum[2] = s2
            sum[3] = s3
            frame &+= 1
          }
          frame = 0
          while frame < frames {
            let sum = sums + (frame &* 4)
            out[start &+ frame] = (sum[0] + sum[2]) + (sum[1] + sum[3])
            frame &+= 1
          }
          start &+= frames
        }
      }
    }
  }

  /// Resamples two planes with the same coefficients into interleaved `output`, which takes `2 * run.count` samples.
  /// - Precondition: the run fits in both planes and in the output.
  package func process(
    left: UnsafeBufferPointer<Float>, right: UnsafeBufferPointer<Float>, _ run: Run,
    into output: UnsafeMutableBufferPointer<Float>
  ) {
    precondition(
      run.fits(in: min(left.count, right.count)) && output.count >= run.count * 2,
      "resampler run \(run) outside its buffers")
    guard run.count > 0, let left = left.baseAddress, let right = right.baseAddress, let out = output.baseAddress
    else { return }
    let (position, step) = run.fixed
    withUnsafeTemporaryAllocation(of: Float.self, capacity: Resampler.stretch * 8) { sums in
      kernel.table.withUnsafeBufferPointer { table in
        guard let table = table.baseAddress, let sums = sums.baseAddress else { return }
        var start = 0
        while start < run.count {
          let frames = min(Resampler.stretch, run.count &- start)
          var frame = 0
          while frame < frames {
            let place = position &+ step &* (start &+ frame)
            let row = table + ResamplerKernel.row(place &>> Resampler.weightBits)
            let weight = Resampler.weight(place)
            let offset = (place &>> Resampler.fractionBits) &- ResamplerKernel.before
            var (l0, l1, l2, l3): (Float, Float, Float, Float) = (0, 0, 0, 0)
            var (r0, r1, r2, r3): (Float, Float, Float, Float) = (0, 0, 0, 0)
            var tap = 0
            while tap < ResamplerKernel.taps {
              let c = row + (tap &* 2)
              let c0 = c[0] + weight * c[4]
              let c1 = c[1] + weight * c[5]
              let c2 = c[2] + weight * c[6]
              let c3 = c[3] + weight * c[7]
              let a = left + (offset &+ tap)
              let b = right + (offset &+ tap)
              l0 += c0 * a[0]
              l1 += c1 * a[1]
              l2 += c2 * a[2]
              l3 += c3 * a[3]
              r0 += c0 * b[0]
              r1 += c1 * b[1]
              r2 += c2 * b[2]
              r3 += c3 * b[3]
              tap &+= 4
            }
            let sum = sums + (frame &* 8)
            sum[0] = l0
            sum[1] = l1
            sum[2] = l2
            sum[3] = l3
            sum[4] = r0
            sum[5] = r1
            sum[6] = r2
            sum[7] = r3
            frame &+= 1
          }
          frame = 0
          while frame < frames {
            let sum = sums + (frame &* 8)
            let output = out + ((start &+ frame) &* 2)
            output[0] = (sum[0] + sum[2]) + (sum[1] + sum[3])
            output[1] = (sum[4] + sum[6]) + (sum[5] + sum[7])
            frame &+= 1
          }
          start &+= frames
        }
      }
    }
  }

  /// The interpolation weight between two rows of the table, 0 to 1.
  @inline(__always)
  private static func weight(_ place: Int) -> Float { Float(place & (1 << weightBits - 1)) * weightScale }
}
