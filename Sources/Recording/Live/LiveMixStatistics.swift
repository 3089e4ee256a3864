import Machines
import Music

/// What a live mixer has done so far, and how its sources stand.
package struct LiveMixStatistics: Hashable, Sendable {
  /// Moments of the mix that were made, each a packet for every output.
  package var blocks = 0
  /// Packets of all outputs that were encoded.
  package var packets = 0
  /// Frames of the sums that went above the ceiling, so that the limiter had to turn down.
  package var limitedFrames = 0
  /// Stalls of more than half a second, after which the mix began anew.
  package var stalls = 0
  /// What libopus refused: encoders that could not be made, packets that could not be encoded.
  package var encoderFailures = 0
  /// Packets that nobody fetched by `next()` before there were too many.
  package var droppedPackets = 0
  /// Packets of somebody who is no source.
  package var strayPackets = 0
  /// The sources that are there now.
  package var sources: [ParticipantID: LiveSourceStatistics] = [:]

  package init() {}
}

/// What a live mixer has done with one musician's packets, and how that buffer stands.
package struct LiveSourceStatistics: Hashable, Sendable {
  /// Packets that came, all together.
  package var packets = 0
  /// Packets that were decoded.
  package var decoded = 0
  /// Samples at 48 kHz that were made up for missing packets; an announced silence (DTX) is none.
  package var concealedFrames: Int64 = 0
  /// Packets that another packet brought back: in-band FEC, or RED.
  package var recovered = 0
  /// Packets that came twice.
  package var duplicates = 0
  /// Packets that came after their turn, or of a stream that was over.
  package var late = 0
  /// Packets that hold no Opus, or what libopus could not decode.
  package var garbage = 0
  /// Packets beyond what the buffer holds.
  package var refused = 0
  /// Times that the playout began anew: another stream, a jump of its times, a path that had become much longer.
  package var restarts = 0
  /// How much of the source is there and not yet played.
  package var depth = MonotonicTime.Span.zero
  /// The jitter delay: how much later than at the quickest packet's pace it is played.
  package var delay = MonotonicTime.Span.zero
  /// The jitter delay that the arrivals ask for.
  package var target = MonotonicTime.Span.zero
  /// How much quicker than it was sent it is played, in millionths.
  package var pace = 0.0

  package init() {}
}
