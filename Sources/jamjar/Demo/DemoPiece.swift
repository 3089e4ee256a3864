/// A short piece in three parts, composed and synthesised in code: four chords over eight bars at 96 beats a minute.
struct DemoPiece {
  /// One musician's part as it is played, interleaved stereo at 48 kHz.
  struct Part {
    var musician: String
    var instrument: String
    var samples: [Float]
  }

  static let rate = 48_000
  /// 96 beats a minute: 20 s are eight bars of four.
  private static let beat = 30_000
  /// A minor, F, C, G, as MIDI notes from the root up.
  private static let chords: [[Int]] = [[57, 60, 64, 69], [53, 57, 60, 65], [48, 55, 60, 64], [55, 59, 62, 67]]

  private var generator = DemoNoise()

  /// The three parts, `seconds` long.
  static func parts(seconds: Int) -> [Part] {
    var piece = DemoPiece()
    let frames = seconds * rate
    return [
      Part(musician: "ada", instrument: "guitar", samples: piece.guitar(frames)),
      Part(musician: "bob", instrument: "bass", samples: piece.bass(frames)),
      Part(musician: "cyd", instrument: "drums", samples: piece.drums(frames)),
    ]
  }

  /// Broken chords in eighths on a plucked string, a little to the left, with the higher notes to the right.
  private mutating func guitar(_ frames: Int) -> [Float] {
    var track = StereoTrack(frames: frames)
    let pattern = [0, 2, 1, 3, 2, 1, 3, 2]
    for step in 0..<(frames / (DemoPiece.beat / 2)) {
      let chord = DemoPiece.chords[step / 8 % DemoPiece.chords.count]
      let note = pattern[step % pattern.count]
      let string = pluck(midi: chord[note], frames: DemoPiece.beat * 2, brightness: 0.3)
      track.add(string, at: step * DemoPiece.beat / 2, gain: 0.5, pan: -0.4 + 0.25 * Float(note))
    }
    return track.normalised(to: 0.5)
  }

  /// Roots in quarters on a heavier string, in the middle.
  private mutating func bass(_ frames: Int) -> [Float] {
    var track = StereoTrack(frames: frames)
    for step in 0..<(frames / DemoPiece.beat) {
      let root = DemoPiece.chords[step / 4 % DemoPiece.chords.count][0] - 12 - (step % 4 == 2 ? -7 : 0)
      track.add(
        pluck(midi: root, frames: DemoPiece.beat, brightness: 0.25), at: step * DemoPiece.beat, gain: 0.7, pan: 0)
    }
    return track.normalised(to: 0.5)
  }

  /// Kick on one and three, snare on two and four, hi-hat in eighths.
  private mutating func drums(_ frames: Int) -> [Float] {
    var track = StereoTrack(frames: frames)
    for step in 0..<(frames / (DemoPiece.beat / 2)) {
      let at = step * DemoPiece.beat / 2
      track.add(noise(frames: 2_400, decay: 500), at: at, gain: 0.18, pan: 0.5)
      if step % 4 == 0 { track.add(kick(), at: at, gain: 0.9, pan: 0) }
      if step % 4 == 2 { track.add(noise(frames: 9_600, decay: 2_000), at: at, gain: 0.45, pan: -0.2) }
    }
    return track.normalised(to: 0.5)
  }

  /// A plucked string (Karplus and Strong, "Digital Synthesis of Plucked-String and Drum Timbres", 1983).
  private mutating func pluck(midi: Int, frames: Int, brightness: Float) -> [Float] {
    let frequency = 440 * DemoMath.powerOfTwo(Double(midi - 69) / 12)
    let period = max(2, Int(Double(DemoPiece.rate) / frequency))
    // A finger is softer than noise: two passes of a low-pass filter take the edge off before the string sounds.
    var line = (0..<period).map { _ in generator.next() }
    for _ in 0..<2 {
      var last: Float = 0
      for index in line.indices {
        last += 0.15 * (line[index] - last)
        line[index] = last
      }
    }
    // A string has no direct current, and Opus keeps none.
    let mean = line.reduce(0, +) / Float(line.count)
    for index in line.indices { line[index] -= mean }
    var output: [Float] = []
    output.reserveCapacity(frames)
    var place = 0
    for frame in 0..<frames {
      let next = (place + 1) % period
      let value = line[place]
      line[place] = (value * (0.5 + brightness / 2) + line[next] * (0.5 - brightness / 2)) * 0.9965
      // The last fortieth fades, so that a string that is struck again does not click.
      let fade = min(1, Float(frames - frame) / Float(max(1, frames / 40)))
      output.append(value * fade)
      place = next
    }
    return output
  }

  private func kick() -> [Float] {
    var phase = 0.0
    return (0..<12_000).map { frame in
      let time = Double(frame) / Double(DemoPiece.rate)
      phase += (50 + 110 * DemoMath.exponential(-time * 30)) / Double(DemoPiece.rate)
      return Float(DemoMath.sine(phase) * DemoMath.exponential(-time * 14))
    }
  }

  private mutating func noise(frames: Int, decay: Double) -> [Float] {
    (0..<frames).map { frame in generator.next() * Float(DemoMath.exponential(-Double(frame) / decay)) }
  }
}
