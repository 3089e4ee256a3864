/// Reads a stream of samples at fractional positions: corrects drift and sub-sample offset without a seam.
///
/// It has no state but its table: the caller says where each output sample lies in the input, so a ratio that changes
/// from block to block changes continuously, and equal positions give equal samples.
///
/// Plain SIMD of four floats, which is what every x86-64 and ARM64 machine has: wider or fused arithmetic would be
/// quicker on some and give other last bits, and a take must render to identical samples everywhere.
struct Resampler: Sendable {
  private let kernel = ResamplerKernel.shared

  /// Where a run of output samples lies in the input.
  struct Run {
    /// Position of the first output sample, in input samples from the plane's first; at least `ResamplerKernel.before`.
    var position: Double
    /// Input samples per output sample, close to 1.
    var step: Double
    /// How many output frames.
    var count: Int

    /// True when every input sample that the run needs lies within `length` samples.
    func fits(in length: Int) -> Bool {
      guard count > 0 else { return true }
      let last = position + step * Double(count - 1)
      return position >= Double(ResamplerKernel.before) && last >= position
        && last < Double(length - ResamplerKernel.after)
    }
  }

  /// Resamples one plane into `output`, which takes `run.count` samples.
  /// - Precondition: the run fits in the plane and in the output.
  func process(_ plane: UnsafeBufferPointer<Float>, _ run: Run, into output: UnsafeMutableBufferPointer<Float>) {
    precondition(run.fits(in: plane.count) && output.count >= run.count, "resampler run \(run) outside its buffers")
    guard run.count > 0, let input = plane.baseAddress, let out = output.baseAddress else { return }
    kernel.table.withUnsafeBufferPointer { table in
      guard let table = table.baseAddress else { return }
      let scale = Double(ResamplerKernel.fractions)
      for frame in 0..<run.count {
        let position = run.position + run.step * Double(frame)
        let index = Int(position)
        let scaled = (position - Double(index)) * scale
        let fraction = Int(scaled)
        let weight = SIMD4<Float>(repeating: Float(scaled - Double(fraction)))
        let row = table + fraction * (ResamplerKernel.vectors * 2)
        let samples = UnsafeRawPointer(input + (index - ResamplerKernel.before))
        var sum = SIMD4<Float>()
        for vector in 0..<ResamplerKernel.vectors {
          let coefficients = row[vector * 2] + weight * row[vector * 2 + 1]
          sum += coefficients * samples.loadUnaligned(fromByteOffset: vector * 16, as: SIMD4<Float>.self)
        }
        out[frame] = (sum[0] + sum[1]) + (sum[2] + sum[3])
      }
    }
  }

  /// Resamples two planes with the same coefficients into interleaved `output`, which takes `2 * run.count` samples.
  /// - Precondition: the run fits in both planes and in the output.
  func process(
    left: UnsafeBufferPointer<Float>, right: UnsafeBufferPointer<Float>, _ run: Run,
    into output: UnsafeMutableBufferPointer<Float>
  ) {
    precondition(
      run.fits(in: min(left.count, right.count)) && output.count >= run.count * 2,
      "resampler run \(run) outside its buffers")
    guard run.count > 0, let left = left.baseAddress, let right = right.baseAddress, let out = output.baseAddress
    else { return }
    kernel.table.withUnsafeBufferPointer { table in
      guard let table = table.baseAddress else { return }
      let scale = Double(ResamplerKernel.fractions)
      for frame in 0..<run.count {
        let position = run.position + run.step * Double(frame)
        let index = Int(position)
        let scaled = (position - Double(index)) * scale
        let fraction = Int(scaled)
        let weight = SIMD4<Float>(repeating: Float(scaled - Double(fraction)))
        let row = table + fraction * (ResamplerKernel.vectors * 2)
        let leftSamples = UnsafeRawPointer(left + (index - ResamplerKernel.before))
        let rightSamples = UnsafeRawPointer(right + (index - ResamplerKernel.before))
        var leftSum = SIMD4<Float>()
        var rightSum = SIMD4<Float>()
        for vector in 0..<ResamplerKernel.vectors {
          let coefficients = row[vector * 2] + weight * row[vector * 2 + 1]
          leftSum += coefficients * leftSamples.loadUnaligned(fromByteOffset: vector * 16, as: SIMD4<Float>.self)
          rightSum += coefficients * rightSamples.loadUnaligned(fromByteOffset: vector * 16, as: SIMD4<Float>.self)
        }
        out[frame * 2] = (leftSum[0] + leftSum[1]) + (leftSum[2] + leftSum[3])
        out[frame * 2 + 1] = (rightSum[0] + rightSum[1]) + (rightSum[2] + rightSum[3])
      }
    }
  }
}
