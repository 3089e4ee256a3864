import DequeModule
import Machines
import Realtime
import Recording

/// What a member sends to the room: the peer that it comes by, and what the journal has to know of it.
final class Publication {
  /// Packets kept so that a take that begins by command can be decoded from its first sample: Opus needs some 80 ms of
  /// running-in (RFC 6716 §4.5), and packets of 10 ms come 100 a second.
  static let preRoll = MonotonicTime.Span.milliseconds(250)
  private static let preRollPackets = 64
  /// Without a packet for so long nobody is sending any more: browsers send silence too.
  static let silence = MonotonicTime.Span.seconds(1)

  let peer: Peer
  /// How it came in, for the journal: "webrtc", "whip", "rtp".
  let origin: String
  private(set) var recent = Deque<ReceivedPacket>()
  private(set) var lastArrival: MonotonicTime?
  /// The takes that its packets go to, with its track's number in each; two at most, around a split.
  var captures: [(capture: Capture, track: Int)] = []

  init(peer: Peer, origin: String) {
    self.peer = peer
    self.origin = origin
  }

  /// True once the first packet has come.
  var hasAudio: Bool { lastArrival != nil }

  func isAlive(at now: MonotonicTime) -> Bool {
    guard let lastArrival else { return peer.state == .connecting || peer.state == .connected }
    return now - lastArrival < Publication.silence
  }

  func note(_ packet: ReceivedPacket) {
    lastArrival = packet.arrival
    recent.append(packet)
    if recent.count > Publication.preRollPackets { recent.removeFirst() }
  }

  /// The packets that arrived in the pre-roll before `time`.
  func preRoll(before time: MonotonicTime) -> [ReceivedPacket] {
    recent.filter { $0.arrival >= time - Publication.preRoll }
  }

  /// How the journal has to read this publication's packets.
  var stream: JournalStream? {
    guard let negotiated = peer.negotiated else { return nil }
    return JournalStream(
      clockRate: 48_000, opusPayloadType: negotiated.opusPayloadType, redPayloadType: negotiated.redPayloadType,
      audioLevelExtension: negotiated.extensions.audioLevel,
      absoluteCaptureTimeExtension: negotiated.extensions.absoluteCaptureTime,
      isStereo: negotiated.remoteSendsStereo)
  }
}
