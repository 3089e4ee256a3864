import Recording

/// Cuts decoded sound into the blocks of Opus packets. A packet before a gap is shorter, and the one after it begins
/// exactly at its end, so no good sample is lost or moved.
struct PacketCutter {
  struct Block: Hashable {
    /// Time of its first sample, in samples at 48 kHz.
    var time: Int64
    /// Interleaved; of a length that Opus has.
    var samples: [Float]
    /// Samples of each channel that came from the stream; silence follows them.
    var count: Int
    /// Packets of the usual length that are missing before it; at least 1 if anything is.
    var missing: Int
  }

  /// Samples of a usual packet: 20 ms.
  static let length: Int64 = 960
  /// Lengths that Opus has up to it (RFC 6716 section 2.1.4).
  private static let lengths: [Int64] = [120, 240, 480, 960]
  /// Deviation that is rounding, in samples.
  private static let rounding: Int64 = 2

  let channels: Int
  private var pending: [Float] = []
  /// Time of the first sample in `pending`.
  private var start: Int64?
  /// End of the last block.
  private var end: Int64?

  init(channels: Int) {
    self.channels = max(1, channels)
  }

  /// The time expected next.
  private var next: Int64? { start.map { $0 &+ Int64(pending.count / channels) } }

  /// Adds sound whose first sample has the time `time`; sound before what was added is left out.
  mutating func add(_ samples: [Float], at time: Int64) -> [Block] {
    var blocks: [Block] = []
    var samples = samples[...]
    if let next {
      let step = time &- next
      if step > PacketCutter.rounding {
        blocks = flush(before: time)
        start = time
      } else if step < -PacketCutter.rounding {
        // In range: at most as many as there are.
        let known = min(Int(clamping: step.magnitude), samples.count / channels)
        samples = samples.dropFirst(known * channels)
      }
    } else {
      start = time
    }
    pending += samples
    let size = Int(PacketCutter.length) * channels
    while pending.count >= size, let time = start {
      blocks.append(block(Array(pending.prefix(size)), at: time, count: Int(PacketCutter.length)))
      pending.removeFirst(size)
      start = time &+ PacketCutter.length
    }
    return blocks
  }

  /// What is left at the end of the stream.
  mutating func finish() -> [Block] { flush(before: .max) }

  /// The rest as a shorter packet; silence fills it up into the gap, which ends at `limit`.
  private mutating func flush(before limit: Int64) -> [Block] {
    defer { pending = [] }
    guard let time = start, !pending.isEmpty else { return [] }
    let count = Int64(pending.count / channels)
    guard let length = PacketCutter.lengths.first(where: { $0 >= count }) else { return [] }
    // A gap shorter than the filling: the packets overlap by less than 10 ms, and the earlier one counts.
    let samples = pending + [Float](repeating: 0, count: (Int(length) - Int(count)) * channels)
    return [block(samples, at: time, count: Int(count))]
  }

  private mutating func block(_ samples: [Float], at time: Int64, count: Int) -> Block {
    let gap = end.map { time &- $0 } ?? 0
    end = time &+ Int64(samples.count / channels)
    return Block(
      time: time, samples: samples, count: count,
      missing: gap > 0 ? max(1, Int(clamping: gap / PacketCutter.length)) : 0)
  }
}
