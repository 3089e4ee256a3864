/// A RED payload (RFC 2198): the primary frame and copies of earlier frames.
package struct RedundantAudio: Sendable, Hashable {
  /// Maximum number of redundant blocks accepted per packet, to bound the work; browsers send one.
  package static let blockLimit = 32
  /// The largest timestamp offset of a block in ticks, 14 bits.
  package static let offsetLimit: UInt32 = 0x3FFF
  /// The longest redundant block in bytes, 10 bits.
  package static let lengthLimit = 0x3FF

  /// An earlier frame.
  package struct Block: Sendable, Hashable {
    package var payloadType: UInt8
    /// Age of the frame relative to the packet's timestamp, in ticks.
    package var timestampOffset: UInt32
    package var payload: ArraySlice<UInt8>

    package init(payloadType: UInt8, timestampOffset: UInt32, payload: ArraySlice<UInt8>) {
      self.payloadType = payloadType
      self.timestampOffset = timestampOffset
      self.payload = payload
    }
  }

  /// Earlier frames, usually oldest first.
  package var redundant: [Block]
  package var primaryPayloadType: UInt8
  /// The frame at the packet's own timestamp.
  package var primary: ArraySlice<UInt8>

  package init(redundant: [Block] = [], primaryPayloadType: UInt8, primary: ArraySlice<UInt8>) {
    self.redundant = redundant
    self.primaryPayloadType = primaryPayloadType
    self.primary = primary
  }

  /// Parses the payload of a RED packet; the blocks are slices of it rather than copies.
  ///
  /// Throws `RTPError.truncatedRedundancy` if the blocks are longer than the payload, and `.tooManyRedundantBlocks`
  /// beyond `blockLimit`.
  package init(parsing payload: ArraySlice<UInt8>) throws(RTPError) {
    let layout = try RedundancyLayout(parsing: payload)
    var offset = layout.firstBlock
    redundant = []
    redundant.reserveCapacity(layout.blockCount)
    let span = payload.span
    for index in 0..<layout.blockCount {
      let head = span.bigEndian32(at: index &* RedundancyLayout.headLength)
      let length = Int(head & 0x3FF)
      let start = payload.startIndex &+ offset
      redundant.append(
        Block(
          payloadType: UInt8(head &>> 24 & 0x7F), timestampOffset: head &>> 10 & Self.offsetLimit,
          payload: payload[start..<(start &+ length)]))
      offset &+= length
    }
    primaryPayloadType = layout.primaryPayloadType
    primary = payload[(payload.startIndex &+ layout.primaryStart)...]
  }

  /// Encodes these blocks as the payload of a RED packet.
  ///
  /// Throws `RTPError.unwritableRedundancy` for a block beyond the 10- and 14-bit fields.
  package func payload() throws(RTPError) -> [UInt8] {
    for block in redundant
    where block.payload.count > Self.lengthLimit || block.timestampOffset > Self.offsetLimit {
      throw .unwritableRedundancy(length: block.payload.count, offset: block.timestampOffset)
    }
    var bytes: [UInt8] = []
    let heads = redundant.count &* RedundancyLayout.headLength &+ 1
    bytes.reserveCapacity(redundant.reduce(heads &+ primary.count) { $0 &+ $1.payload.count })
    for block in redundant {
      let type = UInt32(block.payloadType & 0x7F) | 0x80
      bytes.appendBigEndian32(type &<< 24 | block.timestampOffset &<< 10 | UInt32(block.payload.count))
    }
    bytes.append(primaryPayloadType & 0x7F)
    for block in redundant { bytes.append(contentsOf: block.payload) }
    bytes.append(contentsOf: primary)
    return bytes
  }
}

/// The positions of the blocks in a RED payload, without creating the blocks (RFC 2198 §3).
///
/// The forwarding path only needs the primary frame, which this finds without an allocation.
struct RedundancyLayout {
  /// Length of a redundant block's header in bytes; the primary's is one byte.
  static let headLength = 4

  let blockCount: Int
  let primaryPayloadType: UInt8
  /// Offset of the first redundant block, just after the headers.
  let firstBlock: Int
  /// Offset of the primary frame.
  let primaryStart: Int

  /// Throws the errors of `RedundantAudio.init(parsing:)`.
  init(parsing payload: ArraySlice<UInt8>) throws(RTPError) {
    let span = payload.span
    var offset = 0
    var redundantBytes = 0
    var blocks = 0
    while true {
      guard offset < span.count else { throw .truncatedRedundancy(length: span.count, needed: offset &+ 1) }
      if span[offset] & 0x80 == 0 { break }
      guard blocks < RedundantAudio.blockLimit else {
        throw .tooManyRedundantBlocks(limit: RedundantAudio.blockLimit)
      }
      let next = offset &+ Self.headLength
      guard next < span.count else { throw .truncatedRedundancy(length: span.count, needed: next &+ 1) }
      redundantBytes &+= Int(span.bigEndian16(at: offset &+ 2) & 0x3FF)
      blocks &+= 1
      offset = next
    }
    blockCount = blocks
    primaryPayloadType = span[offset] & 0x7F
    firstBlock = offset &+ 1
    primaryStart = firstBlock &+ redundantBytes
    guard primaryStart <= span.count else {
      throw .truncatedRedundancy(length: span.count, needed: primaryStart)
    }
  }
}
