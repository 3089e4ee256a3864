import Machines
import Realtime

/// What a publication needs whose packets are made here, because its audio came without RTP: their headers, and where
/// those of a pushed file lie on the take's time line.
///
/// A file that is pushed faster than it plays is recorded whole: its own time stamps are its time line, which may run
/// ahead of the clock while nobody else plays. With others it goes by the clock like everybody, and its sender waits.
struct FeedWriter {
  /// What is so far ahead of the clock came faster than it plays.
  static let lead = MonotonicTime.Span.seconds(1)

  /// The next packet's header.
  var header: RTPWriter
  /// When the packet that is being given came, on the take's time line; nil for one that came as it was played.
  private(set) var time: MonotonicTime?
  /// Added to when a packet would have come.
  private var shift = MonotonicTime.Span.zero
  /// The next packet begins at the clock's time again.
  private var begins = false
  /// Others play too.
  private var isHeld = false

  init(header: RTPWriter) {
    self.header = header
  }

  /// When a packet lies on the time line that would have come at `due`.
  mutating func place(_ due: MonotonicTime?, isAlone: Bool, at now: MonotonicTime) {
    guard let due else { return time = nil }
    if !isAlone, !isHeld, due + shift > now + FeedWriter.lead { begins = true }
    isHeld = !isAlone
    if begins { shift = now - due }
    begins = false
    time = due + shift
  }

  /// A take begins: what it brings from now on belongs to now, however far ahead it was.
  mutating func takeBegins(at now: MonotonicTime) {
    if let time, time > now + FeedWriter.lead { begins = true }
  }
}
