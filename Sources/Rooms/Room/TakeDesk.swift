import Machines
import Music
import Recording

/// The takes of one room: the one that rolls, those that wait for their last packets, and those that are being finished.
///
/// It keeps the books; the room decides, and says what happens.
struct TakeDesk {
  /// The take that rolls.
  private(set) var rolling: Capture?
  /// Stopped takes that wait for packets on their way.
  private var ending: [EndingCapture] = []
  /// Takes whose journal takes no more, until they are complete.
  private var finishing: [TakeID: EndingCapture] = [:]
  /// Those of `finishing` that wait for room on the disk.
  private var starving: Set<TakeID> = []
  /// The room was announced to be recording.
  private var isAnnounced = false

  /// All captures that still take packets.
  var open: [Capture] { ending.map(\.capture) + (rolling.map { [$0] } ?? []) }

  /// No take is on its way from packets to files.
  var isIdle: Bool { rolling == nil && areStoppedTakesDone }

  var areStoppedTakesDone: Bool { ending.isEmpty && finishing.isEmpty }

  /// The capture of a take that is not complete yet.
  func capture(of take: TakeID) -> Capture? {
    open.first { $0.take == take } ?? finishing[take]?.capture
  }

  // MARK: The way of a take

  mutating func begin(_ capture: Capture) { rolling = capture }

  /// The take that rolls rolls no more; false where it is another one.
  mutating func giveUp(_ capture: Capture) -> Bool {
    guard rolling === capture else { return false }
    rolling = nil
    return true
  }

  /// Stops the take that rolls.
  mutating func stop(_ stopped: EndingCapture) {
    rolling = nil
    ending.append(stopped)
  }

  /// A take that ended because all had left ends with the last of what they played.
  mutating func extendAbandoned(to end: MonotonicTime) {
    for index in ending.indices where ending[index].reason == .sessionEnded {
      ending[index].end = max(ending[index].end, end)
    }
  }

  /// Takes out what waits for no packet any more, to be finished.
  mutating func closeDue(at now: MonotonicTime, isAwaited: (Capture) -> Bool) -> [EndingCapture] {
    let due = ending.filter { now >= $0.earliest && (now >= $0.latest || !isAwaited($0.capture)) }
    ending.removeAll { entry in due.contains { $0.capture === entry.capture } }
    for entry in due { finishing[entry.capture.take] = entry }
    return due
  }

  /// The take that is to be finished.
  func finishing(_ take: TakeID) -> EndingCapture? { finishing[take] }

  /// The take's journal is closed and on the disk.
  mutating func journalClosed(of take: TakeID) { finishing[take]?.isClosed = true }

  /// The disk has no room for the take's files; true the first time.
  mutating func starves(_ take: TakeID) -> Bool { starving.insert(take).inserted }

  mutating func finished(_ take: TakeID) {
    finishing[take] = nil
    starving.remove(take)
  }

  // MARK: What is announced

  /// True where the room was not announced to be recording yet.
  mutating func announce() -> Bool {
    defer { isAnnounced = true }
    return !isAnnounced
  }

  /// True where it was.
  mutating func withdrawAnnouncement() -> Bool {
    defer { isAnnounced = false }
    return isAnnounced
  }

  // MARK: Shutdown

  /// Every journal is closed and on the disk.
  var areJournalsClosed: Bool { ending.isEmpty && finishing.allSatisfy { $0.value.isClosed } }

  /// A full disk must not keep the service from ending: the journals are whole, and the next start completes the takes.
  var onlyWaitsForRoom: Bool {
    ending.isEmpty && finishing.allSatisfy { starving.contains($0.key) || $0.value.capture.isDiskFailing }
  }

  /// Nor must an index that takes nothing: the files are complete, and the next start indexes them.
  var onlyWaitsForIndex: Bool {
    areJournalsClosed
      && finishing.allSatisfy { $0.value.capture.folder?.has(TakeFolder.manifestName) == true }
  }
}

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
