/// Gives the pages of an Ogg stream (RFC 3533) another serial number as they are written, and the checksum for it.
///
/// libsndfile draws the number at random, so that equal sound would give other bytes every time.
struct OggPages {
  private static let headLength = 27
  private static let serialPlace = 14
  private static let checksumPlace = 22
  private static let segmentsPlace = 26

  private let serial: UInt32
  /// What is not yet a whole page.
  private var pending: [UInt8] = []

  init(serial: UInt32) {
    self.serial = serial
  }

  /// Takes the next bytes of the stream and returns every page that is whole now.
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

  /// What was never a whole page.
  mutating func rest() -> [UInt8] {
    defer { pending = [] }
    return pending
  }

  /// Length of the page that `pending` begins with, nil while it is not there as a whole.
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

  /// CRC-32 with the polynomial 0x04C11DB7, from 0, nothing reflected (RFC 3533 section 6).
  static func checksum(_ bytes: [UInt8]) -> UInt32 {
    bytes.reduce(0) { $0 << 8 ^ table[Int(UInt8(truncatingIfNeeded: $0 >> 24) ^ $1)] }
  }

  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index) << 24) { sum, _ in sum & 0x8000_0000 != 0 ? sum << 1 ^ 0x04C1_1DB7 : sum << 1 }
  }
}
