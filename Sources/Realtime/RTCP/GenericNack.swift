/// A request for retransmission (RFC 4585 §6.2.1).
package struct GenericNack: Hashable, Sendable {
  private static let fixedLength = 8
  private static let entryLength = 4

  /// SSRC of the requester.
  package var sender: UInt32
  /// SSRC of the missing packets.
  package var media: UInt32
  /// The missing sequence numbers in the order of request; ascending order packs best.
  package var sequenceNumbers: [UInt16]

  package init(sender: UInt32, media: UInt32, sequenceNumbers: [UInt16]) {
    self.sender = sender
    self.media = media
    self.sequenceNumbers = sequenceNumbers
  }

  init(_ bytes: Span<UInt8>, _ body: RTCPBody) throws(RTCPError) {
    try body.require(Self.fixedLength &+ Self.entryLength)
    let start = body.range.lowerBound
    sender = bytes.bigEndian32(at: start)
    media = bytes.bigEndian32(at: start &+ 4)
    sequenceNumbers = []
    var offset = start &+ Self.fixedLength
    while offset &+ Self.entryLength <= body.range.upperBound {
      let first = bytes.bigEndian16(at: offset)
      var mask = bytes.bigEndian16(at: offset &+ 2)
      sequenceNumbers.append(first)
      var number = first
      while mask != 0 {
        number &+= 1
        if mask & 1 != 0 { sequenceNumbers.append(number) }
        mask &>>= 1
      }
      offset &+= Self.entryLength
    }
  }

  func appendBody(to bytes: inout [UInt8]) {
    bytes.appendBigEndian32(sender)
    bytes.appendBigEndian32(media)
    var index = 0
    while index < sequenceNumbers.count {
      let first = sequenceNumbers[index]
      var mask: UInt16 = 0
      index &+= 1
      // Each entry is a number and a bit mask of the sixteen after it.
      while index < sequenceNumbers.count {
        let distance = sequenceNumbers[index] &- first
        guard (1...16).contains(distance) else { break }
        mask |= 1 &<< (distance &- 1)
        index &+= 1
      }
      bytes.appendBigEndian16(first)
      bytes.appendBigEndian16(mask)
    }
  }
}
