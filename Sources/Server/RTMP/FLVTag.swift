/// The container that RTMP's messages come from (Adobe FLV 10.1, annex E): a header, then tags.
enum FLVTag {
  /// Audio only, and the first back pointer.
  static let header: [UInt8] = Array("FLV".utf8) + [1, 0x04, 0, 0, 0, 9, 0, 0, 0, 0]
  private static let audioType: UInt8 = 8
  private static let headLength = 11

  /// The body of an audio message with an AudioSpecificConfig.
  static func configuration(_ bytes: [UInt8]) -> [UInt8] { [0xAF, 0] + bytes }

  /// The body of an audio message with one AAC frame.
  static func frame(_ bytes: [UInt8]) -> [UInt8] { [0xAF, 1] + bytes }

  /// An audio tag with its back pointer; `timestamp` in milliseconds, of which the low 32 bits count.
  static func audio(_ body: [UInt8], timestamp: Int64) -> [UInt8] {
    let time = UInt32(truncatingIfNeeded: timestamp)
    var bytes: [UInt8] = [audioType]
    bytes.reserveCapacity(headLength + body.count + 4)
    append(UInt32(truncatingIfNeeded: body.count), 3, to: &bytes)
    append(time, 3, to: &bytes)
    bytes.append(UInt8(truncatingIfNeeded: time &>> 24))
    bytes += [0, 0, 0]
    bytes += body
    append(UInt32(truncatingIfNeeded: headLength + body.count), 4, to: &bytes)
    return bytes
  }

  private static func append(_ value: UInt32, _ count: UInt32, to bytes: inout [UInt8]) {
    for place in (0..<count).reversed() { bytes.append(UInt8(truncatingIfNeeded: value &>> (8 * place))) }
  }
}
