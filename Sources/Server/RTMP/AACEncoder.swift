import NIOCore
import Recording
import Rooms

/// Makes AAC frames of Opus packets, for players that know nothing newer: libopus decodes, ffmpeg as a child encodes.
struct AACEncoder {
  /// The AudioSpecificConfig of what is made: AAC LC, 48 kHz, stereo.
  static let configuration: [UInt8] = [0x11, 0x90]
  private static let arguments = [
    "-hide_banner", "-loglevel", "error", "-f", "f32le", "-ar", "48000", "-ac", "2", "-i", "pipe:0", "-c:a", "aac",
    "-b:a", "192k", "-f", "adts", "-flush_packets", "1", "pipe:1",
  ]
  /// A gap that is filled with silence; beyond, the source began anew.
  private static let longestGap: Int64 = 48_000 * 10

  private let child: ChildPipes

  /// - Throws: `IOError` with `ENOENT` where ffmpeg is not installed.
  init() async throws {
    child = try await ChildPipes("ffmpeg", AACEncoder.arguments)
  }

  /// Gives the frames of 1,024 samples at 48 kHz to `body`, in order, until the packets end.
  /// - Throws: `OpusFailure`.
  func run(_ packets: AsyncStream<AudioTap.Packet>, _ body: @escaping @Sendable ([UInt8]) -> Void) async throws {
    let result: Result<Void, any Error>
    do {
      try await child.stream.executeThenClose { inbound, outbound in
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask {
            try await decode(packets, to: outbound)
            outbound.finish()
          }
          var reader = ADTSReader()
          for try await chunk in inbound {
            reader.append(chunk.readableBytesView)
            while let frame = reader.next() { body(frame) }
          }
          group.cancelAll()
        }
      }
      result = .success(())
    } catch {
      result = .failure(error)
    }
    await child.end()
    try result.get()
  }

  private func decode(
    _ packets: AsyncStream<AudioTap.Packet>, to outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
  ) async throws {
    let decoder = try OpusDecoder(channels: 2)
    var block = [Float](repeating: 0, count: 2 * OpusPacket.longest)
    var position: Int64 = 0
    for await packet in packets {
      var buffer = ByteBuffer()
      let gap = packet.timestamp - position
      if gap > 0, gap < AACEncoder.longestGap { buffer.writeRepeatingByte(0, count: Int(gap) * 8) }
      let frames = try? block.withUnsafeMutableBufferPointer { try decoder.decode(packet.opus[...], into: $0) }
      for sample in block.prefix(2 * (frames ?? 0)) {
        buffer.writeInteger(sample.bitPattern, endianness: .little)
      }
      position = packet.timestamp + Int64(frames ?? 0)
      try await outbound.write(buffer)
    }
  }
}
