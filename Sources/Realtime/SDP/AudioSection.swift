import Machines

/// The RTP parameters of the peer's audio section, parsed and validated.
struct AudioSection: Sendable, Hashable {
  var index: Int
  /// The section's mid, or its index if it has none.
  var mid: String
  var hasMid: Bool
  var transport: String
  var direction: NegotiatedSession.Direction
  var opusPayloadType: UInt8
  var redPayloadType: UInt8?
  /// True if RED precedes Opus in the m= line.
  var prefersRED: Bool
  var opus: OpusParameters
  var packetTime: MonotonicTime.Span?
  var hasNACK: Bool
  var hasReducedSizeRTCP: Bool
  var hasRTCPMux: Bool
  var ssrc: UInt32?

  /// Parses the section at `index`; nil unless it is audio with Opus.
  init?(of description: SessionDescription, at index: Int) {
    guard description.media.indices.contains(index) else { return nil }
    let section = description.media[index]
    guard section.media == "audio" else { return nil }
    let maps = section.attributes.all("rtpmap").compactMap { RTPMap(parsing: $0) }
    let order = section.formats.compactMap { UInt8(digits: $0) }
    let listed = Set(order)
    let usable = maps.filter { listed.contains($0.payloadType) && !$0.collidesWithRTCP }
    // The most preferred Opus type, if there are several.
    let opusTypes = Set(usable.filter(\.isOpus).map(\.payloadType))
    guard let opusType = order.first(where: { opusTypes.contains($0) }) else { return nil }
    var formatParameters: [UInt8: String] = [:]
    for value in section.attributes.all("fmtp") {
      let words = value.split(separator: " ", maxSplits: 1)
      guard words.count == 2, let type = UInt8(digits: words[0]) else { continue }
      if formatParameters[type] == nil { formatParameters[type] = String(words[1]) }
    }
    let redTypes = Set(usable.filter(\.isRED).map(\.payloadType))
    let redType = order.first { redTypes.contains($0) && Self.carries(opusType, formatParameters[$0]) }
    let feedback = section.attributes.all("rtcp-fb")

    self.index = index
    mid = section.mid ?? String(index)
    hasMid = section.mid != nil
    transport = section.transport
    direction = section.direction ?? MediaDescription.direction(in: description.attributes) ?? .sendAndReceive
    opusPayloadType = opusType
    redPayloadType = redType
    prefersRED = order.first { $0 == opusType || $0 == redType } != opusType
    opus = OpusParameters(parsing: formatParameters[opusType] ?? "")
    packetTime = section.attributes.first("ptime").flatMap { UInt16(digits: $0) }
      .map { MonotonicTime.Span.milliseconds(Int64($0)) }
    hasNACK = feedback.contains { $0 == "\(opusType) nack" || $0 == "* nack" }
    hasReducedSizeRTCP = section.attributes.has("rtcp-rsize")
    hasRTCPMux = section.attributes.has("rtcp-mux") || section.attributes.has("rtcp-mux-only")
    ssrc =
      section.attributes.all("ssrc").lazy
      .compactMap { $0.split(separator: " ", maxSplits: 1).first.flatMap { UInt32(digits: $0) } }.first
  }

  /// True if every block of RED is our Opus: "111/111" (RFC 2198 §5).
  private static func carries(_ opusType: UInt8, _ parameters: String?) -> Bool {
    guard let parameters else { return false }
    let blocks = parameters.split(separator: "/", omittingEmptySubsequences: false)
    return blocks.allSatisfy { UInt8(digits: $0) == opusType }
  }

  /// Early feedback (RFC 4585) requires a profile ending in F; `a=rtcp-fb` is invalid in others.
  var allowsFeedback: Bool {
    transport.hasSuffix("F")
  }
}

/// An `a=rtpmap` line (RFC 8866 §6.6): the encoding of a payload type.
struct RTPMap: Sendable, Hashable {
  var payloadType: UInt8
  /// In lower case; encoding names are case-insensitive (RFC 4855 §3).
  var encoding: String
  /// Clock rate in Hz.
  var clockRate: UInt32
  var channels: UInt8

  /// Parses "111 opus/48000/2"; nil if it is malformed.
  init?(parsing value: some StringProtocol) {
    let words = value.split(separator: " ", maxSplits: 1)
    guard words.count == 2, let payloadType = UInt8(digits: words[0]), payloadType < 128 else { return nil }
    let parts = words[1].split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count >= 2, let clockRate = UInt32(digits: parts[1]) else { return nil }
    var channels: UInt8 = 1
    if parts.count == 3 {
      // A space at the end of the line becomes part of the field.
      guard let count = UInt8(digits: String(parts[2].filter { $0 != " " })) else { return nil }
      channels = count
    }
    self.payloadType = payloadType
    self.encoding = parts[0].lowercased()
    self.clockRate = clockRate
    self.channels = channels
  }

  /// Opus always has 48000 Hz and 2 channels here, whatever it contains (RFC 7587 §7).
  var isOpus: Bool {
    encoding == "opus" && clockRate == Self.opusClockRate && channels == 2
  }

  /// RED for Opus has the same clock rate and channels (RFC 2198 §5).
  var isRED: Bool {
    encoding == "red" && clockRate == Self.opusClockRate && channels == 2
  }

  /// Payload types that look like RTCP packets with the marker bit set (RFC 5761 §4), and so are unusable with
  /// rtcp-mux.
  var collidesWithRTCP: Bool {
    (64...95).contains(payloadType)
  }

  static let opusClockRate: UInt32 = 48_000
}
