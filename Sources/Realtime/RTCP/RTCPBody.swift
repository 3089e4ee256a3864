/// The body of one packet inside a datagram: reads are relative to it, and lengths are asked for before they are used.
struct RTCPBody {
  let payloadType: UInt8
  /// The five bits that are a count in reports and a format in feedback.
  let count: Int
  /// Offset of the packet's header in the datagram, for errors.
  let packetOffset: Int
  /// Where the body lies in the datagram, without padding.
  let range: Range<Int>

  var length: Int { range.count }

  /// Throws `RTCPError.shortBody` unless the body has at least `needed` bytes.
  func require(_ needed: Int) throws(RTCPError) {
    guard length >= needed else {
      throw .shortBody(payloadType: payloadType, offset: packetOffset, needed: needed, available: length)
    }
  }
}
