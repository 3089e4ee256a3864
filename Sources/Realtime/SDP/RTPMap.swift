/// An `a=rtpmap` line (RFC 8866 §6.6): what a payload type carries.
struct RTPMap: Sendable, Hashable {
  var payloadType: UInt8
  /// In small letters; encoding names are case-insensitive (RFC 4855 §3).
  var encoding: String
  /// Clock rate in Hz.
  var clockRate: UInt32
  var channels: UInt8

  /// Reads "111 opus/48000/2"; nil where it is malformed.
  init?(parsing value: some StringProtocol) {
    let words = value.split(separator: " ", maxSplits: 1)
    guard words.count == 2, let payloadType = UInt8(digits: words[0]), payloadType < 128 else { return nil }
    let parts = words[1].split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count >= 2, let clockRate = UInt32(digits: parts[1]) else { return nil }
    var channels: UInt8 = 1
    if parts.count == 3 {
      // A blank at the end of the line is seen in the field.
      guard let count = UInt8(digits: String(parts[2].filter { $0 != " " })) else { return nil }
      channels = count
    }
    self.payloadType = payloadType
    self.encoding = parts[0].lowercased()
    self.clockRate = clockRate
    self.channels = channels
  }

  /// Opus is always written with 48000 Hz and 2 channels, whatever it carries (RFC 7587 §7).
  var isOpus: Bool {
    encoding == "opus" && clockRate == Self.opusClockRate && channels == 2
  }

  /// RED for Opus has its clock and channels (RFC 2198 §5).
  var isRED: Bool {
    encoding == "red" && clockRate == Self.opusClockRate && channels == 2
  }

  /// Payload types that look like RTCP packets once the marker bit is set (RFC 5761 §4): of no use with rtcp-mux.
  var collidesWithRTCP: Bool {
    (64...95).contains(payloadType)
  }

  static let opusClockRate: UInt32 = 48_000
}
