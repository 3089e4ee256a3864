/// The highest true peak of a stream of interleaved stereo (ITU-R BS.1770-4 annex 2), gathered while it passes.
struct TruePeakMeter: Sendable {
  /// Frames that are looked at together: where none of them can be the highest so far, the filters are spared.
  private static let stretch = 64
  /// Frames before a stretch and behind it that the filters reach.
  private static let reach = TruePeak.before + TruePeak.after + TruePeak.group

  private(set) var highest: Float = 0
  private let meter = TruePeak.shared
  /// The last frames of each channel, then the new ones.
  private var left = [Float](repeating: 0, count: TruePeakMeter.reach)
  private var right = [Float](repeating: 0, count: TruePeakMeter.reach)

  /// Takes interleaved samples.
  mutating func add(_ samples: UnsafeBufferPointer<Float>) {
    let frames = samples.count / 2
    let known = left.count
    for index in 0..<frames {
      left.append(samples[index &* 2])
      right.append(samples[index &* 2 &+ 1])
    }
    examine(known + frames - TruePeakMeter.reach)
  }

  /// Ends the stream: silence behind it.
  mutating func finish() {
    let silence = [Float](repeating: 0, count: TruePeakMeter.reach)
    left += silence
    right += silence
    examine(left.count - TruePeakMeter.reach)
  }

  /// Looks at the first `count` frames that are not known yet, and keeps what the next ones need.
  private mutating func examine(_ count: Int) {
    let groups = count / TruePeak.group
    guard groups > 0 else { return }
    let done = groups * TruePeak.group
    var highest = highest
    for plane in [left, right] {
      plane.withUnsafeBufferPointer { plane in
        guard let base = plane.baseAddress else { return }
        for start in stride(from: 0, to: done, by: TruePeakMeter.stretch) {
          let end = min(start + TruePeakMeter.stretch, done)
          let window = UnsafeBufferPointer(start: base + start, count: end - start + TruePeakMeter.reach)
          guard SamplePeak.highest(window) * meter.worstOvershoot > highest else { continue }
          for index in stride(from: start, to: end, by: TruePeak.group) {
            highest = max(highest, meter.peaks(at: base + index + TruePeak.before).max())
          }
        }
      }
    }
    self.highest = highest
    left.removeFirst(done)
    right.removeFirst(done)
  }
}
