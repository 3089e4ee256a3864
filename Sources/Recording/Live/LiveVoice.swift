/// One uninterrupted playout of a source: its waiting packets, its decoder, and its position.
///
/// It begins and ends with a fade, so that a change of stream causes no click.
struct LiveVoice {
  /// Frames per fade: 10 ms.
  private static let fade: Float = 480
  /// Samples decoded before the first audible one, so that the decoder has settled: 80 ms (RFC 7845 section 4.6).
  private static let preroll = 3_840.0

  var store: PacketStore
  /// Start of the next block, in samples from the source's origin; nil until the first block is placed.
  private(set) var position: Double?
  private(set) var decoder: StreamDecoder?
  private(set) var decoded = 0
  private var gain: Float = 0
  /// True while it fades out before it ends.
  var isEnding = false

  /// Creates a voice that plays the packets of `store` and later ones.
  init(_ store: PacketStore = PacketStore()) {
    self.store = store
  }

  /// True once it is audible, so that it must not end abruptly.
  var isHeard: Bool { gain > 0 }

  /// True once it has faded out.
  var isOver: Bool { isEnding && gain <= 0 }

  /// The delay of a block mixed at `time` (seconds from the origin): the age of its last sample. Nil before the first
  /// block is placed.
  func delay(_ frames: Int, step: Double, at time: Double) -> Double? {
    position.map { time - ($0 + LiveVoice.reach(frames, step)) / SenderClock.rate }
  }

  /// Places the first block so that it has the playout delay `delay`, in seconds. While it `mayWait`, nothing is placed
  /// before that would leave out sound.
  mutating func place(_ frames: Int, step: Double, at time: Double, delay: Double, mayWait: Bool) {
    let start = (time - delay) * SenderClock.rate - LiveVoice.reach(frames, step)
    if mayWait, let first = store.first, start + Double(frames) * step < Double(first.timestamp) { return }
    position = start
  }

  /// From the start of a block to the last sample that the resampler reads.
  private static func reach(_ frames: Int, _ step: Double) -> Double {
    Double(frames) * step + Double(ResamplerKernel.after)
  }

  /// Writes the next `frames` as interleaved stereo; false if there is only silence.
  mutating func render(_ frames: Int, step: Double, into output: UnsafeMutableBufferPointer<Float>) -> Bool {
    guard let start = position else { return giveUp(output) }
    let next = start + Double(frames) * step
    let end = next + Double(ResamplerKernel.after)
    position = next
    guard prepare(upTo: end) else { return giveUp(output) }
    let before = store.count
    decoder?.fill(upTo: Int64(end) + 1, from: &store)
    decoded += before - store.count
    _ = decoder?.takeHoles()
    defer { decoder?.discard(before: Int64(next)) }
    // At the very beginning, the block may lie before the first sample.
    let first = Double(decoder?.audio.start ?? 0) + Double(ResamplerKernel.before)
    let missing = start >= first ? 0 : min(((first - start) / step).rounded(.up), Double(frames))
    let skipped = Int(missing)
    output.update(repeating: 0)
    guard skipped < frames else { return giveUp(output) }
    let piece = Placement.Piece(start: 0, position: start + missing * step, step: step)
    let rest = UnsafeMutableBufferPointer(rebasing: output.dropFirst(skipped * 2))
    guard decoder?.resample(piece, frames: frames - skipped, into: rest) == true else { return giveUp(output) }
    ramp(rest)
    return true
  }

  /// Creates the decoder once the first packet is due; false before that.
  private mutating func prepare(upTo end: Double) -> Bool {
    guard decoder == nil else { return true }
    while let first = store.first, first.opus == nil || Double(first.timestamp + first.duration) < end - Self.preroll {
      store.removeFirst()
    }
    guard let first = store.first, Double(first.timestamp) < end else { return false }
    decoder = try? StreamDecoder(channels: 2, sequence: first.sequence, position: first.timestamp)
    return decoder != nil
  }

  private mutating func giveUp(_ output: UnsafeMutableBufferPointer<Float>) -> Bool {
    output.update(repeating: 0)
    if isEnding { gain = 0 }
    return false
  }

  private mutating func ramp(_ samples: UnsafeMutableBufferPointer<Float>) {
    let goal: Float = isEnding ? 0 : 1
    guard gain != goal || isEnding else { return }
    var gain = gain
    for index in 0..<(samples.count / 2) {
      gain = isEnding ? max(0, gain - 1 / LiveVoice.fade) : min(1, gain + 1 / LiveVoice.fade)
      samples[index &* 2] *= gain
      samples[index &* 2 &+ 1] *= gain
    }
    self.gain = gain
  }
}
