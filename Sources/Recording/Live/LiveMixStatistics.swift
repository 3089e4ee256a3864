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
