extension IncomingAudio {
  /// Reads an RTP packet (RFC 3550 section 5.1) by what was negotiated; nil for what is none, or of another payload type.
  init?(_ bytes: [UInt8], stream: JournalStream) {
    guard bytes.count >= 12, bytes[0] >> 6 == 2 else { return nil }
    let payloadType = bytes[1] & 0x7F
    sequence = UInt16(bytes[2]) << 8 | UInt16(bytes[3])
    timestamp = IncomingAudio.word(bytes, 4)
    source = IncomingAudio.word(bytes, 8)
    var start = 12 + 4 * Int(bytes[0] & 0x0F)
    var end = bytes.count
    if bytes[0] & 0x10 != 0 {
      guard start + 4 <= end else { return nil }
      let words = Int(bytes[start + 2]) << 8 | Int(bytes[start + 3])
      let body = start + 4
      start = body + words * 4
      guard start <= end else { return nil }
      if let id = stream.absoluteCaptureTimeExtension {
        captureTime = IncomingAudio.captureTime(id, bytes[(body - 4)..<start])
      }
    }
    if bytes[0] & 0x20 != 0, let padding = bytes.last { end -= Int(padding) }
    guard start <= end else { return nil }
    payload = bytes[start..<end]
    if payloadType == stream.redPayloadType {
      guard readRedundancy(opus: stream.opusPayloadType) else { return nil }
    } else if payloadType != stream.opusPayloadType {
      return nil
    }
  }

  /// Takes redundant audio apart (RFC 2198 section 3).
  private mutating func readRedundancy(opus: UInt8) -> Bool {
    guard !payload.isEmpty else { return true }
    var heads: [(type: UInt8, offset: UInt32, length: Int)] = []
    var index = payload.startIndex
    while index < payload.endIndex, payload[index] & 0x80 != 0 {
      guard index + 4 < payload.endIndex else { return false }
      let offset = UInt32(payload[index + 1]) << 6 | UInt32(payload[index + 2] >> 2)
      let length = Int(payload[index + 2] & 3) << 8 | Int(payload[index + 3])
      heads.append((payload[index] & 0x7F, offset, length))
      index += 4
    }
    guard index < payload.endIndex, payload[index] & 0x7F == opus else { return false }
    index += 1
    for head in heads {
      guard index + head.length <= payload.endIndex else { return false }
      let copy = payload[index..<(index + head.length)]
      if head.type == opus, !copy.isEmpty { redundancy.append(Copy(offset: head.offset, payload: copy)) }
      index += head.length
    }
    payload = payload[index...]
    return true
  }

  /// The abs-capture-time in header extensions (RFC 8285), in seconds of the sender's NTP clock.
  private static func captureTime(_ id: UInt8, _ bytes: ArraySlice<UInt8>) -> Double? {
    let profile = UInt16(bytes[bytes.startIndex]) << 8 | UInt16(bytes[bytes.startIndex + 1])
    let hasLongHeads = profile & 0xFFF0 == 0x1000
    guard hasLongHeads || profile == 0xBEDE else { return nil }
    var index = bytes.startIndex + 4
    while index < bytes.endIndex {
      let found: UInt8
      let length: Int
      if bytes[index] == 0 {
        index += 1
        continue
      } else if hasLongHeads {
        guard index + 1 < bytes.endIndex else { return nil }
        (found, length) = (bytes[index], Int(bytes[index + 1]))
        index += 2
      } else {
        (found, length) = (bytes[index] >> 4, Int(bytes[index] & 0x0F) + 1)
        if found == 15 { return nil }
        index += 1
      }
      guard index + length <= bytes.endIndex else { return nil }
      if found == id, length >= 8 {
        let value = bytes[index..<(index + 8)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return IncomingReport.seconds(ntp: value)
      }
      index += length
    }
    return nil
  }

  private static func word(_ bytes: [UInt8], _ index: Int) -> UInt32 {
    bytes[index..<(index + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
  }
}
