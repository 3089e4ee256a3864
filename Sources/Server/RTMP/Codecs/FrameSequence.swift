import Machines

/// Finds frames that never came, by the timestamps of those that did.
///
/// RTMP has no sequence numbers, and timestamps are rounded to milliseconds or taken when a sender found time. So a jump
/// counts as lost frames only if the frames after it keep their distance; they wait for that.
struct FrameSequence<Frame> {
  enum Item {
    case frame(Frame)
    /// So many frames before the next one.
    case lost(Int)
  }

  private struct Held {
    var frame: Frame
    /// Frames by which its timestamp is ahead.
    var ahead: Int
  }

  /// Frames after a jump that have to confirm it, with the first.
  private static var confirmations: Int { 3 }
  /// Longest run of lost frames that is filled, in milliseconds; a longer one is a pause or another clock.
  private static var longestLoss: Double { 1_000 }
  /// The same in frames.
  private static var mostLost: Int { Int(CodecConverter.mostLost) }
  /// Deviation from a whole number of frames that a jump may have, in frames.
  private static var tolerance: Double { 0.4 }
  /// Share of a deviation by which the expectation follows: the sender's two clocks differ a little.
  private static var adaptation: Double { 0.05 }

  /// Milliseconds of a frame; nil while unknown. Where it becomes known better, at a moment that depends on the decoder's
  /// speed, what is expected follows: beginning anew would hide a loss right there.
  var duration: Double? {
    didSet {
      if let duration, let oldValue {
        expected = expected.map { $0 - oldValue + duration }
      } else if duration != oldValue {
        expected = nil
      }
    }
  }
  /// The timestamp expected next, in milliseconds.
  private var expected: Double?
  private var held: [Held] = []

  /// Adds a frame with its timestamp in milliseconds; returns what is known now.
  mutating func add(_ frame: Frame, timestamp: Int64) -> [Item] {
    guard let duration, duration > 0, let expected else {
      self.expected = duration.map { Double(timestamp) + $0 }
      return release() + [.frame(frame)]
    }
    let deviation = Double(timestamp) - expected - Double(held.count) * duration
    let frames = deviation / duration
    let ahead = Int(saturating: frames.rounded())
    let isWhole = abs(frames - frames.rounded()) < Self.tolerance
    if let last = held.last {
      guard isWhole, ahead >= last.ahead, isLoss(ahead, deviation) else {
        // No loss, but a timestamp that was late.
        self.expected = expected + Double(held.count) * duration
        return release(isLoss: false) + add(frame, timestamp: timestamp)
      }
      held.append(Held(frame: frame, ahead: ahead))
      return held.count < Self.confirmations ? [] : confirm(duration, expected)
    }
    if ahead >= 1, isWhole, isLoss(ahead, deviation) {
      held = [Held(frame: frame, ahead: ahead)]
      return []
    }
    // Far from what was expected: another beginning.
    let isNear = abs(frames) <= 2
    self.expected = isNear ? expected + duration + deviation * Self.adaptation : Double(timestamp) + duration
    return [.frame(frame)]
  }

  /// The end of the stream, or of a decoder's frames of one length.
  mutating func finish() -> [Item] {
    guard let duration, let expected else { return release() }
    return confirm(duration, expected)
  }

  private func isLoss(_ frames: Int, _ milliseconds: Double) -> Bool {
    frames <= Self.mostLost && milliseconds <= Self.longestLoss
  }

  private mutating func confirm(_ duration: Double, _ expected: Double) -> [Item] {
    let lost = held.last?.ahead ?? 0
    self.expected = expected + Double(held.count + lost) * duration
    return release()
  }

  private mutating func release(isLoss: Bool = true) -> [Item] {
    defer { held = [] }
    var items: [Item] = []
    var known = 0
    for next in held {
      if isLoss, next.ahead > known { items.append(.lost(next.ahead - known)) }
      known = max(known, next.ahead)
      items.append(.frame(next.frame))
    }
    return items
  }
}
