/// Cuts an ADTS stream (ISO 13818-7 section 6.2) into its raw AAC frames.
struct ADTSReader {
  private var rest: [UInt8] = []

  private static let headLength = 7
  /// The header's length where a checksum follows it.
  private static let guardedHeadLength = 9

  mutating func append(_ bytes: some Sequence<UInt8>) { rest += bytes }

  /// The next whole frame without its header; nil where more bytes are needed.
  mutating func next() -> [UInt8]? {
    while rest.count >= ADTSReader.headLength {
      guard rest[0] == 0xFF, rest[1] & 0xF6 == 0xF0 else {
        rest.removeFirst()
        continue
      }
      let length = Int(rest[3] & 3) << 11 | Int(rest[4]) << 3 | Int(rest[5]) >> 5
      let head = rest[1] & 1 == 1 ? ADTSReader.headLength : ADTSReader.guardedHeadLength
      guard length > head else {
        rest.removeFirst()
        continue
      }
      guard rest.count >= length else { return nil }
      defer { rest.removeFirst(length) }
      return Array(rest[head..<length])
    }
    return nil
  }
}
