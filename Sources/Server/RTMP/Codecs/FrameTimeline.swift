import Machines

/// The time line of decoded frames: RTMP's timestamps are rounded to milliseconds, so samples are counted instead, and a
/// timestamp matters only if it shows a gap (rtmp.md section 2).
///
/// Times are in samples at 48 kHz.
struct FrameTimeline {
  /// Where the sound of a frame lies.
  struct Place: Hashable {
    /// Time of the first sample that follows from the frame.
    var start: Int64
    /// Time of the end of the frame's sound, after priming was taken off.
    var end: Double
  }

  /// Deviation of a timestamp that counts as a gap, in frames.
  private static let tolerance: Double = 2
  /// Deviation of a gap from whole frames that is the rounding of its timestamps to milliseconds, in samples.
  private static let rounding: Double = 49
  /// Share of a deviation by which the expectation follows: stamps by another clock than that of the samples move away
  /// slowly, and that is no gap.
  private static let adaptation: Double = 0.02
  /// Greatest deviation that another clock may explain, in frames; more is sound that the sender has left out.
  private static let drift: Double = 0.4
  private static let rate: Double = 48_000

  /// Samples that came out of the decoder.
  private var count: Int64 = 0
  /// The end of the frames that went in.
  private var end: Double = 0
  /// From places in the decoded sound to times.
  private var shift: Double?
  /// How far timestamps are usually from these times.
  private var offset: Double = 0

  /// Adds what the decoder gave for a frame or for lost ones; nil before the first decoded frame.
  ///
  /// - Parameters:
  ///   - timestamp: of the frame, in milliseconds; nil for lost frames.
  ///   - frames: 1, or the number of lost frames.
  ///   - delay: of the codec.
  mutating func add(
    _ sound: CodecMessage.Sound, timestamp: Int64?, frames: Int, priming: Double
  ) -> Place? {
    guard sound.rate > 0 else { return nil }
    let scale = FrameTimeline.rate / Double(sound.rate)
    let length = Double(sound.frameLength) * scale
    if let timestamp {
      let said = Double(timestamp) * FrameTimeline.rate / 1_000
      // A loss before the first frame cannot be known.
      let known = shift ?? (said - end)
      let ahead = said - (end + known) - offset
      if ahead > FrameTimeline.tolerance * length {
        let whole = (ahead / length).rounded() * length
        shift = known + (abs(ahead - whole) <= FrameTimeline.rounding ? whole : ahead)
      } else {
        shift = known
        if abs(ahead) < FrameTimeline.drift * length { offset += ahead * FrameTimeline.adaptation }
      }
    }
    guard let shift else { return nil }
    let first = Double(count) + shift - priming * scale
    count &+= Int64(sound.samples.count / max(1, Int(sound.channels)))
    end += length * Double(frames)
    return Place(start: Int64(saturating: first.rounded()), end: end + shift - priming * scale)
  }

  /// Where the samples lie that follow from no frame.
  mutating func addRest(_ samples: Int, priming: Double, rate: UInt32) -> Int64? {
    guard let shift, rate > 0 else { return nil }
    let first = Double(count) + shift - priming * FrameTimeline.rate / Double(rate)
    count &+= Int64(samples)
    return Int64(saturating: first.rounded())
  }

  /// A decoder began anew: what it gives follows the frames that went into the former one, and those that it lost.
  mutating func restart(losing frames: Int, of duration: Double) {
    end += Double(frames) * duration
    count = Int64(saturating: end.rounded())
  }
}
