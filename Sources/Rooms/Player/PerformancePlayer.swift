import Machines
import Realtime
import Recording

/// Converts a performance to RTP packets at the right times.
struct PerformancePlayer {
  /// How often due packets are checked for.
  static let tick = MonotonicTime.Span.milliseconds(5)
  /// Interval of capture times, as in Chromium.
  private static let captureTimeInterval: Int64 = 48_000

  private let performance: Performance
  private let negotiated: NegotiatedSession
  private let ssrc: UInt32
  private let start: MonotonicTime
  private let firstSequence = UInt16.random(in: .min ... .max)
  private let firstTimestamp = UInt32.random(in: .min ... .max)
  private let stampsEveryPacket: Bool
  private var next = 0

  init(
    _ performance: Performance, negotiated: NegotiatedSession, ssrc: UInt32, start: MonotonicTime,
    stampsEveryPacket: Bool = false
  ) {
    self.performance = performance
    self.negotiated = negotiated
    self.ssrc = ssrc
    self.start = start
    self.stampsEveryPacket = stampsEveryPacket
  }

  var isOver: Bool { performance.packets.isEmpty || !performance.repeats && next >= performance.packets.count }

  /// Returns the next packet, once its last sample has been played at `now`.
  mutating func due(at now: MonotonicTime) -> [UInt8]? {
    guard !isOver else { return nil }
    let length = Int64(performance.packetLength)
    let position = Int64(next) * length
    guard now >= start + .nanoseconds((position + length) * 1_000_000 / 48) else { return nil }
    let payload = performance.packets[next % performance.packets.count]
    let writer = RTPWriter(
      payloadType: negotiated.opusPayloadType, marker: next == 0,
      sequenceNumber: firstSequence &+ UInt16(truncatingIfNeeded: next),
      timestamp: firstTimestamp &+ UInt32(truncatingIfNeeded: position), ssrc: ssrc)
    var extensions: [RTPHeaderExtension] = []
    let isStamped = stampsEveryPacket || position % PerformancePlayer.captureTimeInterval < length
    if isStamped, let id = negotiated.extensions.absoluteCaptureTime {
      // The sender's clock in its reports is the monotonic one (RFC 3550 §6.4.1 permits any), so capture times use it
      // too.
      let captured = stampsEveryPacket ? MonotonicClock.now : start + .nanoseconds(position * 1_000_000 / 48)
      extensions.append(.absoluteCaptureTime(.init(captured: NTPTime(nanoseconds: captured.nanoseconds)), id: id))
    }
    next += 1
    return writer.packet(extensions: extensions, payload: payload)
  }
}

/// A piece to play: consecutive Opus packets of one length.
package struct Performance: Sendable {
  package var packets: [[UInt8]]
  /// Samples per packet at 48 kHz.
  package var packetLength: Int
  /// True to repeat it from the beginning.
  package var repeats: Bool

  package init(packets: [[UInt8]], packetLength: Int, repeats: Bool = false) {
    self.packets = packets
    self.packetLength = packetLength
    self.repeats = repeats
  }
}
