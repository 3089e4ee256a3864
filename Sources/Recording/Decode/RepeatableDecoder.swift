/// An Opus decoder that can be restored: libopus cannot store its state, but a new decoder that repeats the last
/// seconds has the same one.
///
/// What a decoder remembers usually fades within some frames (RFC 7845 section 4.6 asks for 80 ms). Long steady tones in
/// SILK are an exception, so it is tried out whenever the decoder is stored. Only the noise of later concealment and
/// comfort noise may differ, because it depends on everything since the decoder began.
struct RepeatableDecoder {
  /// One use of the decoder.
  private enum Step: Codable {
    case packet(PackedBytes)
    case previous(of: PackedBytes, frames: Int)
    case concealment(frames: Int)
  }

  /// Samples that are repeated: four seconds.
  private static let memory: Int64 = 192_000

  private let decoder: OpusDecoder
  private let remembers: Bool
  private var steps: [Step] = []
  /// Samples per channel of each.
  private var lengths: [Int] = []
  private var samples: Int64 = 0
  /// What the last step gave, interleaved.
  private var latest: [Float] = []

  /// - Parameters:
  ///   - isMute: decodes nothing (`OpusDecoder`).
  ///   - remembers: true if it will be part of checkpoints.
  /// - Throws: `OpusFailure` if libopus runs out of memory.
  init(channels: Int, isMute: Bool, remembers: Bool) throws(OpusFailure) {
    decoder = try OpusDecoder(channels: channels, isMute: isMute)
    self.remembers = remembers && !isMute
  }

  var channels: Int { decoder.channels }
  var isMute: Bool { decoder.isMute }

  /// As `OpusDecoder.decode`.
  mutating func decode(_ packet: ArraySlice<UInt8>, into output: UnsafeMutableBufferPointer<Float>) throws(OpusFailure)
    -> Int
  {
    let count = try decoder.decode(packet, into: output)
    if remembers { note(.packet(PackedBytes(wrappedValue: packet)), count, output) }
    return count
  }

  /// As `OpusDecoder.decodePrevious`.
  mutating func decodePrevious(
    from packet: ArraySlice<UInt8>, frames: Int, into output: UnsafeMutableBufferPointer<Float>
  ) throws(OpusFailure) -> Int {
    let count = try decoder.decodePrevious(from: packet, frames: frames, into: output)
    if remembers { note(.previous(of: PackedBytes(wrappedValue: packet), frames: frames), count, output) }
    return count
  }

  /// As `OpusDecoder.conceal`.
  mutating func conceal(frames: Int, into output: UnsafeMutableBufferPointer<Float>) throws(OpusFailure) -> Int {
    let count = try decoder.conceal(frames: frames, into: output)
    if remembers { note(.concealment(frames: frames), count, output) }
    return count
  }

  private mutating func note(_ step: Step, _ count: Int, _ output: UnsafeMutableBufferPointer<Float>) {
    latest.removeAll(keepingCapacity: true)
    latest.append(contentsOf: output.prefix(count * channels))
    steps.append(step)
    lengths.append(count)
    samples += Int64(count)
    // Dropped a second at a time: moving the rest then costs hardly anything per packet.
    guard samples > RepeatableDecoder.memory + RepeatableDecoder.memory / 4 else { return }
    let rest = firstKept
    samples -= lengths[..<rest].reduce(0) { $0 + Int64($1) }
    steps.removeFirst(rest)
    lengths.removeFirst(rest)
  }

  /// Index of the first of the steps that are repeated.
  private var firstKept: Int {
    var rest = samples
    var index = 0
    while index < lengths.count, rest - Int64(lengths[index]) >= RepeatableDecoder.memory {
      rest -= Int64(lengths[index])
      index += 1
    }
    return index
  }
}

extension RepeatableDecoder: Codable {
  private enum CodingKeys: String, CodingKey {
    case channels, steps, lengths
  }

  init(from source: any Decoder) throws {
    let container = try source.container(keyedBy: CodingKeys.self)
    try self.init(channels: container.decode(Int.self, forKey: .channels), isMute: false, remembers: true)
    steps = try container.decode([Step].self, forKey: .steps)
    lengths = try container.decode([Int].self, forKey: .lengths)
    guard steps.count == lengths.count, lengths.allSatisfy({ (0...OpusPacket.longest).contains($0) }) else {
      throw DecodingError.dataCorruptedError(
        forKey: .lengths, in: container, debugDescription: "they are not the lengths of the steps")
    }
    samples = lengths.reduce(0) { $0 + Int64($1) }
    latest = try RepeatableDecoder.repeating(steps[...], with: decoder)
  }

  /// - Throws: `EncodingError` if a decoder that repeats the last seconds would not be the same.

  func encode(to target: any Encoder) throws {
    let kept = steps[firstKept...]
    guard try RepeatableDecoder.repeating(kept, with: OpusDecoder(channels: channels, isMute: false)) == latest else {
      throw EncodingError.invalidValue(
        self, .init(codingPath: target.codingPath, debugDescription: "the decoder remembers more than is repeated"))
    }
    var container = target.container(keyedBy: CodingKeys.self)
    try container.encode(channels, forKey: .channels)
    try container.encode(Array(kept), forKey: .steps)
    try container.encode(Array(lengths[firstKept...]), forKey: .lengths)
  }

  /// Returns what the last of `steps` gives.
  private static func repeating(_ steps: ArraySlice<Step>, with decoder: OpusDecoder) throws -> [Float] {
    var scratch = [Float](repeating: 0, count: OpusPacket.longest * decoder.channels)
    var count = 0
    try scratch.withUnsafeMutableBufferPointer { scratch in
      for step in steps {
        switch step {
        case .packet(let packet): count = try decoder.decode(packet.wrappedValue, into: scratch)
        case .previous(let packet, let frames):
          count = try decoder.decodePrevious(from: packet.wrappedValue, frames: frames, into: scratch)
        case .concealment(let frames): count = try decoder.conceal(frames: frames, into: scratch)
        }
      }
    }
    return Array(scratch.prefix(count * decoder.channels))
  }
}
