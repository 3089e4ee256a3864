import Foundation

extension Sound {
  /// How much of the left channel's energy lies in a tone of `frequency` Hz, 0 to 1; of the tenths of a second in which
  /// anything is heard.
  func share(of frequency: Double) -> Double {
    let length = rate / 10
    var (own, whole) = (0.0, 0.0)
    for start in stride(from: 0, through: left.count - length, by: length) {
      let block = left[start..<start + length]
      let energy = block.reduce(0.0) { $0 + Double($1) * Double($1) }
      // -60 dBFS.
      guard energy > Double(length) * 1e-6 else { continue }
      var (sine, cosine) = (0.0, 0.0)
      for (index, sample) in block.enumerated() {
        let angle = 2 * .pi * frequency * Double(index) / Double(rate)
        sine += Double(sample) * sin(angle)
        cosine += Double(sample) * cos(angle)
      }
      own += 2 * (sine * sine + cosine * cosine) / Double(length)
      whole += energy
    }
    return whole > 0 ? own / whole : 0
  }
}
