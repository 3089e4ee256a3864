import Music
import Recording
import Synchronization

/// The header field `Date` of now, written once a second.
final class DateField: Sendable {
  private let written = Mutex((seconds: Int64.min, text: ""))

  var now: String {
    let seconds = MonotonicClock.wall.seconds
    return written.withLock { written in
      if written.seconds != seconds { written = (seconds, HTTPDate(seconds: seconds).description) }
      return written.text
    }
  }
}
