import Machines
import Realtime

/// The state of a publication whose packets are created here because its audio arrives without RTP: their headers,
/// and the position of a pushed file on the take's time line.
///
/// A file pushed faster than it plays is recorded completely. While nobody else plays, its own time stamps are the
/// time line, which may run ahead of the clock. With others, it follows the clock and its sender waits.
struct FeedWriter {
  /// Audio this far ahead of the clock was pushed faster than it plays.
  static let lead = MonotonicTime.Span.seconds(1)

  /// The header of the next packet.
  var header: RTPWriter
  /// Arrival of the current packet on the take's time line; nil if it was sent in real time.
  private(set) var time: MonotonicTime?
  /// Shared by the tracks of one sender, which stay together whatever moves them.
  let line: FeedLine

  init(header: RTPWriter, on line: FeedLine = FeedLine()) {
    self.header = header
    self.line = line
  }

  /// Determines the position on the time line of a packet due at `due`.
  mutating func place(_ due: MonotonicTime?, isAlone: Bool, at now: MonotonicTime) {
    time = due.map { line.place($0, isAlone: isAlone, at: now) }
  }

  /// Restarts at the current time for a new take, however far ahead the feed was.
  func takeBegins(at now: MonotonicTime) {
    if let time, time > now + FeedWriter.lead { line.begins = true }
  }
}

/// The time line of a pushed file. Belongs to its room's loop.
final class FeedLine {
  /// Offset added to a packet's due time.
  private var shift = MonotonicTime.Span.zero
  /// True if the next packet restarts at the clock's time.
  fileprivate(set) var begins = false
  /// True if others play too.
  private var isHeld = false

  fileprivate func place(_ due: MonotonicTime, isAlone: Bool, at now: MonotonicTime) -> MonotonicTime {
    if !isAlone, !isHeld, due + shift > now + FeedWriter.lead { begins = true }
    isHeld = !isAlone
    if begins { shift = now - due }
    begins = false
    return due + shift
  }
}
