/// Size and division of a QR code (ISO/IEC 18004 table 9): how many codewords it has, and in how many blocks.
struct QRVersion: Hashable, Sendable {
  /// 1 to 40.
  let number: Int
  let level: QRCode.Level

  /// The smallest version for this number of bytes; nil if even the largest is too small.
  static func smallest(for bytes: Int, level: QRCode.Level) -> QRVersion? {
    (1...40).lazy.map { QRVersion(number: $0, level: level) }.first { bytes <= $0.capacity }
  }

  /// Modules in each direction.
  var size: Int { number * 4 + 17 }

  /// Most bytes of a text.
  var capacity: Int { dataCodewords - 1 - lengthBits / 8 }

  /// Bits of the length in byte mode.
  var lengthBits: Int { number < 10 ? 8 : 16 }

  /// Bits for codewords, without those of the fixed patterns.
  private var rawBits: Int {
    var bits = (16 * number + 128) * number + 64
    if number > 1 {
      let places = number / 7 + 2
      bits -= (25 * places - 10) * places - 55
      if number > 6 { bits -= 36 }
    }
    return bits
  }

  var allCodewords: Int { rawBits / 8 }
  var dataCodewords: Int { allCodewords - correctionCodewords * blocks }

  /// Codewords of error correction of each block.
  var correctionCodewords: Int {
    switch level {
    case .low: QRVersion.lowCorrection[number - 1]
    case .medium: QRVersion.mediumCorrection[number - 1]
    }
  }

  var blocks: Int {
    switch level {
    case .low: QRVersion.lowBlocks[number - 1]
    case .medium: QRVersion.mediumBlocks[number - 1]
    }
  }

  /// Columns and rows of the centres of alignment patterns.
  var alignment: [Int] {
    guard number > 1 else { return [] }
    let count = number / 7 + 2
    let step = number == 32 ? 26 : (number * 4 + count * 2 + 1) / (count * 2 - 2) * 2
    return [6] + (0..<(count - 1)).map { size - 7 - step * $0 }.reversed()
  }

  private static let lowCorrection = [
    7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28,
    28, 28, 30, 30, 26, 28, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
  ]
  private static let mediumCorrection = [
    10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26,
    26, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28,
  ]
  private static let lowBlocks = [
    1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8,
    8, 9, 9, 10, 12, 12, 12, 13, 14, 15, 16, 17, 18, 19, 19, 20, 21, 22, 24, 25,
  ]
  private static let mediumBlocks = [
    1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16,
    17, 17, 18, 20, 21, 23, 25, 26, 28, 29, 31, 33, 35, 37, 38, 40, 43, 45, 47, 49,
  ]
}
