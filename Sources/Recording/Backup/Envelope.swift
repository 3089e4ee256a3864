import Glibc
import Machines

/// The loudness of a sound over time in eight frequency bands, 100 times a second, for the coarse search. If every
/// beat is equally loud, the bands still distinguish the notes.
struct Envelope: Sendable {
  /// Values per second and band.
  static let rate = 100
  /// Bands, of three quarters of an octave each.
  static let bands = 8
  /// Lower edge of the lowest band in Hz, and the ratio of successive bands.
  private static let lowest = 100.0
  private static let step = 1.681_792_830_507_429
  /// Values computed at a time: the frames of two seconds.
  private static let block = 200
  /// Resolution of the stored level, in dB.
  private static let resolution: Float = 0.5

  /// Levels in half decibels above -120 dBFS, grouped by instant. One byte each keeps hours of sound in memory.
  private var levels: [UInt8] = []
  /// Number of instants.
  var count: Int { levels.count / Envelope.bands }

  /// The fourth root of a level's energy, so that quiet notes count as well as loud ones.
  private static let roots: [Float] = (0...255).map { $0 == 0 ? 0 : powf(10, (Float($0) * resolution - 120) / 40) }

  /// The value of a band at an instant.
  func value(_ band: Int, at index: Int) -> Float { Envelope.roots[Int(levels[index &* Envelope.bands &+ band])] }

  /// True if any band ever exceeds `level`.
  func exceeds(_ level: Float) -> Bool {
    let least = UInt8(max(0, min(255, (20 * log10f(level) + 120) / Envelope.resolution)))
    return levels.contains { $0 > least }
  }

  /// Reads all of `source`, a few seconds at a time.
  init(of source: any SoundSource, _ proceed: () throws -> Void = {}) throws {
    let length = max(8, source.rate / 48)
    var size = 8
    while size < length { size *= 2 }
    let transform = FourierTransform(size)
    let taper = CrossSpectrum.hann(length)
    let edges = (0...Envelope.bands).map { band in
      let frequency = Envelope.lowest * pow(Envelope.step, Double(band))
      return max(1, min(size / 2, Int(saturating: frequency * Double(size) / Double(source.rate))))
    }
    let scale = 4 / Float(length * length)
    let total = max(0, (source.frameCount - Int64(length)) * Int64(Envelope.rate) / Int64(source.rate))
    // Instant n begins at frame n * rate / 100, which avoids drift at rates that are not multiples of 100.
    func begin(_ index: Int64) -> Int64 { index * Int64(source.rate) / Int64(Envelope.rate) }
    levels.reserveCapacity(Int(total) * Envelope.bands)
    var index: Int64 = 0
    let quiet = [Float](repeating: 0, count: size)
    while index < total {
      try proceed()
      let last = min(total, index + Int64(Envelope.block))
      let first = begin(index)
      let samples = try source.mono(from: first, frames: Int(begin(last - 1) - first) + length)
      // Two instants per transform: one is the real part, the other the imaginary part.
      while index < last {
        var (left, right) = (quiet, quiet)
        let place = Int(begin(index) - first)
        for sample in 0..<length { left[sample] = samples[place + sample] * taper[sample] }
        if index + 1 < last {
          let next = Int(begin(index + 1) - first)
          for sample in 0..<length { right[sample] = samples[next + sample] * taper[sample] }
        }
        let spectrum = CrossSpectrum(left, right, transform)
        append(spectrum.first, edges, scale)
        if index + 1 < last { append(spectrum.second, edges, scale) }
        index += 2
      }
      index = last
    }
  }

  private mutating func append(_ power: [Float], _ edges: [Int], _ scale: Float) {
    for band in 0..<Envelope.bands {
      var sum: Float = 0
      for bin in edges[band]..<max(edges[band], edges[band + 1]) { sum += power[bin] }
      let level = sum > 0 ? (10 * log10f(sum * scale) + 120) / Envelope.resolution : 0
      levels.append(UInt8(max(0, min(255, level.isFinite ? level : 0))))
    }
  }
}
