import Machines
import NIOCore
import Recording
import Rooms
import Synchronization

/// Converts an AAC stream to Opus packets: ffmpeg as a child process decodes, libopus encodes.
///
/// Jamjar itself links no AAC decoder (decision 13). The frames go into ffmpeg as FLV tags. The output samples are
/// counted, so their places do not depend on the pipe's delay. Frames are read as fast as ffmpeg accepts them, so that
/// none is lost and only a pipe's worth is in flight.
final class AACTranscoder: Sendable {
  /// The body of an audio message: the configuration, or a frame.
  struct Message: Sendable {
    var body: [UInt8]
    var isFrame: Bool
    /// In milliseconds.
    var timestamp: Int64 = 0
    var arrival: StreamArrival
  }

  /// Without `nobuffer`: with it, ffmpeg drops the frames that it has probed.
  private static let arguments = [
    "-hide_banner", "-loglevel", "error", "-probesize", "32", "-analyzeduration", "0", "-f", "flv", "-i", "pipe:0",
    "-f", "f32le", "-ac", "2", "-ar", "48000", "-flush_packets", "1", "pipe:1",
  ]
  /// Priming samples that ffmpeg's encoder and most others put before the first input sample.
  static let usualPriming = 1_024
  private static let packetLength = 960
  /// Bit rate at which the second encoding is inaudible.
  private static let settings = OpusEncoder.Settings(channels: 2, bitrate: 256_000, complexity: 8)

  private let timeline: Mutex<AACTimeline>

  /// - Parameters:
  ///   - rate: samples a second of the AAC stream, in Hz.
  ///   - priming: samples at that rate that the encoder put before its first input sample; 0 if unknown.
  init(rate: Int, priming: Int) {
    timeline = Mutex(AACTimeline(rate: rate, priming: priming))
  }

  /// Decodes the frames from `feed`, and gives the packets to `body`, in order. All frames put before `feed` returns
  /// are decoded.
  /// - Throws: as `ChildPipes.run`, `OpusFailure`, and errors of `feed` and `body`.
  func run(
    _ feed: @escaping @Sendable (_ put: @Sendable (Message) async throws -> Void) async throws -> Void,
    _ body: (_ opus: [UInt8], _ timestamp: Int64, _ arrival: StreamArrival) async throws -> Void
  ) async throws {
    let encoder = try OpusEncoder(AACTranscoder.settings)
    var rest = ByteBuffer()
    var position: Int64 = 0
    let bytesPerPacket = AACTranscoder.packetLength * 2 * MemoryLayout<Float>.size
    try await ChildPipes.run("ffmpeg", AACTranscoder.arguments) { write in
      try await write(ByteBuffer(bytes: FLVTag.header))
      try await feed { message in
        if message.isFrame {
          self.timeline.withLock { $0.add(timestamp: message.timestamp, arrival: message.arrival) }
        }
        try await write(ByteBuffer(bytes: FLVTag.audio(message.body, timestamp: message.timestamp)))
      }
    } take: { chunk in
      rest.writeImmutableBuffer(chunk)
      while let block = rest.readSlice(length: bytesPerPacket) {
        let opus = try encoder.encode(AACTranscoder.floats(block))
        if let (time, arrival) = timeline.withLock({ $0.place(of: position) }) {
          try await body(opus, time, arrival)
        }
        position += Int64(AACTranscoder.packetLength)
      }
      rest.discardReadBytes()
    }
  }

  private static func floats(_ block: ByteBuffer) -> [Float] {
    var block = block
    var samples: [Float] = []
    samples.reserveCapacity(block.readableBytes / 4)
    while let bits = block.readInteger(endianness: .little, as: UInt32.self) { samples.append(Float(bitPattern: bits)) }
    return samples
  }
}

/// The container format behind RTMP's messages (Adobe FLV 10.1, annex E): a header, then tags.
enum FLVTag {
  /// Audio only, and the first back pointer.
  static let header: [UInt8] = Array("FLV".utf8) + [1, 0x04, 0, 0, 0, 9, 0, 0, 0, 0]
  private static let audioType: UInt8 = 8
  private static let headLength = 11

  /// The body of an audio message with an AudioSpecificConfig.
  static func configuration(_ bytes: [UInt8]) -> [UInt8] { [0xAF, 0] + bytes }

  /// The body of an audio message with one AAC frame.
  static func frame(_ bytes: [UInt8]) -> [UInt8] { [0xAF, 1] + bytes }

  /// An audio tag with its back pointer; `timestamp` in milliseconds, modulo 2^32.
  static func audio(_ body: [UInt8], timestamp: Int64) -> [UInt8] {
    let time = UInt32(truncatingIfNeeded: timestamp)
    var bytes: [UInt8] = [audioType]
    bytes.reserveCapacity(headLength + body.count + 4)
    append(UInt32(truncatingIfNeeded: body.count), 3, to: &bytes)
    append(time, 3, to: &bytes)
    bytes.append(UInt8(truncatingIfNeeded: time &>> 24))
    bytes += [0, 0, 0]
    bytes += body
    append(UInt32(truncatingIfNeeded: headLength + body.count), 4, to: &bytes)
    return bytes
  }

  private static func append(_ value: UInt32, _ count: UInt32, to bytes: inout [UInt8]) {
    for place in (0..<count).reversed() { bytes.append(UInt8(truncatingIfNeeded: value &>> (8 * place))) }
  }
}
