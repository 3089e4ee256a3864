import DequeModule
import Machines
import Realtime
import Recording
import Signaling

/// A member's audio sent to the room: its peer, and the information for the journal.
///
/// A musician whose sender has several tracks (the stems of a desk) has one publication for each: the first is what
/// everybody hears, the others (`stem`) are recorded only.
final class Publication {
  /// Packets kept so that a take started by command has a past. An Opus decoder needs some 80 ms to settle (RFC 6716
  /// §4.5), and the clock model places the first sample better the more it has seen. At a split, both takes contain
  /// the same seconds around the seam, so that they agree on its position.
  static let preRoll = MonotonicTime.Span.seconds(4)
  /// How long a packet is kept, for `quickest` too: its listeners' histories keep its bytes as long.
  private static let memory = RetransmissionHistory.span
  private static let mostPackets = RetransmissionHistory.defaultDepth
  private static let preRollReports = 8
  /// Half a minute of checks.
  private static let preRollChecks = 32
  /// After this time without a packet, nobody is sending: browsers send silence too.
  static let silence = MonotonicTime.Span.seconds(1)

  let peer: Peer
  /// The source protocol, for the journal: "webrtc", "whip", "rtp".
  let origin: String
  /// What the audio came as: "opus", "aac".
  let codec: String
  /// Set for a further track of the same sender.
  let stem: AudioStem?
  /// The member's link that opened it, for a feed.
  var link: UInt64?
  private var recent = Deque<ReceivedPacket>()
  private var recentReports = Deque<(bytes: [UInt8], arrival: MonotonicTime)>()
  private var recentChecks = Deque<(trip: MonotonicTime.Span, arrival: MonotonicTime)>()
  private(set) var lastArrival: MonotonicTime?
  /// Set if the packets are created here because the audio arrives without RTP.
  var feed: FeedWriter?
  /// The takes that record its packets, with its track number in each; at most two, around a split.
  var captures: [(capture: Capture, track: Int)] = []

  /// What its connection is like.
  var quality: QualityMeter

  /// What of it was talk.
  var talk = TalkStretches()

  /// The sender's statement about its channels; nil without one.
  private let isStereo: Bool?

  init(
    peer: Peer, origin: String, codec: String = "opus", isStereo: Bool? = nil, stem: AudioStem? = nil
  ) {
    self.stem = stem
    self.codec = codec
    self.peer = peer
    self.origin = origin
    self.isStereo = isStereo
    quality = QualityMeter(peer.statistics, at: MonotonicClock.now)
  }

  /// The origin for the journal, with the codec where the audio was converted: "rtmp/aac".
  var journalOrigin: String { codec == "opus" ? origin : "\(origin)/\(codec)" }

  /// True once the first packet has arrived.
  var hasAudio: Bool { lastArrival != nil }

  /// The packet of the current stream with the shortest transit in the last seconds.
  var quickest: ReceivedPacket? { ReceivedPacket.quickest(of: recent) }

  /// Closes its tracks at `time`, when the musician stopped playing; nothing more is written to them.
  func closeTracks(at time: MonotonicTime, in isMeant: (Capture) -> Bool = { _ in true }) {
    for (capture, track) in captures where isMeant(capture) { capture.append(.trackClosed(track: track, at: time)) }
    captures.removeAll { isMeant($0.capture) }
  }

  /// Moves a packet to its position on the takes' time line.
  func placed(_ packet: ReceivedPacket) -> ReceivedPacket {
    guard let time = feed?.time else { return packet }
    var placed = packet
    placed.arrival = time
    return placed
  }

  /// True for a pushed file that is ahead of the clock.
  func isAhead(of now: MonotonicTime) -> Bool { feed?.time.map { $0 > now + FeedWriter.lead } ?? false }

  func isAlive(at now: MonotonicTime) -> Bool {
    guard let lastArrival else { return peer.state == .connecting || peer.state == .connected }
    return now - lastArrival < Publication.silence
  }

  func note(_ packet: ReceivedPacket) {
    if lastArrival == nil { quality.begin(at: packet.arrival) }
    lastArrival = packet.arrival
    recent.append(packet)
    while let oldest = recent.first?.arrival,
      recent.count > Publication.mostPackets || packet.arrival - oldest > Publication.memory
    { recent.removeFirst() }
  }

  func note(report bytes: [UInt8], at arrival: MonotonicTime) {
    recentReports.append((bytes, arrival))
    if recentReports.count > Publication.preRollReports { recentReports.removeFirst() }
  }

  func note(roundTrip trip: MonotonicTime.Span, at arrival: MonotonicTime) {
    recentChecks.append((trip, arrival))
    if recentChecks.count > Publication.preRollChecks { recentChecks.removeFirst() }
  }

  /// Writes the packets before `time` into a track that begins there.
  func writePast(before time: MonotonicTime, into capture: Capture, track: Int) {
    for (trip, arrival) in recentChecks where arrival < time {
      capture.append(.checkTrip(track: track, arrival: arrival, trip))
    }
    for (bytes, arrival) in recentReports where arrival < time {
      capture.append(.rtcp(track: track, arrival: arrival, packet: bytes))
    }
    for packet in recent where packet.arrival < time && packet.arrival >= time - Publication.preRoll {
      capture.append(rtp: packet, track: track)
    }
  }

  /// The stream parameters for the journal.
  var stream: JournalStream? {
    guard let incoming = peer.incoming else { return nil }
    return JournalStream(
      opusPayloadType: incoming.opusPayloadType, redPayloadType: incoming.redPayloadType,
      audioLevelExtension: incoming.extensions.audioLevel,
      absoluteCaptureTimeExtension: incoming.extensions.absoluteCaptureTime, isStereo: isStereo)
  }
}
