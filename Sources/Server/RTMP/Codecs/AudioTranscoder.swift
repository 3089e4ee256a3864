import Machines
import NIOCore
import Recording
import Signaling
import Synchronization

/// Converts a stream of AAC, MP3, FLAC or AC-3 to Opus packets: a codec worker decodes frame by frame, libopus encodes.
///
/// Every frame has exactly one answer, so each undecodable or lost one is known and keeps its time. Frames are read as
/// fast as the worker accepts them, so that none is dropped and only a pipe's worth is in flight.
final class AudioTranscoder: Sendable {
  /// A frame that arrived.
  struct Frame: Sendable {
    var bytes: [UInt8]
    /// In milliseconds.
    var timestamp: Int64
    var arrival: StreamArrival
  }

  /// An Opus packet for the room.
  struct Packet: Sendable {
    var opus: [UInt8]
    /// Time of the first sample, in samples at 48 kHz.
    var timestamp: Int64
    /// When a sender by RTP would have sent it: at the end of its sound.
    var arrival: StreamArrival
    /// Packets missing before it.
    var missing: Int
    var isStereo: Bool
  }

  /// What happened to the frames.
  struct Counts: Hashable, Sendable {
    var decoded = 0
    var undecodable = 0
    var lost = 0
    /// Workers that ended before their stream.
    var restarts = 0
    /// Channels of the stream before it was mixed down.
    var channels = 0
  }

  /// The worker refuses the stream, with a sentence for its sender.
  struct Refusal: Error, CustomStringConvertible {
    var description: String
  }

  /// Workers that a stream may lose within ten minutes of sound each; a stream that ends every worker would never end by
  /// itself.
  static let mostRestarts = 5
  /// Frames that wait for the worker beside its pipe.
  private static let waiting = 4
  /// Bit rates at which the second encoding is inaudible, for one channel and for two.
  private static let bitrates = (mono: 160_000, stereo: 256_000)

  private let codec: StreamCodec
  private let configuration: [UInt8]
  private let program: String?
  private let flow: Mutex<FrameFlow>

  /// - Parameters:
  ///   - configuration: of the decoder; empty if the codec has none.
  ///   - program: the service's own executable; nil decodes in this process.
  init(_ codec: StreamCodec, configuration: [UInt8] = [], program: String?) {
    self.codec = codec
    self.configuration = configuration
    self.program = program
    flow = Mutex(FrameFlow(codec, configuration))
  }

  var counts: Counts { flow.withLock { $0.counts } }

  /// Decodes the frames from `feed`, and gives the packets to `body`, in order. All frames put before `feed` returns are
  /// decoded. A worker that is lost is replaced; the frames that it had are a gap.
  /// - Throws: `Refusal`, `ChildFailure` if too many workers were lost, `OpusFailure`, and errors of `feed` and `body`.
  func run(
    _ feed: @escaping @Sendable (_ put: @Sendable (Frame) async throws -> Void) async throws -> Void,
    _ body: (Packet) async throws -> Void
  ) async throws {
    let frames = Handover<Frame>(capacity: AudioTranscoder.waiting)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        defer { frames.finish() }
        try await feed { try await frames.give($0) }
      }
      defer { group.cancelAll() }
      var encoder: Encoder?
      while true {
        do {
          try await convert(frames, &encoder, body)
          break
        } catch let failure as ChildFailure {
          try Task.checkCancellation()
          guard flow.withLock({ $0.restart() }) else { throw failure }
        }
      }
      // Its error, if it has one.
      _ = try await group.next()
    }
  }

  private func convert(
    _ frames: Handover<Frame>, _ encoder: inout Encoder?, _ body: (Packet) async throws -> Void
  ) async throws {
    var inbox = CodecInbox()
    let first = CodecMessage.decoder(codec, configuration: configuration)
    try await ChildPipes.runCodec(program: program) { write in
      try await write(ByteBuffer(bytes: first.bytes))
      while let frame = await frames.take() {
        for message in self.flow.withLock({ $0.add(frame) }) { try await write(ByteBuffer(bytes: message.bytes)) }
      }
      for message in self.flow.withLock({ $0.finish() }) { try await write(ByteBuffer(bytes: message.bytes)) }
    } take: { chunk in
      inbox.append(chunk.readableBytesView)
      while let message = try inbox.next() {
        for (block, arrival) in try self.flow.withLock({ try $0.sound(from: message) }) {
          let encoding = try encoder ?? Encoder(channels: self.flow.withLock { $0.channels })
          encoder = encoding
          try await body(encoding.packet(block, arrival))
        }
      }
    }
    for (block, arrival) in flow.withLock({ $0.rest() }) {
      if let encoder { try await body(encoder.packet(block, arrival)) }
    }
  }

  /// The second encoding.
  private struct Encoder {
    private let opus: OpusEncoder

    init(channels: Int) throws(OpusFailure) {
      let bitrate = channels == 1 ? AudioTranscoder.bitrates.mono : AudioTranscoder.bitrates.stereo
      opus = try OpusEncoder(OpusEncoder.Settings(channels: channels, bitrate: bitrate, complexity: 8))
    }

    func packet(_ block: PacketCutter.Block, _ arrival: StreamArrival) throws(OpusFailure) -> Packet {
      Packet(
        opus: try opus.encode(block.samples), timestamp: block.time, arrival: arrival, missing: block.missing,
        isStereo: opus.channels == 2)
    }
  }
}
