/// Turns linear sound that comes in pieces of any size into Opus packets of 20 ms, without a gap: 16 bits, little-endian,
/// interleaved. The reader of the packets sets the pace; where nothing waits, there is silence.
package struct LinearInput {
  /// Pieces a second.
  private static let pieces = 50
  /// Most seconds of sound that wait to be played; a program may speak faster than it is heard.
  private static let longestWait = 30
  private static let bitrate = 128_000

  private let encoder: OpusEncoder
  private let pieceSize: Int
  private let most: Int
  private var waiting: [UInt8] = []
  /// Bytes of sound for which there was no room any more.
  package private(set) var lostBytes: Int64 = 0

  /// - Parameters:
  ///   - rate: samples a second: 48,000, 24,000, 16,000 or 8,000.
  ///   - channels: 1 or 2.
  /// - Throws: `OpusFailure`.
  package init(rate: Int, channels: Int) throws(OpusFailure) {
    encoder = try OpusEncoder(.init(channels: channels, bitrate: LinearInput.bitrate, rate: rate))
    pieceSize = rate / LinearInput.pieces * encoder.channels * 2
    most = pieceSize * LinearInput.pieces * LinearInput.longestWait
  }

  /// Adds sound behind what waits. What does not fit is left out and counted.
  package mutating func add(_ sound: some Collection<UInt8>) {
    let fits = min(sound.count, most - waiting.count)
    waiting += sound.prefix(fits)
    lostBytes += Int64(sound.count - fits)
  }

  /// The next 20 ms as Opus: what waits, with silence behind it.
  /// - Throws: `OpusFailure`.
  package mutating func packet() throws(OpusFailure) -> [UInt8] {
    // A sample at a time: half of one waits for its other half.
    let count = min(pieceSize, waiting.count & ~1)
    var samples = [Float](repeating: 0, count: pieceSize / 2)
    for index in 0..<count / 2 {
      let bits = UInt16(waiting[2 * index]) | UInt16(waiting[2 * index + 1]) << 8
      samples[index] = Float(Int16(bitPattern: bits)) / 32_768
    }
    waiting.removeFirst(count)
    return try encoder.encode(samples)
  }
}
