import Machines
import NIOCore
import Recording
import Rooms
import Synchronization

/// Makes Opus packets of an AAC stream: ffmpeg as a child process decodes, libopus encodes.
///
/// Jamjar itself links no AAC decoder (decision 13). The frames go into ffmpeg as the FLV tags that they are; the samples
/// that come out are counted, so they keep their places whatever the pipe's delay is.
final class AACTranscoder: Sendable {
  private enum Step: Sendable {
    case tag([UInt8])
    case end
  }

  /// Without `nobuffer`: with it, ffmpeg forgets the frames that it looked at first.
  private static let arguments = [
    "-hide_banner", "-loglevel", "error", "-probesize", "32", "-analyzeduration", "0", "-f", "flv", "-i", "pipe:0",
    "-f", "f32le", "-ac", "2", "-ar", "48000", "-flush_packets", "1", "pipe:1",
  ]
  /// What ffmpeg's encoder, and most others, put before the first sample that they were given.
  static let usualPriming = 1_024
  private static let packetLength = 960
  /// At a rate at which the second encoding is not heard.
  private static let settings = OpusEncoder.Settings(channels: 2, bitrate: 256_000, complexity: 8)
  /// Tags that may wait for a decoder that does not read.
  private static let backlog = 512

  private let child: ChildPipes
  private let timeline: Mutex<AACTimeline>
  private let steps: AsyncStream<Step>
  private let queue: AsyncStream<Step>.Continuation

  /// - Parameters:
  ///   - rate: samples a second of the AAC stream, in Hz.
  ///   - priming: samples of that rate that the encoder put before the first that it was given; 0 where nobody knows.
  /// - Throws: `IOError` with `ENOENT` where ffmpeg is not installed.
  init(rate: Int, priming: Int) async throws {
    child = try await ChildPipes("ffmpeg", AACTranscoder.arguments)
    timeline = Mutex(AACTimeline(rate: rate, priming: priming))
    (steps, queue) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(AACTranscoder.backlog))
    queue.yield(.tag(FLVTag.header))
  }

  /// Takes the body of an audio message: the configuration, or a frame.
  ///
  /// - Parameter timestamp: in milliseconds.
  func take(_ body: [UInt8], isFrame: Bool, timestamp: Int64, arrival: MonotonicTime) {
    if isFrame { timeline.withLock { $0.add(timestamp: timestamp, arrival: arrival) } }
    queue.yield(.tag(FLVTag.audio(body, timestamp: timestamp)))
  }

  /// No more frames come; what is in the decoder still comes out.
  func finish() {
    queue.yield(.end)
    queue.finish()
  }

  /// Gives the packets to `body`, in order, until the stream is over.
  /// - Throws: `OpusFailure`, what `body` throws.
  func run(_ body: (AudioFeed.Packet) async throws -> Void) async throws {
    let result: Result<Void, any Error>
    do {
      try await child.stream.executeThenClose { inbound, outbound in
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask {
            for await step in self.steps {
              switch step {
              case .tag(let bytes): try await outbound.write(ByteBuffer(bytes: bytes))
              case .end: outbound.finish()
              }
            }
          }
          try await self.encode(inbound, body)
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

  private func encode(
    _ inbound: NIOAsyncChannelInboundStream<ByteBuffer>, _ body: (AudioFeed.Packet) async throws -> Void
  ) async throws {
    let encoder = try OpusEncoder(AACTranscoder.settings)
    var rest = ByteBuffer()
    var position: Int64 = 0
    let bytesPerPacket = AACTranscoder.packetLength * 2 * MemoryLayout<Float>.size
    for try await chunk in inbound {
      rest.writeImmutableBuffer(chunk)
      while let block = rest.readSlice(length: bytesPerPacket) {
        let opus = try encoder.encode(AACTranscoder.floats(block))
        if let (time, arrival) = timeline.withLock({ $0.place(of: position) }) {
          try await body(AudioFeed.Packet(opus: opus, timestamp: time, arrival: arrival))
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
