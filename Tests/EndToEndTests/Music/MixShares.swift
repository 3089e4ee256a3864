/// How much of each tune is in a mix, by projection: the tunes have nothing in common.
struct MixShares: Sendable {
  /// The gain of each tune in the mix.
  var gains: [Double]
  /// The part of the mix's energy that the tunes explain, 0 to 1.
  var explained: Double

  /// Looks from `start` to `end` seconds of the take at the tunes that begin at their origins, in seconds of the take.
  init(_ mix: Sound, of tunes: [(tune: Tune, origin: Double)], from start: Double, to end: Double) {
    let rate = Double(mix.rate)
    let range = Int(start * rate)..<min(Int(end * rate), mix.frames)
    let total = Array(mix.left[range])
    var explained = 0.0
    gains = tunes.map { tune, origin in
      let seconds = (Double(range.lowerBound) / rate - origin)..<(Double(range.upperBound) / rate - origin)
      let truth = tune.sound(rate: mix.rate, seconds: seconds).left
      let energy = Comparison.energy(truth)
      let gain = energy > 0 ? Comparison.product(total, truth) / energy : 0
      explained += gain * gain * energy
      return gain
    }
    self.explained = explained / max(Comparison.energy(total), .leastNormalMagnitude)
  }
}
