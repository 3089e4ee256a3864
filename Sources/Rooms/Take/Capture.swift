import Machines
import Music
import Realtime
import Recording
import Signaling

/// The capture of one take on its room's loop: packets in, journal chunks out.
///
/// Frames are kept in memory until the take's index row and file exist (some milliseconds).
final class Capture {
  /// Wall clock anchors in the journal, which later reveal steps of our own clock.
  private static let anchorInterval = MonotonicTime.Span.seconds(10)
  /// More frequent steps would wake the render in vain; less frequent ones would leave too much for the end of the
  /// take.
  private static let followInterval = MonotonicTime.Span.seconds(1)
  /// The same while a stopped take's last packets are awaited.
  private static let lastInterval = MonotonicTime.Span.milliseconds(100)
  /// More than anybody reads; the files have all.
  private static let mostCues = 200
  /// A period in which the disk was so far behind that frames were dropped; the journal records it once it ends.
  private struct Degradation {
    var since: MonotonicTime
    var lostBytes: Int64
  }

  let take: TakeID
  /// The take's zero on our monotonic clock.
  let zero: MonotonicTime
  let startedAt: WallTime
  /// The requested title; the index finds or creates its song.
  let songTitle: String?
  /// The take as stored by the index; nil before that.
  private(set) var stored: Take?
  private(set) var folder: TakeFolder?
  /// The latest cues, for those who come in.
  private(set) var cues: [Cue] = []
  /// Tasks waiting until the take is in the index or given up.
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private var isSettled = false

  private var writer: JournalWriter?
  private var early: [JournalFrame] = []
  /// Bytes of the packets in `early`.
  private var earlyBytes = 0
  private var lane: JournalLane?
  private var schedule: (JournalLane) -> Void = { _ in }
  private var degradation: Degradation?
  /// True between the announcements of a degradation and of its end.
  private var isDegradationTold = false
  private var lastAnchor: MonotonicTime?
  private var newest: MonotonicTime

  /// What a track is of: a participant, and one of several tracks of theirs.
  private struct TrackSource: Hashable {
    var participant: ParticipantID
    var stem: UInt8?
  }

  /// Track numbers, from 1.
  private var tracks: [TrackSource: Int] = [:]
  /// Tracks whose musicians talk.
  private var talking: Set<Int> = []
  private(set) var packetCount = 0
  /// Arrival of the newest audio packet.
  private(set) var lastAudio: MonotonicTime?
  private var durable = SamplePosition.zero
  private var lastFollow: MonotonicTime
  private var lastRoundTrips: MonotonicTime
  /// What arrives later is no part of the take; nil while it rolls.
  private var latest: MonotonicTime?

  init(take: TakeID, zero: MonotonicTime, startedAt: WallTime, songTitle: String?) {
    self.take = take
    self.zero = zero
    self.startedAt = startedAt
    self.songTitle = songTitle
    newest = zero
    lastFollow = zero
    lastRoundTrips = zero
  }

  /// Attaches the journal's file: from here on, chunks go to the disk.
  func attach(
    _ lane: JournalLane, take stored: Take, folder: TakeFolder, header: JournalHeader,
    schedule: @escaping (JournalLane) -> Void
  ) {
    self.stored = stored
    self.folder = folder
    self.lane = lane
    self.schedule = schedule
    var writer = JournalWriter(header: header)
    for frame in early { writer.append(frame) }
    early = []
    self.writer = writer
    settle()
  }

  /// Records the new folder after the take's folder was deleted and recreated.
  func moved(to folder: TakeFolder) {
    self.folder = folder
  }

  /// Resumes waiting tasks: the take is in the index, or has been given up.
  func settle() {
    isSettled = true
    for continuation in waiting { continuation.resume() }
    waiting = []
  }

  /// Waits until the take is in the index (`stored` is set) or has been given up.
  func waitUntilSettled(isolation: isolated (any Actor)? = #isolation) async {
    guard !isSettled else { return }
    await withCheckedContinuation { waiting.append($0) }
  }

  /// True if a pushed file has advanced the time line ahead of the clock.
  func isAhead(of now: MonotonicTime) -> Bool { lastAudio.map { $0 > now + FeedWriter.lead } ?? false }

  /// True while the journal cannot be written.
  var isDiskFailing: Bool { lane?.isFailing ?? false }

  // MARK: Frames

  /// The track of what everybody hears of a participant; nil if they have none.
  func track(of participant: ParticipantID) -> Int? { tracks[TrackSource(participant: participant)] }

  /// The track of `participant`. The first call opens it; later calls continue it with new stream parameters, whether
  /// the connection was replaced or the musician was away.
  func openTrack(
    for participant: Participant, stem: AudioStem? = nil, part: Part?, meta: String? = nil, origin: String,
    stream: JournalStream, at now: MonotonicTime
  ) -> Int {
    let source = TrackSource(participant: participant.id, stem: stem?.number)
    if let number = tracks[source] {
      append(.path(track: number, at: now, isUp: true))
      append(.streamChanged(track: number, stream, at: now))
      return number
    }
    let number = tracks.count + 1
    tracks[source] = number
    let track = JournalTrack(
      trackID: TrackID(at: startedAt), participant: participant, part: part, meta: meta, origin: origin, stream: stream)
    append(.trackOpened(track: number, track, at: now))
    return number
  }

  /// Notes whether the packets of a track are talk from now on.
  func note(talk isTalk: Bool, track: Int, at now: MonotonicTime) {
    guard talking.contains(track) != isTalk else { return }
    if isTalk { talking.insert(track) } else { talking.remove(track) }
    append(.talk(track: track, at: now, isOn: isTalk))
  }

  func append(rtp packet: ReceivedPacket, track: Int) {
    // A loop that stands still just after the stop reads what came long after it. The render would take it for the take's.
    if let latest, packet.arrival > latest { return }
    packetCount += 1
    guard degradation == nil else {
      degradation?.lostBytes += Int64(packet.packet.bytes.count)
      return
    }
    newest = max(newest, packet.arrival)
    if !packet.packet.payload.isEmpty { lastAudio = packet.arrival }
    if writer != nil {
      writer?.append(rtp: packet.packet.bytes, track: track, arrival: packet.arrival)
    } else if earlyBytes + packet.packet.bytes.count <= JournalLane.capacity {
      earlyBytes += packet.packet.bytes.count
      early.append(.rtp(track: track, arrival: packet.arrival, packet: packet.packet.bytes))
    } else {
      // The folder is not made for as long as the disk hangs.
      degradation = Degradation(since: packet.arrival, lostBytes: Int64(packet.packet.bytes.count))
    }
  }

  func append(_ frame: JournalFrame) {
    // Measurements come for ever; without their packets they are of no use.
    if degradation != nil, frame.isMeasurement { return }
    if frame.time > newest { newest = frame.time }
    if writer != nil { writer?.append(frame) } else { early.append(frame) }
  }

  func append(_ reading: ClockReading, track: Int) {
    append(
      .clockSample(
        track: track, arrival: reading.at, senderTime: reading.clientTime, roundTrip: reading.roundTrip))
  }

  /// Marks a place of the take.
  func mark(_ cue: Cue, at now: MonotonicTime) {
    append(.cue(at: now, cue.id, text: cue.text, author: cue.author))
    cues.append(cue)
    if cues.count > Capture.mostCues { cues.removeFirst() }
  }

  // MARK: To the disk

  /// Records how much of the take is on disk; true if the room should be informed (once per second).
  func tells(durable position: SamplePosition) -> Bool {
    guard position.samples - durable.samples >= SamplePosition.rate else { return false }
    durable = position
    return true
  }

  /// True if round trips should be journaled again (once per second).
  func roundTripsAreDue(at now: MonotonicTime) -> Bool {
    guard now - lastRoundTrips >= .seconds(1) else { return false }
    lastRoundTrips = now
    return true
  }

  /// True if the rolling render should check the journal again (once per second, and more often at the end).
  func followIsDue(at now: MonotonicTime) -> Bool {
    guard now - lastFollow >= (latest == nil ? Capture.followInterval : Capture.lastInterval) else { return false }
    lastFollow = now
    return true
  }

  /// The take ends at `end`; its last packets are awaited until `latest`. Meanwhile the render does what is there.
  func isEnding(at end: MonotonicTime, until latest: MonotonicTime, now: MonotonicTime) {
    append(.ending(at: now, end: end))
    self.latest = latest
    lastFollow = lastFollow - Capture.followInterval
  }

  /// A change of the disk's ability to take what is recorded.
  enum DiskChange {
    case fellBehind, caughtUp
  }

  /// Passes collected frames to the disk writer; never waits for it.
  /// - Returns: whether frames are dropped from now on, or no longer.
  func flush(at now: MonotonicTime) -> DiskChange? {
    var change: DiskChange?
    // While frames are dropped, nothing is added that returns for ever.
    if degradation == nil {
      if lastAnchor.map({ now - $0 >= Capture.anchorInterval }) ?? true {
        lastAnchor = now
        append(.wallClock(at: now, MonotonicClock.wall))
      }
      writer?.repeatState(at: newest)
    } else if !isDegradationTold {
      // The take's folder was not made in time.
      change = .fellBehind
    }
    if let lane, let waiting = writer?.count, waiting > 0 || degradation != nil {
      if lane.hasRoom(for: waiting) {
        if noteDegradation(until: now) { change = .caughtUp }
        if let bytes = writer?.take(), !bytes.isEmpty { lane.append(.init(bytes: bytes, time: newest)) }
        schedule(lane)
      } else if degradation == nil {
        degradation = Degradation(since: now, lostBytes: 0)
        change = .fellBehind
      }
    }
    if let change { isDegradationTold = change == .fellBehind }
    return change
  }

  /// Writes down the period in which frames were dropped, if there was one; it is over.
  ///
  /// The frame stands at its end: the render looks for the lost packets between the frame before and this one.
  private func noteDegradation(until end: MonotonicTime) -> Bool {
    guard let over = degradation else { return false }
    degradation = nil
    let reason = "the journal could not be written in time"
    append(.degraded(at: max(over.since, end), reason: reason, lostBytes: over.lostBytes))
    return true
  }

  /// Writes the end frame; `done` is called on the disk writer's thread when everything is on disk.
  func end(at time: MonotonicTime, reason: JournalEnd, now: MonotonicTime, done: @escaping @Sendable () -> Void) {
    _ = noteDegradation(until: time)
    writer?.repeatState(at: newest)
    append(.end(at: time, reason))
    guard let lane, let bytes = writer?.take() else { return }
    // The last chunk is always accepted, because nothing comes after it.
    lane.append(.init(bytes: bytes, time: newest))
    lane.whenDrained(done)
    schedule(lane)
  }
}

extension JournalFrame {
  /// True for what is measured again and again beside the packets.
  fileprivate var isMeasurement: Bool {
    switch self {
    case .rtcp, .clockSample, .checkTrip, .roundTrip, .playoutDelay, .directTrip, .quality: true
    default: false
    }
  }
}
