import Machines

/// Turns the Opus packets of a live mix into linear sound: 16 bits, little-endian, interleaved, in pieces of 20 ms.
package struct LinearSound {
  /// Pieces a second.
  private static let pieces = 50
  /// The longest packet of Opus, in samples at 48 kHz.
  private static let longestPacket = 5_760
  /// The longest gap between two packets that becomes silence, in samples at 48 kHz: five seconds.
  private static let longestGap: Int64 = 240_000

  private let decoder: OpusDecoder
  private let rate: Int
  private let channels: Int
  private var buffer: [Float]
  private var waiting: [UInt8] = []
  /// Where the next packet begins, in samples at 48 kHz.
  private var next: Int64?

  /// - Parameters:
  ///   - rate: samples a second: 48,000, 24,000, 16,000 or 8,000.
  ///   - channels: 1, in which both sides of a stereo mix lie, or 2.
  /// - Throws: `OpusFailure`.
  package init(rate: Int, channels: Int) throws(OpusFailure) {
    decoder = try OpusDecoder(channels: channels, rate: rate)
    (self.rate, self.channels) = (rate, channels == 1 ? 1 : 2)
    buffer = [Float](repeating: 0, count: LinearSound.longestPacket * self.channels)
  }

  /// Bytes of a piece.
  package var pieceSize: Int { rate / LinearSound.pieces * channels * 2 }

  /// The pieces that a packet completes. Time without packets becomes silence, and so does a damaged packet.
  /// - Parameter timestamp: of its first sample, at 48 kHz.
  package mutating func pieces(of opus: [UInt8], at timestamp: Int64) -> [[UInt8]] {
    if let next, timestamp > next { addSilence(min(timestamp &- next, LinearSound.longestGap)) }
    let decoder = decoder
    let frames = buffer.withUnsafeMutableBufferPointer { (try? decoder.decode(opus[...], into: $0)) ?? 0 }
    for sample in buffer.prefix(frames * channels) {
      let value = UInt16(bitPattern: Int16(clamping: Int64(saturating: (Double(sample) * 32_768).rounded())))
      waiting.append(UInt8(truncatingIfNeeded: value))
      waiting.append(UInt8(truncatingIfNeeded: value >> 8))
    }
    // in range: a packet has 120 ms at most
    next = timestamp &+ Int64(frames * (48_000 / rate))
    return take()
  }

  private mutating func addSilence(_ samples: Int64) {
    // in range: at most five seconds
    waiting += [UInt8](repeating: 0, count: Int(samples) * rate / 48_000 * channels * 2)
  }

  private mutating func take() -> [[UInt8]] {
    var pieces: [[UInt8]] = []
    while waiting.count >= pieceSize {
      pieces.append(Array(waiting.prefix(pieceSize)))
      waiting.removeFirst(pieceSize)
    }
    return pieces
  }
}
