// Arithmetic in this file is in range: places lie in the bytes, which are compared first; numbers have at most 36 bits.

/// The header of a frame of a FLAC stream with a fixed block size (RFC 9639 section 9.1).
struct FLACFrame: Hashable, Sendable {
  /// Its number, from 0.
  var number: Int64
  /// Samples per channel.
  var blockSize: Int64
  /// Place of the coded number in the frame, and its length in bytes.
  private let numberRange: Range<Int>
  /// Place of the header's checksum.
  private let checksum: Int

  /// Length of a frame's own checksum in bytes.
  private static let footer = 2
  /// Bytes before the coded number.
  private static let fixed = 4

  /// Reads the header of the frame that begins with the first of `bytes`; nil if none does, or if the stream's block
  /// size varies.
  init?(_ bytes: UnsafeRawBufferPointer) {
    // Sync code and reserved bits, section 9.1; the last bit tells a fixed block size.
    guard bytes.count > FLACFrame.fixed, bytes[0] == 0xFF, bytes[1] == 0xF8, bytes[3] & 1 == 0,
      let (number, length) = FLACFrame.number(UnsafeRawBufferPointer(rebasing: bytes[FLACFrame.fixed...]))
    else { return nil }
    numberRange = FLACFrame.fixed..<FLACFrame.fixed + length
    var place = numberRange.upperBound
    let (size, sizeLength) = (bytes[2] >> 4, bytes[2] >> 4 == 7 ? 2 : bytes[2] >> 4 == 6 ? 1 : 0)
    let rateLength =
      switch bytes[2] & 15 {
      case 12: 1
      case 13, 14: 2
      default: 0
      }
    guard bytes.count > place + sizeLength + rateLength + FLACFrame.footer else { return nil }
    switch size {
    case 1: blockSize = 192
    case 2...5: blockSize = 144 << Int64(size)
    case 6: blockSize = Int64(bytes[place]) + 1
    case 7: blockSize = Int64(bytes[place]) << 8 + Int64(bytes[place + 1]) + 1
    case 8...15: blockSize = 1 << Int64(size)
    default: return nil
    }
    place += sizeLength + rateLength
    checksum = place
    guard FLACFrame.checksum8(UnsafeRawBufferPointer(rebasing: bytes[..<place])) == bytes[place] else { return nil }
    self.number = number
  }

  /// The frame in `bytes`, which begins so, with another number; nil if its own checksum is wrong.
  func renumbered(_ bytes: UnsafeRawBufferPointer, as number: Int64) -> [UInt8]? {
    let end = bytes.count - FLACFrame.footer
    guard end > checksum, let coded = FLACFrame.coded(number) else { return nil }
    let sum = FLACFrame.checksum16(UnsafeRawBufferPointer(rebasing: bytes[..<end]))
    guard bytes[end] == UInt8(truncatingIfNeeded: sum >> 8), bytes[end + 1] == UInt8(truncatingIfNeeded: sum) else {
      return nil
    }
    var frame: [UInt8] = []
    frame.reserveCapacity(bytes.count + 6)
    frame += bytes[..<numberRange.lowerBound]
    frame += coded
    frame += bytes[numberRange.upperBound..<checksum]
    frame.append(frame.withUnsafeBytes(FLACFrame.checksum8))
    frame += bytes[(checksum + 1)..<end]
    let whole = frame.withUnsafeBytes(FLACFrame.checksum16)
    frame.append(UInt8(truncatingIfNeeded: whole >> 8))
    frame.append(UInt8(truncatingIfNeeded: whole))
    return frame
  }

  // MARK: numbers, coded as UTF-8 codes characters (section 9.1.5), in up to seven bytes

  private static func number(_ bytes: UnsafeRawBufferPointer) -> (number: Int64, length: Int)? {
    guard let first = bytes.first else { return nil }
    let length = (~first).leadingZeroBitCount
    if length == 0 { return (Int64(first), 1) }
    guard (2...7).contains(length), bytes.count >= length else { return nil }
    var number = Int64(first) & (0x7F >> Int64(length))
    for byte in bytes[1..<length] {
      guard byte & 0xC0 == 0x80 else { return nil }
      number = number << 6 | Int64(byte & 0x3F)
    }
    return (number, length)
  }

  /// Nil if the number is too large for a frame: 31 bits.
  static func coded(_ number: Int64) -> [UInt8]? {
    guard number >= 0, number < 1 << 31 else { return nil }
    if number < 0x80 { return [UInt8(truncatingIfNeeded: number)] }
    var length = 2
    // Each further byte takes six bits, and the first loses one.
    while number >= 1 << Int64(5 * length + 1) { length += 1 }
    var bytes = [UInt8(truncatingIfNeeded: ~(0xFF >> length)) | UInt8(truncatingIfNeeded: number >> (6 * (length - 1)))]
    for place in stride(from: length - 2, through: 0, by: -1) {
      bytes.append(0x80 | UInt8(truncatingIfNeeded: number >> (6 * place)) & 0x3F)
    }
    return bytes
  }

  // MARK: checksums (section 9.1.8 and 9.3)

  private static let table8 = (0..<256).map { byte -> UInt8 in
    (0..<8).reduce(UInt8(truncatingIfNeeded: byte)) { sum, _ in sum & 0x80 != 0 ? sum << 1 ^ 0x07 : sum << 1 }
  }
  private static let table16 = (0..<256).map { byte -> UInt16 in
    (0..<8).reduce(UInt16(truncatingIfNeeded: byte) << 8) { sum, _ in sum & 0x8000 != 0 ? sum << 1 ^ 0x8005 : sum << 1 }
  }

  private static func checksum8(_ bytes: UnsafeRawBufferPointer) -> UInt8 {
    table8.withUnsafeBufferPointer { table in bytes.reduce(0) { table[Int($0 ^ $1)] } }
  }

  private static func checksum16(_ bytes: UnsafeRawBufferPointer) -> UInt16 {
    table16.withUnsafeBufferPointer { table in
      bytes.reduce(0) { sum, byte in
        sum << 8 ^ table[Int(UInt8(truncatingIfNeeded: sum >> 8) ^ byte)]
      }
    }
  }
}
