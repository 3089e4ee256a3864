/// A sliding stretch of decoded audio, one plane per channel, addressed by stream position; silence before its start.
struct DecodedAudio: Sendable {
  /// Samples per plane: the longest packet, a block, the filter, and room to move the rest to the front only now and
  /// then.
  private static let capacity = 16_384
  /// Samples that stay available behind `discard(before:)`'s position.
  private static let margin = 64

  let channels: Int
  /// Stream position of the planes' first sample.
  private(set) var start: Int64
  private var count = 0
  private var left: [Float]
  private var right: [Float]

  /// Begins at stream position `position`, with silence before it.
  init(channels: Int, at position: Int64) {
    self.channels = channels == 1 ? 1 : 2
    start = position - Int64(DecodedAudio.margin)
    left = [Float](repeating: 0, count: DecodedAudio.capacity)
    right = channels == 1 ? [] : left
    count = DecodedAudio.margin
  }

  /// Stream position behind the last sample.
  var end: Int64 { start + Int64(count) }

  /// Appends interleaved frames, leaving out the first `skipping` of them.
  mutating func append(_ frames: UnsafeBufferPointer<Float>, skipping: Int = 0) {
    let total = frames.count / channels
    let added = min(total - min(skipping, total), DecodedAudio.capacity - count)
    guard added > 0, let source = frames.baseAddress else { return }
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
    let added = Int(min(frames, Int64(DecodedAudio.capacity - count)))
    guard added > 0 else { return }
    for index in count..<(count + added) {
      left[index] = 0
      if channels == 2 { right[index] = 0 }
    }
    count += added
  }

  /// Free room in samples.
  var room: Int64 { Int64(DecodedAudio.capacity - count) }

  /// Lets go of what lies well before `position`.
  mutating func discard(before position: Int64) {
    let drop = Int(min(max(0, position - Int64(DecodedAudio.margin) - start), Int64(count)))
    // Moving costs as much as what stays; waiting until half is free keeps that below one copy per sample.
    guard drop > DecodedAudio.capacity / 2 else { return }
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

  /// Jumps to stream position `position`, all silence before it.
  mutating func restart(at position: Int64) {
    start = position - Int64(DecodedAudio.margin)
    count = 0
    appendSilence(Int64(DecodedAudio.margin))
  }

  /// Reads the planes.
  func withPlanes(_ body: (_ left: UnsafeBufferPointer<Float>, _ right: UnsafeBufferPointer<Float>) -> Void) {
    left.withUnsafeBufferPointer { left in
      right.withUnsafeBufferPointer { right in
        body(
          UnsafeBufferPointer(rebasing: left.prefix(count)), UnsafeBufferPointer(rebasing: right.prefix(count)))
      }
    }
  }
}

/// A stretch of a stream for which nothing was decoded.
struct StreamHole: Hashable, Sendable {
  /// What it is, as far as the stream itself can tell.
  enum Kind: Hashable, Sendable {
    /// Sequence numbers are missing.
    case loss
    /// RTP time ran on without packets.
    case stall
    /// A packet was there and could not be decoded.
    case undecodable
    /// The stream has not gone on so far.
    case open
  }

  /// Stream position of its first sample.
  var start: Int64
  /// In samples.
  var length: Int64
  var kind: Kind
  /// Samples of it that concealment made.
  var concealed: Int64
}

/// From one packet of a stream to a later one.
struct SequenceStep: Hashable, Sendable {
  /// Numbers between the two.
  var missing: Int64
  /// Samples between the end of the one and the beginning of the other, by RTP time.
  var room: Int64
  /// The shorter of the two, in samples.
  var shortest: Int64

  /// True where the missing numbers can have been packets: there is room for them in RTP time. A sender that restarts its
  /// numbers, or counts what it sends nobody, jumps over more.
  var isLoss: Bool {
    guard missing > 0, shortest > 0 else { return false }
    // Half a packet of grace: not everybody's RTP time is exact.
    return missing <= (max(0, room) + shortest / 2) / shortest
  }
}
