import Machines
import Recording

/// A take that was stopped and waits for the packets that were on their way.
struct EndingCapture {
  var capture: Capture
  /// The take's end on our monotonic clock; audio captured later belongs to the next take.
  var end: MonotonicTime
  var reason: JournalEnd
  /// When it stops waiting at the earliest and at the latest.
  var earliest: MonotonicTime
  var latest: MonotonicTime
  /// Its journal is closed and on the disk.
  var isClosed = false
}
