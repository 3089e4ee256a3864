/// A sliding window of decoded audio, one plane per channel, addressed by stream position; silence before its start.
struct DecodedAudio: Sendable {
  /// Samples that count at most: room for the longest packet, a block and the filter, and as many again that are past.
  private static let capacity = 16_384
  /// Samples for which the planes have memory in the beginning: enough for packets of 20 ms. Longer ones need more.
  private static let usual = 4_096
  /// Samples that are past before the rest is moved to the front: a packet of 20 ms, so that hardly any is moved twice.
  private static let slack = 1_024
  /// Samples that stay available before the position given to `discard(before:)`.
  private static let margin = 64

  let channels: Int
  /// Stream position of the planes' first sample.
  private(set) var start: Int64
  private var count = 0
  /// Samples before `start` that have been moved out and still count: when a long silence is skipped depends on them, and
  /// two renders of a journal have to skip the same.
  private var past = 0
  private var left: [Float]
  private var right: [Float]

  /// Starts at stream position `position`, with silence before it.
  init(channels: Int, at position: Int64) {
    self.channels = channels == 1 ? 1 : 2
    start = position - Int64(DecodedAudio.margin)
    left = [Float](repeating: 0, count: DecodedAudio.usual)
    right = channels == 1 ? [] : left
    count = DecodedAudio.margin
  }

  /// Stream position after the last sample.
  var end: Int64 { start + Int64(count) }

  /// Appends interleaved frames, skipping the first `skipping` of them.
  mutating func append(_ frames: UnsafeBufferPointer<Float>, skipping: Int = 0) {
    let total = frames.count / channels
    let added = min(total - min(skipping, total), Int(room))
    guard added > 0, let source = frames.baseAddress else { return }
    provide(for: added)
    let from = source + skipping * channels
    let count = count
    left.withUnsafeMutableBufferPointer { left in
      guard let left = left.baseAddress else { return }
      if channels == 1 {
        (left + count).update(from: from, count: added)
        return
      }
      right.withUnsafeMutableBufferPointer { right in
        guard let right = right.baseAddress else { return }
        for index in 0..<added {
          left[count + index] = from[index * 2]
          right[count + index] = from[index * 2 + 1]
        }
      }
    }
    self.count = count + added
  }

  /// Appends `frames` of silence, as far as there is room.
  mutating func appendSilence(_ frames: Int64) {
    let added = Int(min(frames, room))
    guard added > 0 else { return }
    provide(for: added)
    for index in count..<(count + added) {
      left[index] = 0
      if channels == 2 { right[index] = 0 }
    }
    count += added
  }

  /// Free space in samples.
  var room: Int64 { Int64(DecodedAudio.capacity - past - count) }

  /// Gives the planes memory for so many more samples, at most `room`.
  private mutating func provide(for added: Int) {
    guard count + added > left.count else { return }
    let more = [Float](repeating: 0, count: min(DecodedAudio.capacity, max(2 * left.count, count + added)) - left.count)
    left += more
    if channels == 2 { right += more }
  }

  /// Releases samples well before `position`.
  mutating func discard(before position: Int64) {
    let drop = Int(min(max(0, position - Int64(DecodedAudio.margin) - start), Int64(count)))
    if past + drop > DecodedAudio.capacity / 2 {
      past = 0
    } else if drop > DecodedAudio.slack {
      past += drop
    } else {
      return
    }
    let rest = count - drop
    func shift(_ plane: inout [Float]) {
      plane.withUnsafeMutableBufferPointer { plane in
        guard let base = plane.baseAddress else { return }
        base.update(from: base + drop, count: rest)
      }
    }
    shift(&left)
    if channels == 2 { shift(&right) }
    start += Int64(drop)
    count = rest
  }

  /// Jumps to stream position `position`, with silence before it.
  mutating func restart(at position: Int64) {
    start = position - Int64(DecodedAudio.margin)
    count = 0
    past = 0
    appendSilence(Int64(DecodedAudio.margin))
  }

  /// Calls `body` with the planes.
  func withPlanes(_ body: (_ left: UnsafeBufferPointer<Float>, _ right: UnsafeBufferPointer<Float>) -> Void) {
    left.withUnsafeBufferPointer { left in
      right.withUnsafeBufferPointer { right in
        body(
          UnsafeBufferPointer(rebasing: left.prefix(count)), UnsafeBufferPointer(rebasing: right.prefix(count)))
      }
    }
  }
}

extension DecodedAudio: Codable {
  private enum CodingKeys: String, CodingKey {
    case channels, start, past, left, right
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    channels = try container.decode(Int.self, forKey: .channels) == 1 ? 1 : 2
    start = try container.decode(Int64.self, forKey: .start)
    left = try container.decode(Packed<Float>.self, forKey: .left).values
    right = try container.decode(Packed<Float>.self, forKey: .right).values
    count = left.count
    // Earlier checkpoints have these samples too.
    past = try container.decodeIfPresent(Int.self, forKey: .past) ?? 0
    guard (0...DecodedAudio.capacity / 2).contains(past), count <= DecodedAudio.capacity - past,
      right.count == (channels == 1 ? 0 : count)
    else {
      throw DecodingError.dataCorruptedError(
        forKey: .left, in: container,
        debugDescription: "\(left.count) and \(right.count) samples after \(past) do not fit")
    }
    provide(for: max(0, DecodedAudio.usual - count))
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(channels, forKey: .channels)
    try container.encode(start, forKey: .start)
    try container.encode(past, forKey: .past)
    try container.encode(Packed(Array(left.prefix(count))), forKey: .left)
    try container.encode(Packed(Array(right.prefix(count))), forKey: .right)
  }
}

/// A stretch of a stream for which nothing was decoded.
struct StreamHole: Hashable, Sendable, Codable {
  /// Its kind, as far as the stream itself can tell.
  enum Kind: Hashable, Sendable, Codable {
    /// Sequence numbers are missing.
    case loss
    /// RTP time advanced without packets.
    case stall
    /// A packet arrived but could not be decoded.
    case undecodable
    /// The stream has not yet reached its end.
    case open
  }

  /// Stream position of the first sample.
  var start: Int64
  /// In samples.
  var length: Int64
  var kind: Kind
  /// Samples of it filled by concealment.
  var concealed: Int64
}

/// The step from one packet of a stream to a later one.
struct SequenceStep: Hashable, Sendable {
  /// Sequence numbers between the two.
  var missing: Int64
  /// Samples between the end of the first and the start of the second, by RTP time.
  var room: Int64
  /// The shorter of the two, in samples.
  var shortest: Int64

  /// True if the missing numbers can have been packets, because RTP time leaves room for them. A sender that restarts
  /// its numbers, or counts packets it never sends, makes larger jumps.
  var isLoss: Bool {
    guard missing > 0, shortest > 0 else { return false }
    // Half a packet of tolerance: RTP times are not always exact.
    return missing <= (max(0, room) + shortest / 2) / shortest
  }
}
