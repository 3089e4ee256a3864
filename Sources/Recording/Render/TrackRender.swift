import Machines
import Music
import Realtime

/// Renders one track of a take from its packets to samples on the take's time line, block by block.
///
/// All of it is part of checkpoints. Used from one thread at a time.
final class TrackRender: Codable {
  /// Maximum number of streams waiting to be played: a change of SSRC every 100 ms for the whole window, with room to
  /// spare.
  private static let greatestBacklog = 64
  /// Seconds of journal time between two checks for a step of the sender's clock.
  private static let stepInterval = 0.5
  /// Seconds within which a step of a sender's clock is found; until then, a packet's position can change.
  private static let settling = SenderClock.persistence + stepInterval
  /// Maximum number of lost packets between the two that establish a stream.
  private static let greatestSkip = 16
  /// Maximum number of remembered sources of single packets, and of reports of sources without a stream.
  private static let greatestStrays = 4

  /// Time by which a report may overtake the packets that establish its stream, in seconds.
  private static let overtaking = 2.0

  /// Samples that sound is under way at most: a second.
  private static let longestWay: Int64 = 48_000

  private struct Stray: Codable {
    var packet: IncomingAudio
    var arrival: Double
  }

  /// A sender report; one may overtake its stream's first packets.
  private struct SourceReport: Codable {
    var source: UInt32
    var senderTime: Double
    var timestamp: UInt32
    var arrival: Double
  }

  let number: Int
  var track: JournalTrack
  /// 1 or 2 for the whole take; nil until the first audio is due.
  var channels: Int?
  var gapList = GapList()
  var gaps: [Gap] { gapList.gaps }
  var talks = TalkList()
  /// The position of the track's first sample.
  var firstSample: Int64?
  /// The active stream, followed by those waiting.
  var segments: [TrackSegment] = []
  /// True once the active stream has begun.
  var isPlaying = false
  /// Packets that fit no stream, one per source: two in a row start a new stream.
  private var strays: [Stray] = []
  private var earlyReports: [SourceReport] = []
  var past = TrackStatistics()
  private var lastStepCheck = 0.0
  /// When the newest packet arrived.
  private var heardUntil = 0.0
  private(set) var unreadablePackets = 0
  private var rate = MeanRate()
  private(set) var closedAt: Double?
  /// The clock of the last stream played.
  var lastClock: SenderClock?
  /// Better lines of whole streams, and the largest deviation from them in seconds; only in a survey.
  var lines: [StreamKey: WholeTakeLine] = [:]
  var greatestDistance = 0.0
  /// The error bounds of the finished streams.
  var bounds: [[BoundCurve.Stretch]] = []
  /// Where drops of the finished streams could have gone unnoticed.
  var unseenDrops: [Range<Int64>] = []
  let options: RenderOptions
  var played: [PlayedPacket] = []

  init(number: Int, track: JournalTrack, options: RenderOptions) {
    self.number = number
    self.track = track
    self.options = options
  }

  /// Returns the packets played since the last call; empty except in an examination.
  func takePlayed() -> [PlayedPacket] {
    defer { played.removeAll(keepingCapacity: true) }
    return played
  }

  /// What the track came by.
  var source: Manifest.Source {
    Manifest.Source(track: track.trackID, dialect: track.dialect, codec: track.codec, bitrate: rate.bitrate)
  }

  // MARK: what the journal says

  func streamChanged(to stream: JournalStream) {
    track.stream = stream
  }

  func closed(at time: Double) {
    closedAt = time
  }

  func path(isUp: Bool, at time: Double) {
    gapList.path.note(isUp: isUp, at: time)
  }

  func recorderWasStuck(from start: Double, to end: Double) {
    gapList.recorder.note(isUp: false, at: start)
    gapList.recorder.note(isUp: true, at: end)
  }

  func recorderStoodStill(from start: Double, to end: Double) {
    gapList.standstills.note(isUp: false, at: start)
    gapList.standstills.note(isUp: true, at: end)
  }

  /// Talk begins or ends with the next packet, which arrives at sample `now`: where the sound before it ends, unless there
  /// was none for a while.
  func talk(isOn: Bool, at now: Int64) {
    talks.note(isOn: isOn, at: segments.isEmpty ? now : max(end, now - TrackRender.longestWay))
  }

  func receive(rtp bytes: [UInt8], at arrival: Double) {
    guard let packet = IncomingAudio(bytes, stream: track.stream) else {
      unreadablePackets += 1
      return
    }
    closedAt = nil
    heardUntil = max(heardUntil, arrival)
    rate.note(packet.payload.count, at: arrival)
    for segment in segments.reversed() where segment.source == packet.source {
      guard let place = segment.place(packet, arrival: arrival) else { break }
      // A packet sent before a clock step belongs to the previous segment.
      if place.sequence < segment.firstSequence, segment.followsStep { continue }
      strays.removeAll { $0.packet.source == packet.source }
      segment.receive(packet, at: place, arrival: arrival)
      checkForStep(segment, at: arrival)
      return
    }
    begin(with: packet, at: arrival)
  }

  /// Takes a compound that arrived at `arrival`, when our own reports would have contained `clock`.
  func receive(rtcp bytes: [UInt8], at arrival: Double, clock: NTPTime) {
    // Malformed RTCP is ignored; the track is placed without it.
    guard let packets = try? RTCPCompound.parse(bytes) else { return }
    let answers = ReportAnswer.answers(in: packets, at: clock)
    for answer in answers { observe { $0.observe(answer, arrival: arrival) } }
    for case .senderReport(let report) in packets {
      let report = SourceReport(
        source: report.ssrc, senderTime: SenderClock.seconds(report.time), timestamp: report.timestamp,
        arrival: arrival)
      if let segment = segments.last(where: { $0.source == report.source }) {
        take(report, for: segment)
      } else {
        if earlyReports.count == TrackRender.greatestStrays { earlyReports.removeFirst() }
        earlyReports.append(report)
      }
    }
  }

  private func take(_ report: SourceReport, for segment: TrackSegment) {
    segment.observe(senderReport: report.senderTime, timestamp: report.timestamp, arrival: report.arrival)
  }

  func observe(roundTrip: Double, at time: Double) {
    observe { $0.observe(roundTrip: roundTrip, at: time) }
  }

  func observe(checkTrip seconds: Double, at time: Double) {
    observe { $0.observe(checkTrip: seconds, at: time) }
  }

  func observe(clockSample senderTime: Double, arrival: Double, roundTrip: Double) {
    observe { $0.observe(clockSample: senderTime, arrival: arrival, roundTrip: roundTrip) }
  }

  /// A reading of the path applies to every stream that uses it.
  private func observe(_ body: (inout SenderClock) -> Void) {
    if segments.isEmpty { body(&early) }
    for segment in segments { segment.observe(body) }
  }

  /// Readings of the path before the first packet.
  private var early = SenderClock()

  private func begin(with packet: IncomingAudio, at arrival: Double) {
    var arrivals = [Stray(packet: packet, arrival: arrival)]
    if !segments.isEmpty {
      // A single packet that fits nowhere does not start a stream; the one after it does.
      let former = strays.firstIndex { $0.packet.source == packet.source }.map { strays.remove(at: $0) }
      guard let former, (1...TrackRender.greatestSkip).contains(Int(packet.sequence &- former.packet.sequence)) else {
        if strays.count == TrackRender.greatestStrays { strays.removeFirst() }
        strays += arrivals
        return
      }
      arrivals.insert(former, at: 0)
    }
    guard segments.count < TrackRender.greatestBacklog else {
      past.refusedPackets += arrivals.count
      return
    }
    let segment = TrackSegment(
      arrivals[0].packet, arrival: arrivals[0].arrival, after: segments.last?.clock ?? early, track: number,
      hasSilentClock: track.hasSilentClock, options: options)
    segments.append(segment)
    for next in arrivals {
      guard let place = segment.place(next.packet, arrival: next.arrival) else { continue }
      segment.receive(next.packet, at: place, arrival: next.arrival)
    }
    // Those of an earlier life of the source say nothing of this one.
    for report in earlyReports where report.source == packet.source && arrival - report.arrival < TrackRender.overtaking
    {
      take(report, for: segment)
    }
    earlyReports.removeAll { $0.source == packet.source }
  }

  private func checkForStep(_ segment: TrackSegment, at time: Double) {
    guard time - lastStepCheck >= TrackRender.stepInterval, segments.count < TrackRender.greatestBacklog else { return }
    lastStepCheck = time
    followSteps(of: segment, at: time)
  }

  private func followSteps(of segment: TrackSegment, at time: Double, isEnd: Bool = false) {
    // Anything before a restart of the same stream is over.
    guard let index = segments.lastIndex(where: { $0.source == segment.source }), segments[index] === segment,
      let rest = segment.followSteps(now: time, isEnd: isEnd, options: options)
    else { return }
    segments.insert(rest, at: index + 1)
  }

  /// Checks for steps one last time, since no more packets will come.
  func settle(at time: Double) {
    for segment in segments { followSteps(of: segment, at: time, isEnd: true) }
  }

  /// True if, as far as known, nothing after the journal time `now` changes the track before sample `end` of the time
  /// line: packets there arrived long enough ago, none ever came, or the musician left.
  ///
  /// Long enough by the track's own packets: behind a standstill of the recorder the journal's time is ahead of all that
  /// waited in the sockets, and that is written in the order in which the sockets are read.
  ///
  /// - Parameter window: how long lost packets are waited for, in seconds.
  func isSettled(before end: Int64, window: Double, at now: Double) -> Bool {
    guard closedAt == nil, !segments.isEmpty else { return true }
    let now = min(now, heardUntil)
    return Double(end) / SenderClock.rate + window <= now
      && segments.contains { $0.end(by: now - TrackRender.settling).map { $0 >= end } ?? false }
  }

  /// True if nothing that comes after the journal time `now` can change the track before sample `end` of the time line, not
  /// even a retransmission: its one stream has come without a hole and has shown where it lies, or the musician has left
  /// for good.
  ///
  /// It counts by the track's own packets, as in `isSettled`.
  ///
  /// - Parameters:
  ///   - least: how long ago the sound was played at least, in seconds.
  ///   - isLast: true in a take that has been stopped, which musicians may have left a moment before.
  func isWhole(before end: Int64, by least: Double, isLast: Bool, at now: Double) -> Bool {
    let window = options.window.seconds
    if let closedAt {
      if now - closedAt >= window { return true }
      guard isLast else { return false }
    }
    // Where another stream is or may be about to begin, its place is found with the usual time.
    guard isPlaying, segments.count == 1, strays.allSatisfy({ now - $0.arrival >= window }) else { return false }
    let place = Double(end) / SenderClock.rate
    return place + least <= heardUntil && segments[0].isWhole(before: end)
  }
}
