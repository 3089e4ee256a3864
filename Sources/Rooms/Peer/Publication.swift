import DequeModule
import Machines
import Realtime
import Recording
import Signaling

/// A member's audio sent to the room: its peer, and the information for the journal.
final class Publication {
  /// Packets kept so that a take started by command has a past. An Opus decoder needs some 80 ms to settle (RFC 6716
  /// §4.5), and the clock model places the first sample better the more it has seen. At a split, both takes contain
  /// the same seconds around the seam, so that they agree on its position.
  static let preRoll = MonotonicTime.Span.seconds(4)
  /// At 10 ms per packet, 100 arrive per second.
  private static let preRollPackets = 512
  private static let preRollReports = 8
  /// After this time without a packet, nobody is sending: browsers send silence too.
  static let silence = MonotonicTime.Span.seconds(1)

  let peer: Peer
  /// The source protocol, for the journal: "webrtc", "whip", "rtp".
  let origin: String
  private var recent = Deque<ReceivedPacket>()
  private var recentReports = Deque<(bytes: [UInt8], arrival: MonotonicTime)>()
  private(set) var lastArrival: MonotonicTime?
  /// Set if the packets are created here because the audio arrives without RTP.
  var feed: FeedWriter?
  /// The takes that record its packets, with its track number in each; at most two, around a split.
  var captures: [(capture: Capture, track: Int)] = []

  /// The sender's statement about its channels; nil without one.
  private let isStereo: Bool?

  init(peer: Peer, origin: String, isStereo: Bool? = nil) {
    self.peer = peer
    self.origin = origin
    self.isStereo = isStereo
  }

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
    lastArrival = packet.arrival
    recent.append(packet)
    if recent.count > Publication.preRollPackets { recent.removeFirst() }
  }

  func note(report bytes: [UInt8], at arrival: MonotonicTime) {
    recentReports.append((bytes, arrival))
    if recentReports.count > Publication.preRollReports { recentReports.removeFirst() }
  }

  /// Writes the packets before `time` into a track that begins there.
  func writePast(before time: MonotonicTime, into capture: Capture, track: Int) {
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
  /// Offset added to a packet's due time.
  private var shift = MonotonicTime.Span.zero
  /// True if the next packet restarts at the clock's time.
  private var begins = false
  /// True if others play too.
  private var isHeld = false

  init(header: RTPWriter) {
    self.header = header
  }

  /// Determines the position on the time line of a packet due at `due`.
  mutating func place(_ due: MonotonicTime?, isAlone: Bool, at now: MonotonicTime) {
    guard let due else { return time = nil }
    if !isAlone, !isHeld, due + shift > now + FeedWriter.lead { begins = true }
    isHeld = !isAlone
    if begins { shift = now - due }
    begins = false
    time = due + shift
  }

  /// Restarts at the current time for a new take, however far ahead the feed was.
  mutating func takeBegins(at now: MonotonicTime) {
    if let time, time > now + FeedWriter.lead { begins = true }
  }
}
