import Foundation

extension Sound {
  /// How much of the left channel's energy lies in a tone of `frequency` Hz, 0 to 1; of the tenths of a second in which
  /// anything is heard. In each of them the pitch may be off by up to `tolerance` Hz.
  func share(of frequency: Double, within tolerance: Int = 0) -> Double {
    let tenths = energies(of: frequency, within: tolerance)
    let whole = tenths.reduce(0) { $0 + $1.whole }
    return whole > 0 ? tenths.reduce(0) { $0 + $1.own } / whole : 0
  }

  /// The energy of the tone, and of all sound, in each of those tenths.
  func energies(of frequency: Double, within tolerance: Int = 0) -> [(own: Double, whole: Double)] {
    let length = rate / 10
    var tenths: [(own: Double, whole: Double)] = []
    for start in stride(from: 0, through: left.count - length, by: length) {
      let block = left[start..<start + length]
      let energy = block.withUnsafeBufferPointer { samples in
        var (sum, index) = (0.0, 0)
        while index < length {
          sum += Double(samples[index]) * Double(samples[index])
          index += 1
        }
        return sum
      }
      // -60 dBFS.
      guard energy > Double(length) * 1e-6 else { continue }
      tenths.append(
        (own: (-tolerance...tolerance).map { power(of: frequency + Double($0), in: block) }.max() ?? 0, whole: energy))
    }
    return tenths
  }

  private func power(of frequency: Double, in block: ArraySlice<Float>) -> Double {
    var (sine, cosine) = (0.0, 0.0)
    let turn = 2 * .pi * frequency / Double(rate)
    block.withUnsafeBufferPointer { samples in
      var index = 0
      while index < samples.count {
        let angle = turn * Double(index)
        sine += Double(samples[index]) * sin(angle)
        cosine += Double(samples[index]) * cos(angle)
        index += 1
      }
    }
    return 2 * (sine * sine + cosine * cosine) / Double(block.count)
  }
}
