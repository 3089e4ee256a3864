import Machines

/// What an audio section of the other side says of RTP, read once and checked.
struct AudioSection: Sendable, Hashable {
  var index: Int
  /// The section's name, or its number where it has none.
  var mid: String
  var hasMid: Bool
  var transport: String
  var direction: NegotiatedSession.Direction
  var opusPayloadType: UInt8
  var redPayloadType: UInt8?
  /// RED stands before Opus in the m= line.
  var prefersRED: Bool
  var opus: OpusParameters
  var packetTime: MonotonicTime.Span?
  var hasNACK: Bool
  var hasReducedSizeRTCP: Bool
  var hasRTCPMux: Bool
  var ssrc: UInt32?

  /// The section at `index` where it is audio with Opus; nil otherwise.
  init?(of description: SessionDescription, at index: Int) {
    guard description.media.indices.contains(index) else { return nil }
    let section = description.media[index]
    guard section.media == "audio" else { return nil }
    let maps = section.attributes.all("rtpmap").compactMap { RTPMap(parsing: $0) }
    let order = section.formats.compactMap { UInt8(digits: $0) }
    let listed = Set(order)
    let usable = maps.filter { listed.contains($0.payloadType) && !$0.collidesWithRTCP }
    // The most wanted Opus, should there be several.
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

  /// True where every block of RED is our Opus: "111/111" (RFC 2198 §5).
  private static func carries(_ opusType: UInt8, _ parameters: String?) -> Bool {
    guard let parameters else { return false }
    let blocks = parameters.split(separator: "/", omittingEmptySubsequences: false)
    return blocks.allSatisfy { UInt8(digits: $0) == opusType }
  }

  /// Feedback before its time (RFC 4585) needs a profile that ends in F; `a=rtcp-fb` has no place in others.
  var allowsFeedback: Bool {
    transport.hasSuffix("F")
  }
}
