// Arithmetic in this file is in range: single bytes are added, 255 of them at most.

/// Replaces the serial number of the pages of an Ogg stream (RFC 3533) as they are written, and updates their
/// checksums.
///
/// libsndfile chooses the number at random, so equal sound would give different bytes each time.
struct OggPages {
  private static let headLength = 27
  private static let serialPlace = 14
  private static let checksumPlace = 22
  private static let segmentsPlace = 26

  private let serial: UInt32
  /// Bytes of an incomplete page.
  private var pending: [UInt8] = []

  init(serial: UInt32) {
    self.serial = serial
  }

  /// Takes the next bytes of the stream and returns all pages completed by them.
  mutating func take(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    pending.append(contentsOf: bytes)
    var done: [UInt8] = []
    while let length = nextLength {
      var page = Array(pending.prefix(length))
      pending.removeFirst(length)
      page.replaceSubrange(OggPages.serialPlace..<OggPages.serialPlace + 4, with: OggPages.littleEndian(serial))
      page.replaceSubrange(OggPages.checksumPlace..<OggPages.checksumPlace + 4, with: [0, 0, 0, 0])
      let sum = OggPages.littleEndian(OggPages.checksum(page))
      page.replaceSubrange(OggPages.checksumPlace..<OggPages.checksumPlace + 4, with: sum)
      done += page
    }
    return done
  }

  /// Returns the bytes of an incomplete page at the end.
  mutating func rest() -> [UInt8] {
    defer { pending = [] }
    return pending
  }

  /// Length of the page at the start of `pending`; nil if it is incomplete.
  private var nextLength: Int? {
    guard pending.count >= OggPages.headLength, pending.starts(with: "OggS".utf8) else { return nil }
    let segments = Int(pending[OggPages.segmentsPlace])
    let table = OggPages.headLength + segments
    guard pending.count >= table else { return nil }
    let length = pending[OggPages.headLength..<table].reduce(table) { $0 + Int($1) }
    return pending.count >= length ? length : nil
  }

  private static func littleEndian(_ number: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }

  /// CRC-32 with the polynomial 0x04C11DB7 and initial value 0, not reflected (RFC 3533 section 6).
  static func checksum(_ bytes: [UInt8]) -> UInt32 {
    bytes.reduce(0) { $0 << 8 ^ table[Int(UInt8(truncatingIfNeeded: $0 >> 24) ^ $1)] }
  }

  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index) << 24) { sum, _ in sum & 0x8000_0000 != 0 ? sum << 1 ^ 0x04C1_1DB7 : sum << 1 }
  }
}
