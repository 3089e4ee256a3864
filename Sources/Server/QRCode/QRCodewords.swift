/// The codewords of a QR code: the text, and what mends it, block by block (ISO/IEC 18004 sections 7.4 to 7.6).
enum QRCodewords {
  /// - Parameter bytes: as many as the version holds, or fewer.
  static func make(of bytes: [UInt8], version: QRVersion) -> [UInt8] {
    interleaved(data(of: bytes, version: version), version: version)
  }

  /// Mode, length, text, end, and filling.
  private static func data(of bytes: [UInt8], version: QRVersion) -> [UInt8] {
    var bits: [Bool] = []
    func append(_ value: Int, _ count: Int) {
      for shift in (0..<count).reversed() { bits.append(value >> shift & 1 == 1) }
    }
    append(0b0100, 4)
    append(bytes.count, version.lengthBits)
    for byte in bytes { append(Int(byte), 8) }
    // Mode and end fill a byte together.
    append(0, 4)
    var words = stride(from: 0, to: bits.count, by: 8).map { start in
      bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
    }
    var filling: UInt8 = 0xEC
    while words.count < version.dataCodewords {
      words.append(filling)
      filling ^= 0xEC ^ 0x11
    }
    return words
  }

  /// The first codewords of all blocks, then the second ones, and so on; then the same of the error correction.
  private static func interleaved(_ data: [UInt8], version: QRVersion) -> [UInt8] {
    let divisor = ReedSolomon.divisor(version.correctionCodewords)
    // The last blocks are longer by one.
    let short = data.count / version.blocks
    let shortBlocks = version.blocks - data.count % version.blocks
    var blocks: [ArraySlice<UInt8>] = []
    var rest = data[...]
    for index in 0..<version.blocks {
      let length = index < shortBlocks ? short : short + 1
      blocks.append(rest.prefix(length))
      rest = rest.dropFirst(length)
    }
    let corrections = blocks.map { ReedSolomon.remainder(of: $0, by: divisor) }
    var words: [UInt8] = []
    for place in 0...short {
      for block in blocks where place < block.count { words.append(block[block.startIndex + place]) }
    }
    for place in 0..<version.correctionCodewords {
      for correction in corrections { words.append(correction[place]) }
    }
    return words
  }
}

/// Error correction over the field of 256 elements with the polynomial x⁸ + x⁴ + x³ + x² + 1.
enum ReedSolomon {
  /// The product of (x - 2ⁱ) for i below `degree`, without its leading 1.
  static func divisor(_ degree: Int) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: degree - 1) + [1]
    var root: UInt8 = 1
    for _ in 0..<degree {
      for index in result.indices {
        result[index] = product(result[index], root)
        if index + 1 < degree { result[index] ^= result[index + 1] }
      }
      root = product(root, 2)
    }
    return result
  }

  static func remainder(of data: some Sequence<UInt8>, by divisor: [UInt8]) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: divisor.count)
    for byte in data {
      let factor = byte ^ result.removeFirst()
      result.append(0)
      for index in result.indices { result[index] ^= product(divisor[index], factor) }
    }
    return result
  }

  private static func product(_ one: UInt8, _ other: UInt8) -> UInt8 {
    var result: UInt8 = 0
    for shift in (0..<8).reversed() {
      result = result << 1 ^ (result >> 7) &* 0x1D
      if other >> shift & 1 == 1 { result ^= one }
    }
    return result
  }
}
