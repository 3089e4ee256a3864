import COpus

/// libopus' decoder at 48 kHz, into interleaved floats.
///
/// The only place that touches a decoder's pointer.
package final class OpusDecoder {
  /// Nil where nothing is decoded.
  private let state: OpaquePointer?
  /// 1 or 2; libopus folds stereo packets down and doubles mono ones.
  let channels: Int

  /// - Parameter isMute: packets give as much silence as they give sound, and cost next to nothing.
  /// - Throws: `OpusFailure` when libopus has no memory.
  package init(channels: Int, isMute: Bool = false) throws(OpusFailure) {
    var code: Int32 = 0
    let channels = channels == 1 ? 1 : 2
    guard !isMute else {
      (state, self.channels) = (nil, channels)
      return
    }
    guard let state = opus_decoder_create(48_000, Int32(channels), &code), code == OPUS_OK else {
      throw OpusFailure(code: code, operation: "make a decoder with \(channels) channels")
    }
    self.state = state
    self.channels = channels
  }

  deinit {
    if let state { opus_decoder_destroy(state) }
  }

  var isMute: Bool { state == nil }

  /// Decodes `packet` into `output`; returns the samples per channel.
  /// - Throws: `OpusFailure` when the packet is damaged.
  package func decode(_ packet: ArraySlice<UInt8>, into output: UnsafeMutableBufferPointer<Float>) throws(OpusFailure)
    -> Int
  {
    try run(packet, frames: output.count / channels, redundant: false, into: output, "decode a packet")
  }

  /// Decodes the copy of the frame *before* `packet` that its in-band FEC carries, `frames` samples per channel long.
  /// - Throws: `OpusFailure` when the packet is damaged.
  func decodePrevious(
    from packet: ArraySlice<UInt8>, frames: Int, into output: UnsafeMutableBufferPointer<Float>
  ) throws(OpusFailure) -> Int {
    try run(packet, frames: frames, redundant: true, into: output, "decode in-band FEC")
  }

  /// Makes up `frames` samples per channel (a multiple of 120) from what came before.
  /// - Throws: `OpusFailure` when libopus cannot, which only a wrong length causes.
  func conceal(frames: Int, into output: UnsafeMutableBufferPointer<Float>) throws(OpusFailure) -> Int {
    guard output.count >= frames * channels, let out = output.baseAddress else { return 0 }
    guard let state else { return silence(frames, into: output) }
    let count = opus_decode_float(state, nil, 0, out, Int32(clamping: frames), 0)
    guard count >= 0 else { throw OpusFailure(code: count, operation: "conceal \(frames) samples") }
    return Int(count)
  }

  /// Forgets what came before.
  func reset() {
    if let state { _ = copus_decoder_reset(state) }
  }

  private func run(
    _ packet: ArraySlice<UInt8>, frames: Int, redundant: Bool, into output: UnsafeMutableBufferPointer<Float>,
    _ operation: String
  ) throws(OpusFailure) -> Int {
    guard let out = output.baseAddress, output.count >= frames * channels else {
      throw OpusFailure(code: OPUS_BUFFER_TOO_SMALL, operation: operation)
    }
    guard let state else {
      guard let opus = OpusPacket(packet.span) else {
        throw OpusFailure(code: OPUS_INVALID_PACKET, operation: operation)
      }
      return silence(min(frames, redundant ? frames : opus.duration), into: output)
    }
    let count = packet.withUnsafeBufferPointer { bytes -> Int32 in
      // An empty packet would mean "lost" to libopus.
      guard let base = bytes.baseAddress, !bytes.isEmpty else { return OPUS_INVALID_PACKET }
      return opus_decode_float(
        state, base, Int32(clamping: bytes.count), out, Int32(clamping: frames), redundant ? 1 : 0)
    }
    guard count >= 0 else { throw OpusFailure(code: count, operation: operation) }
    return Int(count)
  }

  private func silence(_ frames: Int, into output: UnsafeMutableBufferPointer<Float>) -> Int {
    UnsafeMutableBufferPointer(rebasing: output.prefix(frames * channels)).update(repeating: 0)
    return frames
  }
}

/// What libopus said no to.
package struct OpusFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The error code of libopus, negative.
  package var code: Int32
  /// What was being done.
  package var operation: String

  package var description: String {
    let reason = opus_strerror(code).map { String(cString: $0) } ?? "unknown"
    return "libopus could not \(operation): \(reason) (\(code))"
  }
}
