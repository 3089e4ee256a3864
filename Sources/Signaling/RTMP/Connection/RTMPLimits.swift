import Machines

/// The resource limits of one connection.
package struct RTMPLimits: Hashable, Sendable {
  /// Maximum bytes of a message.
  package var message = 1 << 20
  /// Maximum bytes of a message before `connect` is accepted.
  package var earlyMessage = 64 << 10
  /// Maximum bytes of a command: as a message of the other protocols, because it is held until it is answered.
  package var command = 256 << 10
  /// Maximum bytes of an audio message.
  package var audio = 256 << 10
  /// Maximum bytes of a control message.
  package var control = 64
  /// Maximum number of chunk streams.
  package var chunkStreams = 32
  /// Maximum total bytes of incomplete messages.
  package var unfinished = 1 << 20 + 256 << 10
  /// Minimum chunk size of a connected client: chunks of one byte are an attack on processing time.
  package var chunkSize: UInt32 = 64
  /// Timeout from opening to the end of the handshake.
  package var handshakeTime = MonotonicTime.Span.seconds(10)
  /// Timeout from there to `connect`.
  package var connectTime = MonotonicTime.Span.seconds(10)
  /// Silence after which the client is pinged, repeatedly.
  package var pingTime = MonotonicTime.Span.seconds(20)
  /// Silence after which the connection counts as dead.
  package var silence = MonotonicTime.Span.seconds(60)
  /// Maximum bytes waiting to be sent.
  package var backlogBytes = 4 << 20
  /// Maximum number of messages waiting to be sent.
  package var backlogMessages = 1024
  /// Maximum number of commands in a burst, and per second in the long run.
  package var commandBurst = 200
  package var commandsPerSecond = 50
  /// Maximum number of the client's pings answered per second.
  package var pingsPerSecond = 5
  /// Maximum number of concurrent streams.
  package var streams = 8
  /// Maximum number of shared objects in use by one connection.
  package var sharedObjects = 64
  /// Maximum number of events in a shared-object message.
  package var events = 1000
  /// Maximum number of reports about dropped messages, so that no client floods the log.
  package var sentences = 16

  package init() {}
}

/// Counts received bytes, in order to acknowledge each full window.
struct RTMPAcknowledging: Hashable, Sendable {
  /// The default window of a peer in bytes, also announced by us.
  static let window: UInt32 = 2_500_000

  private var window = UInt64(RTMPAcknowledging.window)
  private var total: UInt64 = 0
  private var acknowledged: UInt64 = 0

  mutating func received(_ count: Int) {
    total &+= UInt64(max(count, 0))
  }

  /// Sets the number of bytes after which the peer expects an acknowledgement; 0 is ignored.
  mutating func setWindow(_ size: UInt32) {
    if size > 0 { window = UInt64(size) }
  }

  /// Returns the number to send if a window is full.
  mutating func due() -> UInt32? {
    guard total &- acknowledged >= window else { return nil }
    acknowledged = total
    return UInt32(truncatingIfNeeded: total)
  }
}
