/// Room for what a decoder gives: as much as the longest packet so far needed. A checkpoint holds only its size.
struct DecoderScratch: Codable {
  private var samples: [Float] = []

  init() {}

  init(from decoder: any Decoder) throws {
    let count = try decoder.singleValueContainer().decode(Int.self)
    samples = [Float](repeating: 0, count: max(0, min(count, DecoderScratch.most)))
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(samples.count)
  }

  /// Calls `body` with room for `count` samples of all channels, or more; for those of the longest stereo packet at most.
  mutating func with<Result>(_ count: Int64, _ body: (UnsafeMutableBufferPointer<Float>) -> Result) -> Result {
    let count = Int(max(0, min(count, Int64(DecoderScratch.most))))
    if count > samples.count { samples = [Float](repeating: 0, count: count) }
    return samples.withUnsafeMutableBufferPointer { body($0) }
  }

  private static let most = 2 * OpusPacket.longest
}
