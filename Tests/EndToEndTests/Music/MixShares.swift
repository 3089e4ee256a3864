/// How much of each track's music is in a mix, by projection: the tunes have nothing in common.
struct MixShares: Sendable {
  /// The gain of each tune in the mix.
  var gains: [Double]
  /// The part of the mix's energy that the tunes explain, 0 to 1.
  var explained: Double

  /// Looks from `start` seconds of the take at the music that `comparisons` placed there.
  init(_ mix: Sound, of comparisons: [Comparison], from start: Double) {
    let count = comparisons.map(\.truth.frames).min() ?? 0
    let total = Array(mix.left.dropFirst(Int(start * Double(mix.rate))).prefix(count))
    var explained = 0.0
    gains = comparisons.map { comparison in
      let energy = Signal.energy(comparison.truth.left)
      let gain = energy > 0 ? Signal.product(total, comparison.truth.left) / energy : 0
      explained += gain * gain * energy
      return gain
    }
    self.explained = explained / max(Signal.energy(total), .leastNormalMagnitude)
  }
}
