import CAVCodec
import Recording

/// AAC-LC at 48 kHz by libavcodec, for composed archives. For a process that does one job.
final class AACMixEncoder: MixEncoder {
  let configuration: [UInt8]? = AACEncoder.configuration
  let frameLength = Int(AACEncoder.frameLength)
  /// Of libavcodec's encoder: a frame.
  let delay = Int(AACEncoder.frameLength)
  let bitrate: UInt32 = 192_000
  private let encoder: OpaquePointer

  struct Failure: Error, CustomStringConvertible {
    var description: String { "the AAC encoder of libavcodec failed" }
  }

  /// Nil if libavcodec is not installed, or has no such encoder.
  init?() {
    guard jamjar_codec_load() == 0, let encoder = jamjar_encoder_open(2, Int32(clamping: bitrate)) else { return nil }
    self.encoder = encoder
  }

  deinit {
    jamjar_encoder_close(encoder)
  }

  func encode(_ samples: [Float]) throws -> [UInt8]? {
    let size = samples.withUnsafeBufferPointer {
      jamjar_encoder_encode(encoder, $0.baseAddress, Int32(clamping: $0.count / 2))
    }
    guard size >= 0 else { throw Failure() }
    guard size > 0 else { return nil }
    return Array(UnsafeBufferPointer(start: jamjar_encoder_frame(encoder), count: Int(size)))
  }

  /// Loads the library, which a confined process can no longer do.
  static func prepare() { _ = jamjar_codec_load() }

  /// The encoder of this machine: AAC, or Opus where there is no libavcodec.
  static func best() throws -> any MixEncoder { try AACMixEncoder() ?? OpusMixEncoder() }
}
