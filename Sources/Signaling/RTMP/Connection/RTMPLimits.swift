import Machines

/// What one connection may cost.
package struct RTMPLimits: Hashable, Sendable {
  /// Bytes of a message.
  package var message = 1 << 20
  /// Bytes of a message before a `connect` was accepted.
  package var earlyMessage = 64 << 10
  /// Bytes of an audio message.
  package var audio = 256 << 10
  /// Bytes of a control message.
  package var control = 64
  /// Distinct chunk streams.
  package var chunkStreams = 32
  /// Bytes of messages that have not come to their ends.
  package var unfinished = 2 << 20
  /// The smallest chunk size that a connected client may choose: one byte a chunk is meant to cost time.
  package var chunkSize: UInt32 = 64
  /// From the opening to the end of the handshake.
  package var handshakeTime = MonotonicTime.Span.seconds(10)
  /// From there to `connect`.
  package var connectTime = MonotonicTime.Span.seconds(10)
  /// Silence after which the client is pinged, and again after as much.
  package var pingTime = MonotonicTime.Span.seconds(20)
  /// Silence after which the connection counts as dead.
  package var silence = MonotonicTime.Span.seconds(60)
  /// Bytes that may wait to be sent.
  package var backlogBytes = 4 << 20
  /// Messages that may wait to be sent.
  package var backlogMessages = 1024
  /// Commands at once, and in a second when it goes on.
  package var commandBurst = 200
  package var commandsPerSecond = 50
  /// Pings of the client that are answered in a second.
  package var pingsPerSecond = 5
  /// Streams at a time.
  package var streams = 8
  /// Shared objects that one connection uses at a time.
  package var sharedObjects = 64
  /// Events in one shared-object message.
  package var events = 1000
  /// Sentences about dropped messages, so that no client fills the log.
  package var sentences = 16

  package init() {}
}

/// Counts the bytes that came, so that the sender hears of each window full.
struct RTMPAcknowledging: Hashable, Sendable {
  /// The window of a peer that named none, in bytes; also the one that we name.
  static let window: UInt32 = 2_500_000

  private var window = UInt64(RTMPAcknowledging.window)
  private var total: UInt64 = 0
  private var acknowledged: UInt64 = 0

  mutating func received(_ count: Int) {
    total &+= UInt64(max(count, 0))
  }

  /// The peer wants to hear of this many bytes each time; 0 says nothing.
  mutating func setWindow(_ size: UInt32) {
    if size > 0 { window = UInt64(size) }
  }

  /// The number to send, if a window is full.
  mutating func due() -> UInt32? {
    guard total &- acknowledged >= window else { return nil }
    acknowledged = total
    return UInt32(truncatingIfNeeded: total)
  }
}
