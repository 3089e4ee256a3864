import Glibc
import TestSupport

/// Music that is known exactly at any time and any sampling rate: plucked notes at random, other ones left and right.
///
/// Only notes of a fifth of a second and more, none above 2 kHz: Opus keeps their phases, so a recording can be compared
/// with them sample by sample. The two channels and any two seeds have nothing in common.
struct Tune: Sendable, CustomStringConvertible {
  private struct Note {
    var start: Double
    /// In Hz.
    var frequency: Double
  }

  /// Notes in a second and channel.
  private static let notesPerSecond = 4
  /// How long a note sounds, in seconds.
  private static let noteLength = 0.45
  /// Highest sample of one note, so that those that overlap stay under full scale.
  private static let level = 0.16
  private static let attack = 0.004
  /// Decay to 1/e, in seconds.
  private static let decay = 0.15

  private let channels: [[Note]]
  /// In seconds.
  let length: Double

  /// Short, because failed expectations print their values.
  var description: String { "a tune of \(length) seconds" }

  init(seed: UInt64, length: Double) {
    self.length = length
    var generator = SeededRandom(seed)
    channels = (0..<2).map { _ in
      // The last second stays silent: what comes after a file's end is nobody's music.
      (0..<Int((length - 1.5) * Double(Tune.notesPerSecond))).map { index in
        Note(
          start: (Double(index) + Double.random(in: 0...0.8, using: &generator)) / Double(Tune.notesPerSecond),
          frequency: 110 * pow(2, Double.random(in: 0...3, using: &generator)))
      }
    }
  }

  /// The samples at `rate` Hz of `seconds` of the tune.
  func sound(rate: Int, seconds: Range<Double>) -> Sound {
    let count = Int((seconds.upperBound - seconds.lowerBound) * Double(rate))
    return Sound(rate: rate, channels: channels.map { render($0, rate: rate, from: seconds.lowerBound, count: count) })
  }

  private func render(_ notes: [Note], rate: Int, from start: Double, count: Int) -> [Float] {
    var samples = [Float](repeating: 0, count: count)
    samples.withUnsafeMutableBufferPointer { samples in
      for note in notes {
        let first = Int(((note.start - start) * Double(rate)).rounded(.up))
        let last = first + Int(Tune.noteLength * Double(rate))
        var index = max(0, first)
        let end = min(count, last)
        while index < end {
          let time = start + Double(index) / Double(rate) - note.start
          let envelope =
            min(1, time / Tune.attack) * exp(-time / Tune.decay) * min(1, (Tune.noteLength - time) / Tune.attack)
          let phase = 2 * Double.pi * note.frequency * time
          samples[index] += Float(Tune.level * envelope * (sin(phase) + 0.4 * sin(2 * phase)))
          index += 1
        }
      }
    }
    return samples
  }
}
