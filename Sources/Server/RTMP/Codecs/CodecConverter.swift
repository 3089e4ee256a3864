import CAVCodec

/// The decoder or encoder of a codec worker: every message to it has its answers.
struct CodecConverter: ~Copyable {
  /// Most lost frames at once, so that the answer fits into a message.
  static let mostLost: UInt32 = 100

  private var decoder: OpaquePointer?
  private var encoder: OpaquePointer?
  private var codec: StreamCodec?

  deinit {
    jamjar_decoder_close(decoder)
    jamjar_encoder_close(encoder)
  }

  mutating func answers(to message: CodecMessage) -> [CodecMessage] {
    switch message {
    case .decoder(let codec, let configuration): return [open(codec, configuration)]
    case .encoder(let rate):
      guard decoder == nil, encoder == nil else { return [.refused("a codec worker has one stream")] }
      guard jamjar_codec_load() == 0 else { return [CodecConverter.missing("AAC")] }
      encoder = jamjar_encoder_open(2, Int32(clamping: rate))
      return encoder == nil ? [.refused("libavcodec has no encoder for AAC")] : [.ready]
    case .frame(let bytes):
      guard let decoder else { return [.refused("a frame came before its configuration")] }
      return [sound(jamjar_decoder_decode(decoder, bytes, bytes.count), .decoded)]
    case .lost(let count):
      guard let decoder else { return [.refused("a loss came before its configuration")] }
      return [sound(jamjar_decoder_lose(decoder, Int32(min(count, CodecConverter.mostLost))), .lost)]
    case .samples(let samples): return encode(samples)
    case .ready, .refused, .sound: return [.refused("that message goes the other way")]
    }
  }

  /// What is left at the end of a decoded stream.
  func rest() -> CodecMessage? {
    guard let decoder, jamjar_decoder_channels(decoder) > 0 else { return nil }
    return sound(jamjar_decoder_finish(decoder), .rest)
  }

  private mutating func open(_ codec: StreamCodec, _ configuration: [UInt8]) -> CodecMessage {
    guard decoder == nil, encoder == nil else { return .refused("a codec worker has one stream") }
    guard jamjar_codec_load() == 0 else { return CodecConverter.missing(codec.name) }
    self.codec = codec
    decoder = jamjar_decoder_open(codec.identifier, configuration, configuration.count)
    return decoder == nil
      ? .refused("the configuration of the \(codec.name) stream is not one that can be decoded; send AAC-LC or Opus")
      : .ready
  }

  private func sound(_ code: Int32, _ kind: CodecMessage.Sound.Kind) -> CodecMessage {
    guard let decoder else { return .refused("there is no decoder") }
    let name = codec?.name ?? "the stream"
    if code == Int32(jamjar_unknown_layout) {
      return .refused("\(name) whose channels have no known loudspeakers cannot be mixed down; send mono or stereo")
    }
    guard code == 0 || code == Int32(jamjar_undecodable) else {
      return .refused("there is not enough memory to decode \(name)")
    }
    let channels = Int(jamjar_decoder_channels(decoder))
    let count = channels * Int(jamjar_decoder_count(decoder))
    let samples = UnsafeBufferPointer(start: jamjar_decoder_samples(decoder), count: count > 0 ? count : 0)
    return .sound(
      CodecMessage.Sound(
        kind: code == 0 ? kind : .undecodable, channels: UInt8(clamping: channels),
        ownChannels: UInt8(clamping: jamjar_decoder_own_channels(decoder)),
        frameLength: UInt32(clamping: jamjar_decoder_frame_length(decoder)),
        rate: UInt32(clamping: jamjar_decoder_rate(decoder)), samples: Array(samples)))
  }

  private func encode(_ samples: [Float]) -> [CodecMessage] {
    guard let encoder else { return [.refused("samples came before their encoder")] }
    var answers: [CodecMessage] = []
    // Stereo, at most a frame at once: each piece completes one frame at most.
    for start in stride(from: 0, to: samples.count, by: 2 * CodecConverter.piece) {
      let piece = samples[start..<min(samples.count, start + 2 * CodecConverter.piece)]
      let size = piece.withUnsafeBufferPointer {
        jamjar_encoder_encode(encoder, $0.baseAddress, Int32(clamping: $0.count / 2))
      }
      guard size >= 0 else { return answers + [.refused("the AAC encoder of libavcodec failed")] }
      guard size > 0 else { continue }
      answers.append(.frame(Array(UnsafeBufferPointer(start: jamjar_encoder_frame(encoder), count: Int(size)))))
    }
    return answers
  }

  /// Samples of each channel that are encoded at once.
  private static let piece = 1_024

  private static func missing(_ codec: String) -> CodecMessage {
    .refused(
      "\(codec) needs libavcodec.so.\(jamjar_codec_version()) and libswresample.so.\(jamjar_resampler_version()) on the "
        + "server, and they are not installed; use Opus")
  }
}
