import DequeModule
import Machines
import Realtime
import Recording
import Signaling

/// What a member sends to the room: the peer that it comes by, and what the journal has to know of it.
final class Publication {
  /// Packets kept so that a take that begins by command has a past: an Opus decoder needs some 80 ms of running-in
  /// (RFC 6716 §4.5), and the clock model places the first sample the better the more it has seen. At a split, both
  /// takes see the same seconds around the seam, so that they agree on where it lies.
  static let preRoll = MonotonicTime.Span.seconds(4)
  /// Packets of 10 ms come 100 a second.
  private static let preRollPackets = 512
  private static let preRollReports = 8
  /// Without a packet for so long nobody is sending any more: browsers send silence too.
  static let silence = MonotonicTime.Span.seconds(1)

  let peer: Peer
  /// How it came in, for the journal: "webrtc", "whip", "rtp".
  let origin: String
  private var recent = Deque<ReceivedPacket>()
  private var recentReports = Deque<(bytes: [UInt8], arrival: MonotonicTime)>()
  private(set) var lastArrival: MonotonicTime?
  /// Set where the packets are made here because the audio came without RTP.
  var feed: FeedWriter?
  /// The takes that its packets go to, with its track's number in each; two at most, around a split.
  var captures: [(capture: Capture, track: Int)] = []

  /// What the sender says about its channels, nil where it says nothing.
  private let isStereo: Bool?

  init(peer: Peer, origin: String, isStereo: Bool? = nil) {
    self.peer = peer
    self.origin = origin
    self.isStereo = isStereo
  }

  /// True once the first packet has come.
  var hasAudio: Bool { lastArrival != nil }

  /// The packet of the present stream that was the shortest on its way, of those of the last seconds.
  var quickest: ReceivedPacket? { ReceivedPacket.quickest(of: recent) }

  /// Ends its tracks at `time`, because the musician stopped playing; nothing more is written to them.
  func closeTracks(at time: MonotonicTime, in isMeant: (Capture) -> Bool = { _ in true }) {
    for (capture, track) in captures where isMeant(capture) { capture.append(.trackClosed(track: track, at: time)) }
    captures.removeAll { isMeant($0.capture) }
  }

  /// A packet at its time on the takes' line.
  func placed(_ packet: ReceivedPacket) -> ReceivedPacket {
    guard let time = feed?.time else { return packet }
    var placed = packet
    placed.arrival = time
    return placed
  }

  /// A pushed file that is further than the clock.
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

  /// Writes what came before `time` into a track that begins there.
  func writePast(before time: MonotonicTime, into capture: Capture, track: Int) {
    for (bytes, arrival) in recentReports where arrival < time {
      capture.append(.rtcp(track: track, arrival: arrival, packet: bytes))
    }
    for packet in recent where packet.arrival < time && packet.arrival >= time - Publication.preRoll {
      capture.append(rtp: packet, track: track)
    }
  }

  /// How the journal has to read this publication's packets.
  var stream: JournalStream? {
    guard let incoming = peer.incoming else { return nil }
    return JournalStream(
      opusPayloadType: incoming.opusPayloadType, redPayloadType: incoming.redPayloadType,
      audioLevelExtension: incoming.extensions.audioLevel,
      absoluteCaptureTimeExtension: incoming.extensions.absoluteCaptureTime, isStereo: isStereo)
  }
}

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
