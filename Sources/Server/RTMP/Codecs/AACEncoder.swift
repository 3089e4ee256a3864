import NIOCore
import Recording
import Rooms

/// Converts Opus packets to AAC frames for older players: libopus decodes, a codec worker encodes.
struct AACEncoder {
  /// The AudioSpecificConfig of the output: AAC LC, 48 kHz, stereo.
  static let configuration: [UInt8] = [0x11, 0x90]
  /// Samples of each channel in a frame.
  static let frameLength: Int64 = 1_024
  private static let bitrate: UInt32 = 192_000
  /// Bytes of the longest frame: 6,144 bits for each channel (ISO 14496-3 section 4.5.3), and some for what is around.
  private static let longestFrame = 2_048
  /// Longest gap to fill with silence; a longer one means that the source restarted.
  private static let longestGap: Int64 = 48_000 * 10

  /// The service's own executable; nil encodes in this process.
  var program: String?

  /// Gives the frames of 1,024 samples at 48 kHz to `body`, in order, until the packets end.
  /// - Parameter onReady: called once the worker can encode.
  /// - Throws: `AudioTranscoder.Refusal`, `OpusFailure`, and as `ChildPipes.run`.
  func run(
    _ packets: AsyncStream<AudioTap.Packet>, onReady: () -> Void, _ body: ([UInt8]) -> Void
  ) async throws {
    var inbox = CodecInbox()
    try await ChildPipes.runCodec(program: program) { write in
      try await write(ByteBuffer(bytes: CodecMessage.encoder(bitsPerSecond: AACEncoder.bitrate).bytes))
      // The encoder gives out a frame when it has the next one. With one of silence before the sound, a player's first
      // frame comes a frame earlier.
      let silence = [Float](repeating: 0, count: 2 * Int(AACEncoder.frameLength))
      try await write(ByteBuffer(bytes: CodecMessage.samples(silence).bytes))
      try await decode(packets, to: write)
    } take: { chunk in
      inbox.append(chunk.readableBytesView)
      while let message = try inbox.next() {
        switch message {
        case .ready: onReady()
        case .frame(let frame) where frame.count <= AACEncoder.longestFrame: body(frame)
        case .refused(let reason): throw AudioTranscoder.Refusal(description: reason)
        default: throw CodecInbox.Nonsense()
        }
      }
    }
  }

  private func decode(_ packets: AsyncStream<AudioTap.Packet>, to write: ChildPipes.Write) async throws {
    let decoder = try OpusDecoder(channels: 2)
    var runIn = OpusRunIn()
    var block = [Float](repeating: 0, count: 2 * OpusPacket.longest)
    var position: Int64?
    for await packet in packets {
      var samples: [Float] = []
      let gap = packet.timestamp - (position ?? packet.timestamp)
      if gap > 0, gap < AACEncoder.longestGap { samples += [Float](repeating: 0, count: 2 * Int(gap)) }
      let frames = try? block.withUnsafeMutableBufferPointer { try decoder.decode(packet.opus[...], into: $0) }
      samples += block.prefix(2 * (frames ?? 0))
      position = packet.timestamp + Int64(frames ?? 0)
      try await write(ByteBuffer(bytes: CodecMessage.samples(runIn.heard(samples)).bytes))
    }
  }
}
