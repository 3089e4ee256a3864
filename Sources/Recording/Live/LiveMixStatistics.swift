import Machines
import Music

/// The counters of a live mixer and the state of its sources.
package struct LiveMixStatistics: Hashable, Sendable {
  /// Mix intervals produced, each a packet for every output.
  package var blocks = 0
  /// Packets encoded for all outputs.
  package var packets = 0
  /// Frames of the sums above the ceiling, which the limiter reduced.
  package var limitedFrames = 0
  /// Stalls of more than half a second, after which the mix restarted.
  package var stalls = 0
  /// Failures of libopus to create encoders or encode packets.
  package var encoderFailures = 0
  /// Packets dropped because nobody fetched them with `next()`.
  package var droppedPackets = 0
  /// Packets from participants who are not sources.
  package var strayPackets = 0
  /// The current sources.
  package var sources: [ParticipantID: LiveSourceStatistics] = [:]

  package init() {}
}

/// The counters of one musician's source, and the state of its buffer.
package struct LiveSourceStatistics: Hashable, Sendable {
  /// Packets received in total.
  package var packets = 0
  /// Packets decoded.
  package var decoded = 0
  /// Samples at 48 kHz of concealment for missing packets; announced silence (DTX) does not count.
  package var concealedFrames: Int64 = 0
  /// Packets recovered by in-band FEC or RED.
  package var recovered = 0
  /// Duplicate packets.
  package var duplicates = 0
  /// Packets received after their playout time, or from a stream that had ended.
  package var late = 0
  /// Packets that are not Opus or could not be decoded.
  package var garbage = 0
  /// Packets beyond the capacity of the buffer.
  package var refused = 0
  /// Restarts of the playout: a new stream, a jump of its timestamps, or a much longer path.
  package var restarts = 0
  /// Buffered audio not yet played.
  package var depth = MonotonicTime.Span.zero
  /// The jitter delay: playout delay relative to the fastest packet.
  package var delay = MonotonicTime.Span.zero
  /// The jitter delay that the arrivals require.
  package var target = MonotonicTime.Span.zero
  /// Difference of the playout rate from the sender's, in ppm; positive is faster.
  package var pace = 0.0

  package init() {}
}
