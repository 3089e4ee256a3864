import Machines
import Music
import Recording

/// The takes of one room: the rolling one, those waiting for their last packets, and those being finished.
///
/// It only keeps the books; the room decides and announces.
struct TakeDesk {
  /// The rolling take.
  private(set) var rolling: Capture?
  /// Stopped takes waiting for packets in transit.
  private var ending: [EndingCapture] = []
  /// Takes with a closed journal, until they are complete.
  private var finishing: [TakeID: EndingCapture] = [:]
  /// Takes in `finishing` that wait for space on the disk.
  private var starving: Set<TakeID> = []
  /// True if the room was announced as recording.
  private var isAnnounced = false

  /// All captures that still accept packets.
  var open: [Capture] { ending.map(\.capture) + (rolling.map { [$0] } ?? []) }

  /// True if no take is in progress.
  var isIdle: Bool { rolling == nil && areStoppedTakesDone }

  var areStoppedTakesDone: Bool { ending.isEmpty && finishing.isEmpty }

  /// The capture of an incomplete take.
  func capture(of take: TakeID) -> Capture? {
    open.first { $0.take == take } ?? finishing[take]?.capture
  }

  // MARK: A take's progress

  mutating func begin(_ capture: Capture) { rolling = capture }

  /// Ends the rolling take; false if it is a different one.
  mutating func giveUp(_ capture: Capture) -> Bool {
    guard rolling === capture else { return false }
    rolling = nil
    return true
  }

  /// Stops the rolling take.
  mutating func stop(_ stopped: EndingCapture) {
    rolling = nil
    ending.append(stopped)
  }

  /// Extends takes that ended because everyone left, to include the last audio.
  mutating func extendAbandoned(to end: MonotonicTime) {
    for index in ending.indices where ending[index].reason == .sessionEnded {
      ending[index].end = max(ending[index].end, end)
    }
  }

  /// Removes and returns takes that need not wait for packets any longer, to be finished.
  mutating func closeDue(at now: MonotonicTime, isAwaited: (Capture) -> Bool) -> [EndingCapture] {
    let due = ending.filter { now >= $0.earliest && (now >= $0.latest || !isAwaited($0.capture)) }
    ending.removeAll { entry in due.contains { $0.capture === entry.capture } }
    for entry in due { finishing[entry.capture.take] = entry }
    return due
  }

  /// Returns the take if it is being finished.
  func finishing(_ take: TakeID) -> EndingCapture? { finishing[take] }

  /// Records that the take's journal is closed and on disk.
  mutating func journalClosed(of take: TakeID) { finishing[take]?.isClosed = true }

  /// Records that the disk has no space for the take's files; true the first time.
  mutating func starves(_ take: TakeID) -> Bool { starving.insert(take).inserted }

  mutating func finished(_ take: TakeID) {
    finishing[take] = nil
    starving.remove(take)
  }

  // MARK: Announcements

  /// Marks the room as recording; true if it was not announced as such before.
  mutating func announce() -> Bool {
    defer { isAnnounced = true }
    return !isAnnounced
  }

  /// Marks the room as not recording; true if it was announced as recording before.
  mutating func withdrawAnnouncement() -> Bool {
    defer { isAnnounced = false }
    return isAnnounced
  }

  // MARK: Shutdown

  /// True if every journal is closed and on disk.
  var areJournalsClosed: Bool { ending.isEmpty && finishing.allSatisfy { $0.value.isClosed } }

  /// True if takes only wait for disk space. The service may end then: the next start renders them from their journals.
  var onlyWaitsForRoom: Bool {
    ending.isEmpty && finishing.allSatisfy { starving.contains($0.key) || $0.value.capture.isDiskFailing }
  }

  /// True if takes only wait for the index. The service may end then: the next start indexes their complete files.
  var onlyWaitsForIndex: Bool {
    areJournalsClosed
      && finishing.allSatisfy { $0.value.capture.folder?.has(TakeFolder.manifestName) == true }
  }
}

/// A stopped take waiting for packets in transit.
struct EndingCapture {
  var capture: Capture
  /// The take's end on our monotonic clock; audio captured later belongs to the next take.
  var end: MonotonicTime
  var reason: JournalEnd
  /// The earliest and the latest time to stop waiting.
  var earliest: MonotonicTime
  var latest: MonotonicTime
  /// True if its journal is closed and on disk.
  var isClosed = false
}
