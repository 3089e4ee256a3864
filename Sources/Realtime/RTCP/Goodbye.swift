/// Sources that leave (RFC 3550 §6.6).
package struct Goodbye: Hashable, Sendable {
  /// At most 31 are written.
  package var sources: [UInt32]
  package var reason: String?

  package init(sources: [UInt32], reason: String? = nil) {
    self.sources = sources
    self.reason = reason
  }

  init(_ bytes: Span<UInt8>, _ body: RTCPBody) throws(RTCPError) {
    try body.require(body.count &* 4)
    sources = []
    sources.reserveCapacity(body.count)
    for index in 0..<body.count { sources.append(bytes.bigEndian32(at: body.range.lowerBound &+ index &* 4)) }
    let offset = body.count &* 4
    guard body.length > offset else { return }
    let length = Int(bytes[body.range.lowerBound &+ offset])
    try body.require(offset &+ 1 &+ length)
    guard length > 0 else { return }
    let start = body.range.lowerBound &+ offset &+ 1
    reason = String(decoding: bytes.array(start..<(start &+ length)), as: UTF8.self)
  }

  var writableSources: ArraySlice<UInt32> { sources.prefix(ReportBlock.perReport) }

  func appendBody(to bytes: inout [UInt8]) {
    for source in writableSources { bytes.appendBigEndian32(source) }
    guard let reason, !reason.isEmpty else { return }
    let text = reason.utf8.prefix(255)
    bytes.append(UInt8(truncatingIfNeeded: text.count))
    bytes.append(contentsOf: text)
  }
}
