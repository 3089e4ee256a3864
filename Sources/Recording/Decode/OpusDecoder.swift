import COpus

/// libopus' decoder, with interleaved floats as output.
///
/// Only this class touches a decoder's pointer.
///
/// ```swift
/// let decoder = try OpusDecoder(channels: 2)
/// let samples = try decoder.decode(packet, into: buffer)  // per channel
/// ```
package final class OpusDecoder {
  /// Nil if nothing is decoded.
  private let state: OpaquePointer?
  /// 1 or 2; libopus downmixes stereo packets and duplicates mono ones.
  let channels: Int

  /// - Parameters:
  ///   - rate: samples a second: 48,000, 24,000, 16,000, 12,000 or 8,000.
  ///   - isMute: produces silence of each packet's length at 48 kHz, at almost no cost.
  /// - Throws: `OpusFailure` if libopus runs out of memory, or has no such rate.
  package init(channels: Int, rate: Int = 48_000, isMute: Bool = false) throws(OpusFailure) {
    var code: Int32 = 0
    let channels = channels == 1 ? 1 : 2
    guard !isMute else {
      (state, self.channels) = (nil, channels)
      return
    }
    guard let state = opus_decoder_create(Int32(clamping: rate), Int32(channels), &code), code == OPUS_OK else {
      throw OpusFailure(code: code, operation: "create a decoder with \(channels) channels")
    }
    self.state = state
    self.channels = channels
  }

  deinit {
    if let state { opus_decoder_destroy(state) }
  }

  var isMute: Bool { state == nil }

  /// Decodes `packet` into `output` and returns the number of samples per channel.
  /// - Throws: `OpusFailure` if the packet is damaged.
  package func decode(_ packet: ArraySlice<UInt8>, into output: UnsafeMutableBufferPointer<Float>) throws(OpusFailure)
    -> Int
  {
    try run(packet, frames: output.count / channels, redundant: false, into: output, "decode a packet")
  }

  /// Decodes the copy of the frame *before* `packet` from its in-band FEC, `frames` samples per channel.
  /// - Throws: `OpusFailure` if the packet is damaged.
  func decodePrevious(
    from packet: ArraySlice<UInt8>, frames: Int, into output: UnsafeMutableBufferPointer<Float>
  ) throws(OpusFailure) -> Int {
    try run(packet, frames: frames, redundant: true, into: output, "decode in-band FEC")
  }

  /// Conceals `frames` samples per channel (a multiple of 120) from the audio decoded before.
  /// - Throws: `OpusFailure` if libopus refuses, which only a wrong length causes.
  func conceal(frames: Int, into output: UnsafeMutableBufferPointer<Float>) throws(OpusFailure) -> Int {
    guard output.count >= frames * channels, let out = output.baseAddress else { return 0 }
    guard let state else { return silence(frames, into: output) }
    let count = opus_decode_float(state, nil, 0, out, Int32(clamping: frames), 0)
    guard count >= 0 else { throw OpusFailure(code: count, operation: "conceal \(frames) samples") }
    return Int(count)
  }

  /// Resets the decoder's state.
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
      // libopus would take an empty packet as a lost one.
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

/// An error returned by libopus.
package struct OpusFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The error code of libopus, negative.
  package var code: Int32
  /// The operation that failed.
  package var operation: String

  package var description: String {
    let reason = opus_strerror(code).map { String(cString: $0) } ?? "unknown"
    return "libopus could not \(operation): \(reason) (\(code))"
  }
}
