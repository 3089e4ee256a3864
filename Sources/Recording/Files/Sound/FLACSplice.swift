// Arithmetic in this file is in range: frames are counted, and 2^31 of them last for years.

/// The whole frames of a FLAC file so far, counted as its encoder writes them: libFLAC writes each in one call.
struct FLACProgress: Hashable, Sendable, Codable {
  private(set) var frames: Int64 = 0
  /// Samples per channel of each frame; 0 before the first.
  private(set) var blockSize: Int64 = 0
  /// False once something else was written than the next frame; then the file cannot be continued.
  private(set) var isRegular = true

  /// Samples per channel of all frames.
  var samples: Int64 { frames * blockSize }

  /// Takes bytes written at the end of the file.
  mutating func note(_ bytes: UnsafeRawBufferPointer) {
    guard let frame = FLACFrame(bytes) else {
      // Nothing but metadata comes before the first frame, and nothing but frames after it.
      isRegular = isRegular && frames == 0
      return
    }
    if frames == 0 { blockSize = frame.blockSize }
    // The last frame of a file may be shorter, and nothing continues it.
    isRegular = isRegular && frame.number == frames && frame.blockSize == blockSize
    frames += 1
  }
}

/// Continues a FLAC file that another encoder began, because no encoder can.
///
/// FLAC's frames do not depend on each other. A second encoder begins a file of its own at a frame's boundary. Its
/// metadata is left out, its frames get the numbers that follow, and the first file's metadata the new length. The
/// result has the very frames that one encoder would have written. Its fingerprint of all samples (MD5) would need
/// them all again; it is set to zero, which means "unknown" (RFC 9639 section 8.2).
struct FLACSplice: Sendable {
  /// Frames that the file has already.
  private let frames: Int64
  /// Length of the file that the second encoder believes to write, and its position there.
  private(set) var length: Int64 = 0
  var position: Int64 = 0

  /// The part of STREAMINFO that is replaced, from the smallest frame's length to the fingerprint.
  static let patched: Range<Int64> = 12..<42
  /// Place of the 64 bits with rate, channels, bits and number of samples; the last has 36 of them.
  private static let counts = 6
  private static let sampleBits: UInt64 = 36

  /// - Parameter frames: whole frames in the file.
  init(after frames: Int64) {
    self.frames = frames
  }

  /// Takes the next bytes of the second encoder.
  ///
  /// - Returns: the bytes to append to the file, empty for metadata; nil if they are damaged.
  mutating func take(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    let isNew = position == length
    position += Int64(bytes.count)
    length = max(length, position)
    // Metadata begins with "fLaC" or a block's type, which is never 255. The encoder corrects it at the end.
    guard isNew, bytes.first == 0xFF else { return [] }
    guard let frame = FLACFrame(bytes) else { return nil }
    return frame.renumbered(bytes, as: frames + frame.number)
  }

  /// The bytes of the range `patched` for a file of `samples` samples, given the first encoder's; nil if these are too
  /// few.
  static func patch(_ old: [UInt8], samples: Int64) -> [UInt8]? {
    guard old.count == patched.count else { return nil }
    var bits = old[counts..<counts + 8].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    let limit = UInt64(1) << sampleBits
    bits &= ~(limit - 1)
    // 0 means "unknown", as a number too large for its field must be.
    let samples = UInt64(clamping: samples)
    bits |= samples < limit ? samples : 0
    // The frames' lengths (6 bytes) and the fingerprint (16 bytes) are unknown.
    return [UInt8](repeating: 0, count: counts)
      + stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: bits >> UInt64($0)) }
      + [UInt8](repeating: 0, count: 16)
  }
}
