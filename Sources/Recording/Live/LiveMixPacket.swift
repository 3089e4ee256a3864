/// One Opus packet of a live mix.
package struct LiveMixPacket: Hashable, Sendable {
  package var output: LiveMixOutput
  /// Opus, stereo, as long as the mixer's packet time.
  package var payload: [UInt8]
  /// In samples at 48 kHz, on one line for all outputs; steps over what a stall left out.
  package var timestamp: Int64
  /// One more than the packet before of the same output, over a stall too; all outputs count alike.
  package var sequence: Int64

  package init(output: LiveMixOutput, payload: [UInt8], timestamp: Int64, sequence: Int64) {
    self.output = output
    self.payload = payload
    self.timestamp = timestamp
    self.sequence = sequence
  }
}
