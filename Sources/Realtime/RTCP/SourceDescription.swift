/// Descriptions of sources (RFC 3550 §6.5); we only write CNAME, which groups the streams of one sender.
package struct SourceDescription: Hashable, Sendable {
  /// One item of a chunk.
  package struct Item: Hashable, Sendable {
    /// The canonical name.
    package static let cname: UInt8 = 1
    /// 1...255; 0 ends a chunk.
    package var type: UInt8
    /// UTF-8; invalid bytes are repaired when parsing, and the text is cut at 255 bytes when writing.
    package var text: String

    package init(type: UInt8, text: String) {
      self.type = type
      self.text = text
    }
  }

  /// The items of one source.
  package struct Chunk: Hashable, Sendable {
    package var ssrc: UInt32
    package var items: [Item]

    package init(ssrc: UInt32, items: [Item]) {
      self.ssrc = ssrc
      self.items = items
    }
  }

  /// At most 31 are written.
  package var chunks: [Chunk]

  package init(chunks: [Chunk]) {
    self.chunks = chunks
  }

  /// Creates the description with the one item that every compound packet requires.
  package init(ssrc: UInt32, cname: String) {
    chunks = [Chunk(ssrc: ssrc, items: [Item(type: Item.cname, text: cname)])]
  }

  /// The canonical name of `ssrc`, if included.
  package func cname(of ssrc: UInt32) -> String? {
    chunks.first { $0.ssrc == ssrc }?.items.first { $0.type == Item.cname }?.text
  }

  init(_ bytes: Span<UInt8>, _ body: RTCPBody) throws(RTCPError) {
    chunks = []
    var offset = 0
    for _ in 0..<body.count {
      try body.require(offset &+ 4)
      var chunk = Chunk(ssrc: bytes.bigEndian32(at: body.range.lowerBound &+ offset), items: [])
      offset &+= 4
      while true {
        try body.require(offset &+ 1)
        let type = bytes[body.range.lowerBound &+ offset]
        offset &+= 1
        if type == 0 { break }
        try body.require(offset &+ 1)
        let length = Int(bytes[body.range.lowerBound &+ offset])
        offset &+= 1
        try body.require(offset &+ length)
        let start = body.range.lowerBound &+ offset
        chunk.items.append(
          Item(type: type, text: String(decoding: bytes.array(start..<(start &+ length)), as: UTF8.self)))
        offset &+= length
      }
      // A chunk ends with one to four zero bytes, at a 32-bit boundary.
      offset = (offset &+ 3) & ~3
      chunks.append(chunk)
    }
  }

  var writableChunks: ArraySlice<Chunk> { chunks.prefix(ReportBlock.perReport) }

  func appendBody(to bytes: inout [UInt8]) {
    for chunk in writableChunks {
      let start = bytes.count
      bytes.appendBigEndian32(chunk.ssrc)
      for item in chunk.items where item.type != 0 {
        let text = item.text.utf8.prefix(255)
        bytes.append(item.type)
        bytes.append(UInt8(truncatingIfNeeded: text.count))
        bytes.append(contentsOf: text)
      }
      repeat { bytes.append(0) } while (bytes.count &- start) % 4 != 0
    }
  }
}
