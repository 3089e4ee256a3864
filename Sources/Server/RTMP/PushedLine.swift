import Machines

/// The time line of a track of a pushed file: samples are counted, as its decoder and its timeline count them.
///
/// Timestamps are rounded to milliseconds, and a file has no clock that could be wrong, so they decide where the track
/// begins and nothing after that. Real gaps are in the samples' times already.
struct PushedLine {
  /// Disagreement of timestamps and samples by which they belong to different clocks: the stream began anew, or its
  /// timestamps jumped further than a take waits for. Below it, the timestamps of a frame or two may be anything.
  private static let greatestJump = MonotonicTime.Span.seconds(1)

  /// The place of sample 0; nil before the first packet.
  private var origin: MonotonicTime?
  /// How far the latest timestamp was from the samples. It may drift away, since a file may have been recorded with stamps
  /// of another clock.
  private var difference = MonotonicTime.Span.zero
  private var last: Int64 = .min

  /// The place of a packet, which is that of its end.
  ///
  /// - Parameters:
  ///   - end: time of the end of its sound, in samples at 48 kHz.
  ///   - due: its place by its timestamp.
  ///   - isAhead: false if it came no earlier than it is due: a file that fell behind the clock goes by its arrivals.
  mutating func place(endingAt end: Int64, due: MonotonicTime, isAhead: Bool) -> MonotonicTime {
    // In nanoseconds a sample is 62,500 / 3.
    let span = MonotonicTime.Span.nanoseconds(end) * 62_500 / 3
    defer { last = end }
    if let origin {
      let difference = due - (origin + span)
      let jump = difference - self.difference
      let isNear = jump < PushedLine.greatestJump && .zero - PushedLine.greatestJump < jump
      if isNear, end >= last, isAhead || difference <= .zero {
        self.difference = difference
        return origin + span
      }
    }
    (origin, difference) = (due - span, .zero)
    return due
  }
}
