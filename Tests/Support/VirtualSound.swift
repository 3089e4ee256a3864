import Glibc

/// Sound of many kinds before a microphone, made in advance.
package enum VirtualSound {
  /// Plucked notes, some seconds of them at 48 kHz, and a breath of noise as every room has.
  package static func music(_ seconds: Double, seed: UInt64 = 1, isStereo: Bool = false) -> [[Float]] {
    let signal = VirtualSignal(seed: seed, isStereo: isStereo)
    var random = SeededRandom(seed &+ 100)
    return (0..<(isStereo ? 2 : 1)).map { channel in
      signal.samples(from: 0, count: Int(seconds * 48_000), channel: channel)
        .map { $0 + Float(random.unit() - 0.5) * 0.0004 }
    }
  }

  /// One plucked string at a time (K. Karplus and A. Strong, 1983): every period of a note is like the next.
  /// - Parameter shortest: samples of the shortest note; others are two and four times as long.
  package static func strings(_ seconds: Double, shortest: Int = 6_000, seed: UInt64 = 1) -> [[Float]] {
    var random = SeededRandom(seed)
    let pitches = [130.8, 164.8, 196, 220, 246.9, 261.6, 293.7, 329.6, 349.2, 392, 440]
    let count = Int(seconds * 48_000)
    var samples: [Float] = []
    while samples.count < count {
      let pitch = pitches[Int(random.next() % UInt64(pitches.count))]
      let length = shortest << Int(random.next() % 3)
      var string = (0..<Int(48_000 / pitch)).map { _ in Float(random.unit() - 0.5) }
      var (place, last): (Int, Float) = (0, 0)
      for index in 0..<length {
        let value = string[place]
        (string[place], last, place) = (0.498 * (value + last), value, (place + 1) % string.count)
        samples.append(value * 0.6 * min(1, Float(length - index) / 480))
      }
    }
    return [samples.prefix(count).map { $0 + Float(random.unit() - 0.5) * 0.0004 }]
  }

  /// Three notes at a time, held for seconds like an organ's.
  package static func chords(_ seconds: Double, seed: UInt64 = 1) -> [[Float]] {
    var random = SeededRandom(seed)
    let pitches = [130.8, 164.8, 196, 220, 261.6, 329.6, 392]
    let count = Int(seconds * 48_000)
    var samples: [Float] = []
    while samples.count < count {
      let length = Int((1 + 3 * random.unit()) * 48_000)
      let chord = (0..<3).map { _ in pitches[Int(random.next() % UInt64(pitches.count))] }
      for index in 0..<length {
        let time = Double(index) / 48_000
        var value = 0.0
        for pitch in chord {
          for harmonic in 1...5 {
            value += sin(2 * .pi * pitch * Double(harmonic) * time) / Double(harmonic * harmonic)
          }
        }
        let fade = min(1, time / 0.02) * min(1, Double(length - index) / 960)
        samples.append(Float(0.08 * value * fade))
      }
    }
    return [samples.prefix(count).map { $0 + Float(random.unit() - 0.5) * 0.0004 }]
  }

  /// One note of five partials, held throughout.
  package static func note(_ seconds: Double, of pitch: Double) -> [[Float]] {
    [
      (0..<Int(seconds * 48_000)).map { index in
        let turns = 2 * Double.pi * pitch * Double(index) / 48_000
        return Float((1...5).reduce(0.0) { $0 + 0.1 * sin(Double($1) * turns) / Double($1 * $1) })
      }
    ]
  }

  /// One voice with vibrato that glides from note to note, and pauses.
  package static func voice(_ seconds: Double, seed: UInt64 = 1) -> [[Float]] {
    var random = SeededRandom(seed)
    let pitches = [180.0, 200, 220, 247, 262, 294]
    var (phase, pitch, target, level, loudness) = (0.0, 200.0, 200.0, 0.0, 0.0)
    return [
      (0..<Int(seconds * 48_000)).map { index in
        if index % 14_400 == 0 {
          target = pitches[Int(random.next() % UInt64(pitches.count))]
          loudness = random.unit() < 0.2 ? 0 : 0.2 + 0.3 * random.unit()
        }
        pitch += (target - pitch) / 2_000
        level += (loudness - level) / 1_500
        phase += pitch * (1 + 0.01 * sin(2 * .pi * 5.5 * Double(index) / 48_000)) / 48_000
        phase -= phase.rounded(.down)
        let value = (1...12).reduce(0) { $0 + sin(2 * .pi * phase * Double($1)) / Double($1) }
        return Float(value * level * 0.4 + (random.unit() - 0.5) * 0.002)
      }
    ]
  }

  /// Noise without anything above 16 kHz.
  package static func noise(_ seconds: Double, seed: UInt64 = 1) -> [[Float]] {
    var random = SeededRandom(seed)
    let white = (0..<Int(seconds * 48_000)).map { _ in Float(random.unit() - 0.5) * 0.5 }
    // A windowed sinc of 63 taps.
    let taps = (0..<63).map { tap -> Float in
      let distance = Double(tap - 31)
      let sinc = distance == 0 ? 2.0 / 3 : sin(.pi * distance * 2 / 3) / (.pi * distance)
      return Float(sinc * (0.5 + 0.5 * cos(.pi * distance / 32)))
    }
    return [
      white.indices.map { index in
        var sum: Float = 0
        for tap in taps.indices where index >= tap { sum += taps[tap] * white[index - tap] }
        return sum
      }
    ]
  }

  /// The same bar again and again, two beats a second, but for a quiet voice over it.
  package static func loop(_ seconds: Double) -> [[Float]] {
    let voice = VirtualSignal(tempo: 1.7, level: 0.04, seed: 9, isStereo: false)
    return [
      (0..<Int(seconds * 48_000)).map { index in
        let age = Double(index % 24_000) / 48_000
        let drum = 0.5 * exp(-age / 0.05) * sin(2 * .pi * 220 * age)
        let stick = 0.2 * exp(-age / 0.02) * sin(2 * .pi * 1_710 * age)
        return Float(drum + stick) + voice.sample(Double(index) / 48_000, channel: 0)
      }
    ]
  }
}
