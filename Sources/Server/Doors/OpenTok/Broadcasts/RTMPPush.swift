import Logging
import Machines
import NIOCore
import NIOPosix
import NIOSSL
import Recording
import Rooms
import Signaling
import Synchronization

/// Pushes AAC frames to one RTMP server of others, and connects again when it is lost.
///
/// Nothing waits for the server: frames that it does not take in time are left out.
final class RTMPPush: Sendable {
  private typealias Stream = NIOAsyncChannel<ByteBuffer, ByteBuffer>

  private enum Step: Sendable {
    case bytes([UInt8])
    case frame(TimedFrame)
    case tick
    case end
  }

  /// How a connection ended.
  private enum End {
    case lost(String, wasLive: Bool)
    case refused(String)
    /// By us.
    case finished
  }

  private struct State {
    var queue: AsyncStream<Step>.Continuation?
    /// Frames that wait for the connection.
    var waiting = 0
    var isEnding = false
  }

  /// Frames that may wait for the server: five seconds.
  private static let mostWaiting = 256
  /// Bytes of the server's that may wait for us.
  private static let inbound = 65_536
  /// Connections one after the other that bring nothing.
  private static let mostFailures = 10
  private static let longestPause = 30
  /// A server that takes nothing for so long is lost.
  private static let patience = MonotonicTime.Span.seconds(15)

  private let address: RTMPAddress
  private let streamName: String
  private let route: OutwardRoute
  private let logger: Logger
  private let report: @Sendable (OpenTokBroadcast.TargetStatus) async -> Void
  private let state = Mutex(State())

  /// - Parameter report: what became of it, in order.
  init(
    to address: RTMPAddress, streamName: String, route: OutwardRoute, logger: Logger,
    report: @escaping @Sendable (OpenTokBroadcast.TargetStatus) async -> Void
  ) {
    (self.address, self.streamName, self.route) = (address, streamName, route)
    (self.logger, self.report) = (logger, report)
  }

  /// Takes a frame without waiting.
  func offer(_ frame: TimedFrame) {
    state.withLock { state in
      guard let queue = state.queue, state.waiting < RTMPPush.mostWaiting else { return }
      state.waiting += 1
      queue.yield(.frame(frame))
    }
  }

  /// Says goodbye to the server; `run` then returns.
  func finish() {
    state.withLock { state in
      state.isEnding = true
      state.queue?.yield(.end)
    }
  }

  /// Pushes until `finish`, a refusal, or cancellation.
  func run() async {
    var failures = 0
    while !Task.isCancelled, !state.withLock({ $0.isEnding }) {
      await report(.connecting)
      switch await serve() {
      case .finished: return
      case .refused(let reason):
        note("refused", reason)
        return await report(.error)
      case .lost(let reason, let wasLive):
        note("lost", reason)
        failures = wasLive ? 1 : failures + 1
        guard failures <= RTMPPush.mostFailures else { return await report(.error) }
        await report(.offline)
        try? await Task.sleep(for: .seconds(min(1 << failures, RTMPPush.longestPause)))
      }
    }
  }

  /// Without the stream's name, which may be a secret.
  private func note(_ what: String, _ reason: String) {
    logger.info(
      "an RTMP server of a broadcast was \(what)", metadata: ["server": "\(address.url.host)", "reason": "\(reason)"])
  }

  // MARK: One connection

  private func serve() async -> End {
    do {
      guard let first = try await route.addresses(of: address.url).first else {
        return .lost("no address", wasLive: false)
      }
      let stream = try await connect(to: first)
      return try await stream.executeThenClose { inbound, outbound in
        await pump(stream.channel, inbound, outbound)
      }
    } catch let refusal as OutwardRoute.Refusal {
      return .lost(refusal.reason, wasLive: false)
    } catch {
      return .lost("\(error)", wasLive: false)
    }
  }

  private func connect(to host: String) async throws -> Stream {
    let context = address.isSecure ? try NIOSSLContext(configuration: try route.tls()) : nil
    let name = address.url.address == nil ? address.url.host : nil
    return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connectTimeout(OutwardRoute.connectLimit)
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .connect(host: host, port: address.url.port) { channel in
        channel.eventLoop.makeCompletedFuture {
          if let context {
            try channel.pipeline.syncOperations.addHandler(NIOSSLClientHandler(context: context, serverHostname: name))
          }
          return try Stream(wrappingChannelSynchronously: channel)
        }
      }
  }

  private func pump(
    _ channel: any Channel, _ inbound: NIOAsyncChannelInboundStream<ByteBuffer>,
    _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
  ) async -> End {
    let (steps, queue) = AsyncStream.makeStream(of: Step.self)
    // The machine begins to speak at its first input.
    queue.yield(.bytes([]))
    state.withLock { state in
      (state.queue, state.waiting) = (queue, 0)
      if state.isEnding { queue.yield(.end) }
    }
    let pace = WritePace()
    let budget = ByteBudget(limit: RTMPPush.inbound)
    return await withTaskGroup(of: Void.self) { group in
      group.addTask {
        do {
          for try await chunk in inbound {
            budget.add(chunk.readableBytes)
            queue.yield(.bytes(Array(chunk.readableBytesView)))
            await budget.room()
          }
        } catch {
          // The queue's end says it.
        }
        queue.finish()
      }
      group.addTask {
        while (try? await Task.sleep(for: .seconds(1))) != nil {
          if pace.isStuck(longerThan: RTMPPush.patience, at: MonotonicClock.now) {
            return channel.close(promise: nil)
          }
          queue.yield(.tick)
        }
      }
      let end = await talk(steps, outbound, pace, budget)
      state.withLock { $0.queue = nil }
      outbound.finish()
      group.cancelAll()
      return end
    }
  }

  private func talk(
    _ steps: AsyncStream<Step>, _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>, _ pace: WritePace,
    _ budget: ByteBudget
  ) async -> End {
    var options = RTMPClientOptions(app: address.app, tcURL: address.text)
    options.onlyPublishes = true
    var machine = RTMPClient(options, seed: .random(in: .min ... .max), at: MonotonicClock.now)
    var live: UInt32?
    for await step in steps {
      let now = MonotonicClock.now
      var isEnding = false
      switch step {
      case .bytes(let bytes):
        machine.handle(.bytes(bytes), at: now)
        budget.remove(bytes.count)
      case .frame(let frame):
        state.withLock { $0.waiting -= 1 }
        guard let live else { continue }
        let time = UInt32(truncatingIfNeeded: frame.position / 48)
        machine.handle(.audio(stream: live, timestamp: time, AudioTag(.aac, .frame(frame.aac))), at: now)
      case .tick: machine.advance(to: now)
      case .end:
        isEnding = true
        if let live { machine.handle(.unpublish(stream: live), at: now) }
      }
      while let output = machine.next() {
        switch output {
        case .send(let bytes):
          pace.begin(at: MonotonicClock.now)
          guard (try? await outbound.write(ByteBuffer(bytes: bytes))) != nil else {
            return isEnding ? .finished : .lost("the connection broke", wasLive: live != nil)
          }
          pace.end(at: MonotonicClock.now)
        case .connected: machine.handle(.publish(name: streamName), at: now)
        case .rejected(let status): return .refused(RTMPPush.sentence(status))
        case .noStream(let error): return .refused(error.description)
        case .status(let stream, let status) where status.code == RTMPStatus.Code.publishStart:
          live = stream
          machine.handle(.metadata(stream: stream, RTMPPush.metadata), at: now)
          machine.handle(
            .audio(stream: stream, timestamp: 0, AudioTag(.aac, .header(AACEncoder.configuration))), at: now)
          await report(.live)
        case .status(_, let status) where status.level == "error": return .refused(RTMPPush.sentence(status))
        case .closed(let sentence): return .lost(sentence, wasLive: live != nil)
        default: break
        }
      }
      if isEnding { return .finished }
    }
    return .lost("the server closed the connection", wasLive: live != nil)
  }

  private static func sentence(_ status: RTMPStatus) -> String { "\(status.code) \(status.description)" }

  /// As FFmpeg describes such a stream; 10 is AAC.
  private static let metadata = [
    AMFMember("audiocodecid", 10), AMFMember("audiosamplerate", 48_000), AMFMember("audiosamplesize", 16),
    AMFMember("stereo", true), AMFMember("audiodatarate", 192), AMFMember("encoder", "Jamjar"),
  ]
}
