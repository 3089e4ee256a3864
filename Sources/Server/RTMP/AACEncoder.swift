import NIOCore
import Recording
import Rooms

/// Converts Opus packets to AAC frames for older players: libopus decodes, ffmpeg as a child process encodes.
struct AACEncoder {
  /// The AudioSpecificConfig of the output: AAC LC, 48 kHz, stereo.
  static let configuration: [UInt8] = [0x11, 0x90]
  private static let arguments = [
    "-hide_banner", "-loglevel", "error", "-f", "f32le", "-ar", "48000", "-ac", "2", "-i", "pipe:0", "-c:a", "aac",
    "-b:a", "192k", "-f", "adts", "-flush_packets", "1", "pipe:1",
  ]
  /// Longest gap to fill with silence; a longer one means that the source restarted.
  private static let longestGap: Int64 = 48_000 * 10

  /// Gives the frames of 1,024 samples at 48 kHz to `body`, in order, until the packets end.
  /// - Throws: as `ChildPipes.run`, `OpusFailure`.
  func run(_ packets: AsyncStream<AudioTap.Packet>, _ body: ([UInt8]) -> Void) async throws {
    var reader = ADTSReader()
    try await ChildPipes.run("ffmpeg", AACEncoder.arguments) { write in
      try await decode(packets, to: write)
    } take: { chunk in
      reader.append(chunk.readableBytesView)
      while let frame = reader.next() { body(frame) }
    }
  }

  private func decode(_ packets: AsyncStream<AudioTap.Packet>, to write: ChildPipes.Write) async throws {
    let decoder = try OpusDecoder(channels: 2)
    var block = [Float](repeating: 0, count: 2 * OpusPacket.longest)
    var position: Int64 = 0
    for await packet in packets {
      var buffer = ByteBuffer()
      let gap = packet.timestamp - position
      if gap > 0, gap < AACEncoder.longestGap { buffer.writeRepeatingByte(0, count: Int(gap) * 8) }
      let frames = try? block.withUnsafeMutableBufferPointer { try decoder.decode(packet.opus[...], into: $0) }
      // One copy instead of one call per sample: many players share few threads. Swift runs on little-endian machines.
      block.withUnsafeBytes { _ = buffer.writeBytes($0.prefix(8 * (frames ?? 0))) }
      position = packet.timestamp + Int64(frames ?? 0)
      try await write(buffer)
    }
  }
}

/// Cuts an ADTS stream (ISO 13818-7 section 6.2) into its raw AAC frames.
struct ADTSReader {
  private var rest: [UInt8] = []

  private static let headLength = 7
  /// The header's length with a checksum.
  private static let guardedHeadLength = 9

  mutating func append(_ bytes: some Sequence<UInt8>) { rest += bytes }

  /// The next whole frame without its header; nil if more bytes are needed.
  mutating func next() -> [UInt8]? {
    while rest.count >= ADTSReader.headLength {
      guard rest[0] == 0xFF, rest[1] & 0xF6 == 0xF0 else {
        rest.removeFirst()
        continue
      }
      let length = Int(rest[3] & 3) << 11 | Int(rest[4]) << 3 | Int(rest[5]) >> 5
      let head = rest[1] & 1 == 1 ? ADTSReader.headLength : ADTSReader.guardedHeadLength
      guard length > head else {
        rest.removeFirst()
        continue
      }
      guard rest.count >= length else { return nil }
      defer { rest.removeFirst(length) }
      return Array(rest[head..<length])
    }
    return nil
  }
}
