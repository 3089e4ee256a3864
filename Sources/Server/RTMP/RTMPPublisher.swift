import Glibc
import Logging
import Machines
import NIOCore
import Recording
import Rooms
import Signaling
import Synchronization

/// One stream published by an RTMP client: a musician of its room, whose audio goes into a feed.
///
/// Opus passes unchanged; ffmpeg decodes AAC, which is then encoded again. Everything runs in one task, in order, and
/// nothing is dropped: queued messages count in the connection's budget, which slows down reading from the socket. The
/// end is not a message, so no queue delays it.
final class RTMPPublisher: Sendable {
  private struct Message: Sendable {
    var tag: AudioTag
    /// In milliseconds.
    var timestamp: Int64
    var arrival: StreamArrival
    /// Bytes of the budget.
    var cost: Int
  }

  private struct State {
    var clock = PushClock()
    /// Bytes of the budget queued here.
    var waiting = 0
    /// Set at the end: true if the connection broke.
    var isLost: Bool?
    /// True once messages are no longer accepted.
    var isOver = false
  }

  let membership: Membership
  private let logger: Logger
  private let budget: ByteBudget
  private let transcoders: Transcoders.Share
  private let messages: AsyncStream<Message>
  private let queue: AsyncStream<Message>.Continuation
  private let state = Mutex(State())

  /// Cost of a message beside its bytes, so that small ones are not free.
  private static let overhead = 128
  /// Interval of checking whether a new stream's kind is known.
  private static let trialStep = Duration.milliseconds(20)

  init(_ membership: Membership, budget: ByteBudget, transcoders: Transcoders.Share, logger: Logger) {
    self.membership = membership
    self.transcoders = transcoders
    self.budget = budget
    self.logger = logger
    // The budget bounds the queue.
    (messages, queue) = AsyncStream.makeStream()
  }

  /// Queues an audio message; never waits.
  func take(_ tag: AudioTag, timestamp: UInt32, arrival: MonotonicTime) {
    // Other tracks of one stream are alternatives or stems of the same musician; only the first is recorded.
    guard tag.track == 0 else { return }
    state.withLock { state in
      guard !state.isOver, state.isLost == nil else { return }
      let message = Message(
        tag: tag, timestamp: Int64(timestamp), arrival: state.clock.add(timestamp: Int64(timestamp), at: arrival),
        cost: tag.size + RTMPPublisher.overhead)
      state.waiting += message.cost
      budget.add(message.cost)
      queue.yield(message)
    }
  }

  /// Ends the stream; queued audio is still recorded.
  ///
  /// - Parameter isLost: whether the connection broke, so that the encoder may return; the first call counts.
  func finish(isLost: Bool) {
    state.withLock { state in
      state.isLost = state.isLost ?? isLost
      state.clock.end()
    }
    queue.finish()
  }

  /// True if the stream ended because its connection broke.
  var isLost: Bool { state.withLock { $0.isLost ?? false } }

  /// Feeds the room until the stream ends.
  /// - Throws: `RTMPCallError` with the reason for the client if the audio cannot be used.
  func run() async throws(RTMPCallError) {
    defer { giveUp() }
    do {
      try await feed()
    } catch let refusal as RoomRefusal {
      throw RTMPCallError(.invocationException, refusal.description)
    } catch let error as IOError where error.errnoCode == ENOENT {
      throw RTMPCallError(
        .invocationException, "AAC needs ffmpeg on the server, and ffmpeg is not installed; send Opus")
    } catch let error as RTMPCallError {
      throw error
    } catch is CancellationError {
      throw RTMPCallError(.shuttingDown, "the service stops")
    } catch {
      logger.error("a published stream failed", metadata: ["error": "\(error)"])
      throw RTMPCallError(.generalException, "the audio cannot be used; the service's log says why")
    }
  }

  /// The next message, nil at the end.
  private func next() async -> Message? {
    var iterator = messages.makeAsyncIterator()
    guard let message = await iterator.next() else { return nil }
    state.withLock { $0.waiting -= message.cost }
    budget.remove(message.cost)
    return message
  }

  /// Drops queued and further messages, so that they delay nothing.
  private func giveUp() {
    state.withLock { state in
      state.isOver = true
      budget.remove(state.waiting)
      state.waiting = 0
    }
    queue.finish()
  }

  private func feed() async throws {
    while let first = await next() {
      switch first.tag.codec {
      case .opus: return try await feedOpus(first)
      case .aac: return try await feedAAC(first)
      case nil: continue
      case let codec?:
        throw RTMPCallError(.invocationException, "the codec \(codec) is not supported; send Opus or AAC")
      }
    }
  }

  private func feedOpus(_ first: Message) async throws {
    var timeline = OpusTimeline()
    var isStereo = true
    var feed: AudioFeed?
    var following: Message? = first
    while let message = following {
      switch message.tag.content {
      case .header(let head):
        timeline.preSkip = OpusTimeline.preSkip(of: head)
        isStereo = OpusTimeline.channels(of: head) != 1
      case .frame(let opus):
        if let time = timeline.place(opus, timestamp: message.timestamp) {
          if feed == nil { feed = try await membership.openFeed(origin: "rtmp", isStereo: isStereo) }
          try await feed?.send([try await packet(opus, time, message.arrival)])
        }
      case .channels, .end: break
      }
      following = await next()
    }
    await feed?.close()
  }

  private func feedAAC(_ first: Message) async throws {
    var following: Message? = first
    while let message = following {
      guard case .header(let bytes) = message.tag.content, let configuration = AACConfiguration(bytes) else {
        // No decoder can use frames before their configuration.
        following = await next()
        continue
      }
      let feed = try await membership.openFeed(origin: "rtmp", isStereo: true)
      do {
        following = try await decode(bytes, configuration, at: message.arrival, into: feed)
      } catch {
        await feed.close()
        throw error
      }
      await feed.close()
    }
  }

  /// Decodes the frames after one configuration; returns the message with the next configuration.
  private func decode(
    _ bytes: [UInt8], _ configuration: AACConfiguration, at arrival: StreamArrival, into feed: AudioFeed
  ) async throws -> Message? {
    let following = Mutex<Message?>(nil)
    try transcoders.enter()
    defer { transcoders.leave() }
    try await AACTranscoder(rate: configuration.rate, priming: AACTranscoder.usualPriming).run { put in
      try await put(.init(body: FLVTag.configuration(bytes), isFrame: false, arrival: arrival))
      while let message = await self.next() {
        switch message.tag.content {
        case .header(let other) where other != bytes: return following.withLock { $0 = message }
        case .frame(let frame):
          try await put(
            .init(
              body: FLVTag.frame(frame), isFrame: true, timestamp: message.timestamp, arrival: message.arrival))
        case .header, .channels, .end: break
        }
      }
    } _: { opus, time, arrival in
      try await feed.send([try await self.packet(opus, time, arrival)])
    }
    return following.withLock { $0 }
  }

  /// Sends a packet to the room; the first ones wait until it is known whether the source is live or a pushed file.
  private func packet(_ opus: [UInt8], _ time: Int64, _ arrival: StreamArrival) async throws -> AudioFeed.Packet {
    while true {
      if let place = state.withLock({ $0.clock.place(arrival, at: MonotonicClock.now) }) {
        return AudioFeed.Packet(opus: opus, timestamp: time, arrival: place.arrival, due: place.due)
      }
      try await Task.sleep(for: RTMPPublisher.trialStep)
    }
  }
}

extension AudioTag {
  /// Number of bytes of the message.
  fileprivate var size: Int {
    switch content {
    case .header(let bytes), .frame(let bytes): bytes.count
    case .channels, .end: 0
    }
  }
}
