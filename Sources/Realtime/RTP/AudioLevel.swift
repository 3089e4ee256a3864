/// How loud the audio of a packet is, as its sender measured it (RFC 6464).
package struct AudioLevel: Hashable, Sendable {
  /// The sender believes that the packet holds a voice.
  package var hasVoice: Bool
  /// Level in dBov below full scale: 0 is loudest, 127 is silence.
  package var belowFullScale: UInt8

  package init(hasVoice: Bool, belowFullScale: UInt8) {
    self.hasVoice = hasVoice
    self.belowFullScale = min(belowFullScale, 127)
  }

  /// The byte as RFC 6464 §3 lays it out.
  package init(byte: UInt8) {
    hasVoice = byte & 0x80 != 0
    belowFullScale = byte & 0x7F
  }

  package var byte: UInt8 { belowFullScale | (hasVoice ? 0x80 : 0) }
}
