import Glibc
import Recording

/// What the resampler adds and takes away, near the ratios at which it works.
struct ResamplerTrial {
  private static let count = 48_000
  private static let level = 0.9

  func run() {
    for step in [1, 1 + 100e-6, 1 - 100e-6, 1 + 300e-6] {
      var ripple = 0.0
      var worst = -Double.infinity
      var snr = Double.infinity
      for start in [40.0, 40.25, 40.5, 40.7307] {
        snr = min(snr, -residual(1_000, step: step, start: start).strict)
        for frequency in stride(from: 50.0, through: 20_000, by: 350) {
          let (_, level, rest) = residual(frequency, step: step, start: start)
          ripple = max(ripple, abs(level))
          worst = max(worst, rest)
        }
      }
      var figure = Figure("resampler")
      figure.add("ratioPpm", (step - 1) * 1e6)
      figure.add("snr1kHzDb", snr)
      figure.add("rippleTo20kHzDb", ripple)
      figure.add("worstAliasOrImageDb", worst)
      figure.tell()
    }
    var figure = Figure("resamplerCost")
    figure.add("microsecondsPer20msStereo", cost)
    figure.tell()
  }

  /// In dB: all that is not exactly the sine that should come out; how much louder that sine came out; and what is
  /// left when the sine as it came out is taken away.
  private func residual(_ frequency: Double, step: Double, start: Double) -> (
    strict: Double, level: Double, rest: Double
  ) {
    let omega = 2 * Double.pi * frequency / 48_000
    let input = (0..<(ResamplerTrial.count + 200)).map { Float(ResamplerTrial.level * sin(omega * Double($0))) }
    var output = [Float](repeating: 0, count: ResamplerTrial.count)
    input.withUnsafeBufferPointer { input in
      output.withUnsafeMutableBufferPointer {
        Resampler().process(input, .init(position: start, step: step, count: ResamplerTrial.count), into: $0)
      }
    }
    var (ss, cc, sc, ys, yc, yy, error, power) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for (index, sample) in output.enumerated() {
      let phase = omega * (start + step * Double(index))
      let (s, c, y) = (sin(phase), cos(phase), Double(sample))
      ss += s * s
      cc += c * c
      sc += s * c
      ys += y * s
      yc += y * c
      yy += y * y
      let wanted = ResamplerTrial.level * s
      error += (y - wanted) * (y - wanted)
      power += wanted * wanted
    }
    // The sine that fits best, by least squares.
    let determinant = ss * cc - sc * sc
    let (a, b) = ((ys * cc - yc * sc) / determinant, (yc * ss - ys * sc) / determinant)
    let rest = max(yy - a * ys - b * yc, 1e-30)
    let amplitude = (a * a + b * b).squareRoot()
    return (
      10 * log10(error / power), 20 * log10(amplitude / ResamplerTrial.level), 10 * log10(rest / power)
    )
  }

  private var cost: Double {
    let plane = (0..<2_000).map { Float(sin(Double($0) * 0.1)) }
    var output = [Float](repeating: 0, count: 1_920)
    let runs = 2_000
    return Stopwatch.microseconds(per: runs) {
      plane.withUnsafeBufferPointer { plane in
        output.withUnsafeMutableBufferPointer { output in
          for index in 0..<runs {
            let run = Resampler.Run(position: 30 + Double(index % 100) / 100, step: 1.000_08, count: 960)
            Resampler().process(left: plane, right: plane, run, into: output)
          }
        }
      }
    }
  }
}
