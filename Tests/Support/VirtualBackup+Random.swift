/// Copies of all kinds, as a studio's pages send them.
extension VirtualBackup {
  package enum Music: String, Sendable, CaseIterable {
    case notes
    case strings
    case heldStrings
    case chords
    case voice

    func sound(_ seconds: Double, seed: UInt64) -> [[Float]] {
      switch self {
      case .notes: VirtualSound.music(seconds, seed: seed)
      case .strings: VirtualSound.strings(seconds, seed: seed)
      case .heldStrings: VirtualSound.strings(seconds, shortest: 24_000, seed: seed)
      case .chords: VirtualSound.chords(seconds, seed: seed)
      case .voice: VirtualSound.voice(seconds, seed: seed)
      }
    }
  }

  /// A copy of `music`: 8 to 30 s at any rate and level, of a card that is up to 100 ppm off; three of five beside a track
  /// that bends by up to 200 ppm, one of three with up to three losses, and the track with up to two gaps. The same seed
  /// makes the same copy.
  package init(_ music: Music, seed: UInt64) {
    var random = SeededRandom(seed)
    func one<Value>(of values: [Value]) -> Value { values[Int(random.next() % UInt64(values.count))] }
    let length = one(of: [8.0, 14, 20, 30])
    self.init(sound: music.sound(length + 6, seed: seed), lead: 3, length: length)
    rate = one(of: [48_000, 48_000, 44_100, 96_000])
    drift = (random.unit() - 0.5) * 200
    start = -2 + 3 * random.unit()
    var clocks = SeededRandom(seed ^ 0xC10C)
    clockError = 0.16 * (clocks.unit() - 0.5)
    level = Float(0.2 + 0.8 * random.unit())
    bitrate = one(of: [64_000, 96_000, 128_000])
    if random.unit() < 0.6 {
      let period = 10 + 30 * random.unit()
      // The steepest place of a swing is where it crosses the truth.
      swing = (200e-6 * random.unit() * 48_000 * period / (2 * .pi), period)
    }
    for _ in 0..<one(of: [0, 1, 2]) {
      let begin = random.unit() * (length - 1)
      gaps.append(begin...(begin + 0.02 + 0.6 * random.unit() * random.unit()))
    }
    guard random.unit() < 0.35 else { return }
    // What came twice is rarer than what was lost.
    let sign = random.unit() < 0.8 ? 1 : -1
    let first = max(0, start) + 0.3
    for _ in 0..<one(of: [1, 2, 3]) {
      let time = first + random.unit() * (length - 0.3 - first)
      losses.append((at: time, frames: sign * one(of: [128, 441, 480, 960]) * max(1, rate / 48_000)))
    }
    losses.sort { $0.at < $1.at }
  }
}
