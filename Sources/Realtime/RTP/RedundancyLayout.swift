/// Where the blocks of a RED payload lie, found without making any of them (RFC 2198 §3).
///
/// The forwarding path needs the primary frame alone, and this finds it without memory of its own.
struct RedundancyLayout {
  /// Length of a redundant block's head in bytes; the primary's head is one byte.
  static let headLength = 4

  let blockCount: Int
  let primaryPayloadType: UInt8
  /// Offset of the first redundant block, just behind the heads.
  let firstBlock: Int
  /// Offset of the primary frame.
  let primaryStart: Int

  /// Throws as `RedundantAudio.init(parsing:)` does.
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
