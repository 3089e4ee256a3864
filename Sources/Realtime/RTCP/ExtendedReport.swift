/// An extended report (RFC 3611); interpreted are the two blocks with which a pure receiver measures its round trip.
package struct ExtendedReport: Hashable, Sendable {
  /// One sub-block of a DLRR block (RFC 3611 §4.5).
  package struct Delay: Hashable, Sendable {
    static let length = 12
    package var ssrc: UInt32
    /// Middle 32 bits of the receiver reference time being answered.
    package var lastReceiverReport: UInt32
    /// Time since its arrival, in 1/65536 s.
    package var delay: UInt32

    package init(ssrc: UInt32, lastReceiverReport: UInt32, delay: UInt32) {
      self.ssrc = ssrc
      self.lastReceiverReport = lastReceiverReport
      self.delay = delay
    }
  }

  /// A report block.
  package enum Block: Hashable, Sendable {
    /// RRTR: the sender's clock, to be answered with a DLRR (RFC 3611 §4.4).
    case receiverReferenceTime(NTPTime)
    /// DLRR: answers to RRTRs.
    case delaySinceLastReceiverReport([Delay])
    /// Any other block with its type-specific byte; the content consists of whole 32-bit words.
    case other(type: UInt8, specific: UInt8, content: [UInt8])

    static let receiverReferenceTimeType: UInt8 = 4
    static let delayType: UInt8 = 5
  }

  package var ssrc: UInt32
  package var blocks: [Block]

  package init(ssrc: UInt32, blocks: [Block]) {
    self.ssrc = ssrc
    self.blocks = blocks
  }

  init(_ bytes: Span<UInt8>, _ body: RTCPBody) throws(RTCPError) {
    try body.require(4)
    ssrc = bytes.bigEndian32(at: body.range.lowerBound)
    blocks = []
    var offset = 4
    while offset < body.length {
      try body.require(offset &+ 4)
      let head = body.range.lowerBound &+ offset
      let length = Int(bytes.bigEndian16(at: head &+ 2)) &* 4
      try body.require(offset &+ 4 &+ length)
      blocks.append(Self.block(bytes, type: bytes[head], specific: bytes[head &+ 1], at: head &+ 4, length: length))
      offset &+= 4 &+ length
    }
  }

  private static func block(
    _ bytes: Span<UInt8>, type: UInt8, specific: UInt8, at start: Int, length: Int
  ) -> Block {
    switch type {
    case Block.receiverReferenceTimeType where length == 8:
      return .receiverReferenceTime(NTPTime(bits: bytes.bigEndian64(at: start)))
    case Block.delayType where length % Delay.length == 0:
      var delays: [Delay] = []
      for offset in stride(from: start, to: start &+ length, by: Delay.length) {
        delays.append(
          Delay(
            ssrc: bytes.bigEndian32(at: offset), lastReceiverReport: bytes.bigEndian32(at: offset &+ 4),
            delay: bytes.bigEndian32(at: offset &+ 8)))
      }
      return .delaySinceLastReceiverReport(delays)
    default:
      return .other(type: type, specific: specific, content: bytes.array(start..<(start &+ length)))
    }
  }

  func appendBody(to bytes: inout [UInt8]) {
    bytes.appendBigEndian32(ssrc)
    for block in blocks {
      switch block {
      case .receiverReferenceTime(let time):
        Self.appendHead(type: Block.receiverReferenceTimeType, specific: 0, length: 8, to: &bytes)
        bytes.appendBigEndian64(time.bits)
      case .delaySinceLastReceiverReport(let delays):
        Self.appendHead(type: Block.delayType, specific: 0, length: delays.count &* Delay.length, to: &bytes)
        for delay in delays {
          bytes.appendBigEndian32(delay.ssrc)
          bytes.appendBigEndian32(delay.lastReceiverReport)
          bytes.appendBigEndian32(delay.delay)
        }
      case .other(let type, let specific, let content):
        Self.appendHead(type: type, specific: specific, length: content.count, to: &bytes)
        bytes.append(contentsOf: content)
        for _ in content.count..<((content.count &+ 3) & ~3) { bytes.append(0) }
      }
    }
  }

  private static func appendHead(type: UInt8, specific: UInt8, length: Int, to bytes: inout [UInt8]) {
    bytes.append(type)
    bytes.append(specific)
    bytes.appendBigEndian16(UInt16(truncatingIfNeeded: (length &+ 3) / 4))
  }
}
