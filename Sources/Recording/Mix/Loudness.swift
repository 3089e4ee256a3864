import Glibc

/// Integrated loudness of a stream at 48 kHz (ITU-R BS.1770-4, EBU R 128), gathered while it passes.
///
/// Our own hundred lines instead of libebur128 because they cost a quarter of it (both channels run in step, and
/// nothing is kept but the energy of each tenth of a second); the tests hold them against libebur128.
package struct Loudness: Sendable {
  /// Frames of one tenth of a second: gating blocks of 400 ms overlap by 75 %.
  private static let hop = 4_800
  /// Blocks below this never count, in LUFS.
  private static let absoluteGate = -70.0
  /// Blocks this much below the mean of the others do not count, in LU.
  private static let relativeGate = -10.0
  /// Below this a filter's memory is silence; left alone it would sink into denormal numbers, which cost a hundredfold.
  private static let silence = 1e-30

  private let channels: Int
  /// BS.1770-4 table 1: the head's acoustics, for 48 kHz.
  private var shelf = Biquad(
    .init(
      b0: 1.53512485958697, b1: -2.69169618940638, b2: 1.19839281085285, a1: -1.69065929318241,
      a2: 0.73248077421585))
  /// BS.1770-4 table 2: the revised low-frequency curve, for 48 kHz.
  private var highPass = Biquad(.init(b0: 1, b1: -2, b2: 1, a1: -1.99004745483398, a2: 0.99007225036621))
  /// Sum of squares of the current tenth, both channels.
  private var energy = 0.0
  private var frames = 0
  /// Mean square of the last four tenths.
  private var tenths: [Double] = []
  /// Mean square of every gating block above the absolute gate.
  private var blocks: [Double] = []

  package init(channels: Int) {
    self.channels = channels == 1 ? 1 : 2
  }

  /// Takes interleaved samples.
  package mutating func add(_ samples: UnsafeBufferPointer<Float>) {
    guard let base = samples.baseAddress else { return }
    let count = samples.count / channels
    var start = 0
    while start < count {
      let run = min(count - start, Loudness.hop - frames)
      filter(base + start * channels, frames: run)
      start += run
      frames += run
      if frames == Loudness.hop { endTenth() }
    }
  }

  /// Takes `count` frames of silence at once.
  package mutating func addSilence(_ count: Int64) {
    // The filters ring for well under a second; what is left of long silence only ends gating blocks that do not count.
    guard count > 0 else { return }
    shelf.reset()
    highPass.reset()
    if count >= Int64(Loudness.hop * 4) {
      (energy, tenths) = (0, [0, 0, 0, 0])
      frames = (frames + Int(count % Int64(Loudness.hop))) % Loudness.hop
    } else {
      var left = Int(count)
      while left > 0 {
        let run = min(left, Loudness.hop - frames)
        left -= run
        frames += run
        if frames == Loudness.hop { endTenth() }
      }
    }
  }

  /// Integrated loudness of everything so far in LUFS, nil while nothing was louder than the absolute gate.
  package var integrated: Double? {
    guard !blocks.isEmpty else { return nil }
    let mean = blocks.reduce(0, +) / Double(blocks.count)
    let gate = mean * pow(10, Loudness.relativeGate / 10)
    var sum = 0.0
    var count = 0
    for block in blocks where block > gate {
      sum += block
      count += 1
    }
    return count == 0 ? nil : Loudness.level(of: sum / Double(count))
  }

  private mutating func filter(_ samples: UnsafePointer<Float>, frames: Int) {
    var (shelf, highPass, energy) = (shelf, highPass, energy)
    var frame = 0
    if channels == 2 {
      while frame < frames {
        let input = (left: Double(samples[frame &* 2]), right: Double(samples[frame &* 2 &+ 1]))
        let weighted = highPass.step(shelf.step(input))
        energy += weighted.left * weighted.left + weighted.right * weighted.right
        frame &+= 1
      }
    } else {
      while frame < frames {
        let weighted = highPass.step(shelf.step((Double(samples[frame]), 0)))
        energy += weighted.left * weighted.left
        frame &+= 1
      }
    }
    shelf.flush(below: Loudness.silence)
    highPass.flush(below: Loudness.silence)
    (self.shelf, self.highPass, self.energy) = (shelf, highPass, energy)
  }

  private mutating func endTenth() {
    tenths.append(energy / Double(Loudness.hop))
    if tenths.count > 4 { tenths.removeFirst() }
    energy = 0
    frames = 0
    guard tenths.count == 4 else { return }
    let block = tenths.reduce(0, +) / 4
    if block > 0, Loudness.level(of: block) > Loudness.absoluteGate { blocks.append(block) }
  }

  /// BS.1770-4 equation 2.
  private static func level(of meanSquare: Double) -> Double { -0.691 + 10 * log10(meanSquare) }
}
