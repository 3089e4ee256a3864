import Glibc

/// Music that can be asked for at any instant: plucked notes at even distances, which correlate at one lag only.
package struct VirtualSignal: Sendable {
  /// Notes a second.
  package var tempo: Double
  /// Highest level, 0 to 1.
  package var level: Double
  /// Another seed plays other notes.
  package var seed: UInt64
  /// True where left and right are unlike.
  package var isStereo: Bool

  package init(tempo: Double = 4, level: Double = 0.4, seed: UInt64 = 1, isStereo: Bool = true) {
    self.tempo = tempo
    self.level = level
    self.seed = seed
    self.isStereo = isStereo
  }

  /// The sample at `time` seconds.
  package func sample(_ time: Double, channel: Int) -> Float {
    let note = (time * tempo).rounded(.down)
    let age = time - note / tempo
    var random = SeededRandom(seed &+ UInt64(bitPattern: Int64(note)) &* 7_919)
    let pitch = 180 + 900 * random.unit()
    let side = channel == 1 && isStereo ? 1.5 : 1.0
    // Two partials, a soft start of 2 ms, and a decay of 60 ms.
    let envelope = min(1, age / 0.002) * exp(-age / 0.06)
    let phase = 2 * Double.pi * pitch * side * age
    return Float(level * envelope * (sin(phase) + 0.5 * sin(2.7 * phase)) / 1.5)
  }

  /// Interleaved stereo at 48 kHz from the time line's beginning on.
  package func stereo(frames: Int) -> [Float] {
    (0..<frames * 2).map { sample(Double($0 / 2) / 48_000, channel: $0 % 2) }
  }

  /// `count` mono samples at 48 kHz from sample `start` of the time line.
  package func samples(from start: Int, count: Int, channel: Int = 0) -> [Float] {
    (start..<(start + count)).map { sample(Double($0) / 48_000, channel: channel) }
  }
}
