import Machines
import Music
import Realtime
import Recording

/// The capture of one take on its room's loop: packets in, journal chunks out.
///
/// Until the take's row stands in the index and its file on the disk (some milliseconds), frames are kept in memory.
final class Capture {
  /// Wall clock anchors in the journal show later whether our own clock was stepped.
  private static let anchorInterval = MonotonicTime.Span.seconds(10)
  /// Small steps would wake the render for nothing; large ones would be left to do when the take ends.
  private static let followInterval = MonotonicTime.Span.seconds(1)
  /// A stretch in which the disk was so far behind that frames were not taken; the journal tells of it once it ends.
  private struct Degradation {
    var since: MonotonicTime
    var lostBytes: Int64
  }

  let take: TakeID
  /// The take's zero on our monotonic clock.
  let zero: MonotonicTime
  let startedAt: WallTime
  /// The title that was asked for; the index makes a song of it.
  let songTitle: String?
  /// The take as the index stored it, once it has.
  private(set) var stored: Take?
  private(set) var folder: TakeFolder?
  /// Who waits for the take to stand in the index, or for it to be given up.
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private var isSettled = false

  private var writer: JournalWriter?
  private var early: [JournalFrame] = []
  private var lane: JournalLane?
  private var schedule: (JournalLane) -> Void = { _ in }
  private var degradation: Degradation?
  private var lastAnchor: MonotonicTime?
  private var newest: MonotonicTime

  /// Track numbers by participant, from 1.
  private(set) var tracks: [ParticipantID: Int] = [:]
  private(set) var packetCount = 0
  /// Arrival of the newest audio packet.
  private(set) var lastAudio: MonotonicTime?
  private var durable = SamplePosition.zero
  private var lastFollow: MonotonicTime
  private var lastRoundTrips: MonotonicTime

  init(take: TakeID, zero: MonotonicTime, startedAt: WallTime, songTitle: String?) {
    self.take = take
    self.zero = zero
    self.startedAt = startedAt
    self.songTitle = songTitle
    newest = zero
    lastFollow = zero
    lastRoundTrips = zero
  }

  /// Gives the capture its file: from here on chunks go to the disk.
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

  /// The take's folder was deleted and made anew.
  func moved(to folder: TakeFolder) {
    self.folder = folder
  }

  /// The take stands in the index, or it has been given up: nobody waits any longer.
  func settle() {
    isSettled = true
    for continuation in waiting { continuation.resume() }
    waiting = []
  }

  /// Returns once the take stands in the index (`stored` is set) or was given up.
  func waitUntilSettled(isolation: isolated (any Actor)? = #isolation) async {
    guard !isSettled else { return }
    await withCheckedContinuation { waiting.append($0) }
  }

  /// A pushed file took the time line further than the clock.
  func isAhead(of now: MonotonicTime) -> Bool { lastAudio.map { $0 > now + FeedWriter.lead } ?? false }

  /// The disk refuses the journal's bytes.
  var isDiskFailing: Bool { lane?.isFailing ?? false }

  // MARK: Frames

  /// The track of `participant`, opened at its first call and continued with new numbers at later ones, whether its
  /// connection was replaced or the musician was away.
  func openTrack(
    for participant: Participant, part: Part?, origin: String, stream: JournalStream, at now: MonotonicTime
  ) -> Int {
    if let number = tracks[participant.id] {
      append(.path(track: number, at: now, isUp: true))
      append(.streamChanged(track: number, stream, at: now))
      return number
    }
    let number = tracks.count + 1
    tracks[participant.id] = number
    let track = JournalTrack(
      trackID: TrackID(at: startedAt), participant: participant, part: part, origin: origin, stream: stream)
    append(.trackOpened(track: number, track, at: now))
    return number
  }

  func append(rtp packet: ReceivedPacket, track: Int) {
    packetCount += 1
    guard degradation == nil else {
      degradation?.lostBytes += Int64(packet.packet.bytes.count)
      return
    }
    newest = max(newest, packet.arrival)
    if !packet.packet.payload.isEmpty { lastAudio = packet.arrival }
    if writer != nil {
      writer?.append(rtp: packet.packet.bytes, track: track, arrival: packet.arrival)
    } else {
      early.append(.rtp(track: track, arrival: packet.arrival, packet: packet.packet.bytes))
    }
  }

  func append(_ frame: JournalFrame) {
    if frame.time > newest { newest = frame.time }
    if writer != nil { writer?.append(frame) } else { early.append(frame) }
  }

  // MARK: To the disk

  /// Notes how much of the take is on the disk; true when the room should hear of it (once a second).
  func tells(durable position: SamplePosition) -> Bool {
    guard position.samples - durable.samples >= SamplePosition.rate else { return false }
    durable = position
    return true
  }

  /// True when round trips should be journaled again (once a second).
  func roundTripsAreDue(at now: MonotonicTime) -> Bool {
    guard now - lastRoundTrips >= .seconds(1) else { return false }
    lastRoundTrips = now
    return true
  }

  /// True when the rolling render should look at the journal again (once a second).
  func followIsDue(at now: MonotonicTime) -> Bool {
    guard now - lastFollow >= Capture.followInterval else { return false }
    lastFollow = now
    return true
  }

  /// Hands what has gathered to the disk writer.
  func flush(at now: MonotonicTime) {
    if lastAnchor.map({ now - $0 >= Capture.anchorInterval }) ?? true {
      lastAnchor = now
      append(.wallClock(at: now, MonotonicClock.wall))
    }
    writer?.repeatState(at: newest)
    guard let lane, let waiting = writer?.count, waiting > 0 else { return }
    guard lane.hasRoom(for: waiting) else {
      if degradation == nil { degradation = Degradation(since: now, lostBytes: 0) }
      return
    }
    if let over = degradation {
      degradation = nil
      let reason = "the disk did not take the journal in time"
      append(.degraded(at: over.since, reason: reason, lostBytes: over.lostBytes))
    }
    if let bytes = writer?.take() { lane.append(.init(bytes: bytes, time: newest)) }
    schedule(lane)
  }

  /// Writes the end frame; `done` is called on the disk writer's thread when all of it is on the disk.
  func end(at time: MonotonicTime, reason: JournalEnd, now: MonotonicTime, done: @escaping @Sendable () -> Void) {
    writer?.repeatState(at: newest)
    append(.end(at: time, reason))
    guard let lane, let bytes = writer?.take() else { return }
    // The last chunk goes in whether there is room or not: nothing comes after it.
    lane.append(.init(bytes: bytes, time: newest))
    lane.whenDrained(done)
    schedule(lane)
  }
}
