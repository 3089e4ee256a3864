// Arithmetic in this file is in range: a place lies in the table.

import CLinux

/// The Castagnoli checksum (RFC 3720 appendix B.4), computed with SSE4.2 if available, otherwise with tables.
package struct CRC32C: Sendable {
  /// The internal state of the checksum (not yet inverted).
  private var state: UInt32

  /// Creates a checksum that continues from `seed`, the `value` of the preceding bytes; 0 starts a new one.
  package init(seed: UInt32 = 0) {
    state = ~seed
  }

  /// The checksum of all bytes so far.
  package var value: UInt32 { ~state }

  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress, !bytes.isEmpty else { return }
    if CRC32C.hasInstruction {
      state = jamjar_crc32c(state, base, bytes.count)
    } else {
      state = CRC32C.byTables(state, bytes)
    }
  }

  /// The checksum of `bytes`.
  package static func of(_ bytes: [UInt8], seed: UInt32 = 0) -> UInt32 {
    var sum = CRC32C(seed: seed)
    bytes.withUnsafeBytes { sum.update($0) }
    return sum.value
  }

  /// True if the processor has an instruction for the checksum.
  static let hasInstruction = jamjar_crc32c_is_available() != 0

  /// The reflected polynomial 0x1EDC6F41.
  private static let polynomial: UInt32 = 0x82F6_3B78

  /// Eight tables of 256 entries: table k holds the effect of a byte followed by k zero bytes.
  private static let tables: [UInt32] = {
    var tables = [UInt32](repeating: 0, count: 8 * 256)
    for index in 0..<256 {
      var value = UInt32(index)
      for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ polynomial : value >> 1 }
      tables[index] = value
    }
    for index in 256..<2_048 {
      let before = tables[index - 256]
      tables[index] = before >> 8 ^ tables[Int(before & 0xFF)]
    }
    return tables
  }()

  /// Slicing by 8 (Kounavis and Berry, 2005): eight table lookups per eight bytes.
  static func byTables(_ start: UInt32, _ bytes: UnsafeRawBufferPointer) -> UInt32 {
    tables.withUnsafeBufferPointer { table in
      var state = start
      var index = 0
      while index + 8 <= bytes.count {
        let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)) ^ UInt64(state)
        var next: UInt32 = 0
        for place in 0..<8 {
          next ^= table[(7 - place) * 256 + Int(truncatingIfNeeded: word >> UInt64(place * 8) & 0xFF)]
        }
        state = next
        index += 8
      }
      while index < bytes.count {
        state = state >> 8 ^ table[Int((state ^ UInt32(bytes[index])) & 0xFF)]
        index += 1
      }
      return state
    }
  }
}
