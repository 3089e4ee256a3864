import Glibc
import Logging
import Machines
import NIOCore
import Recording
import Rooms
import Signaling
import Synchronization

/// One stream that an RTMP client publishes: a musician of its room, whose audio goes into a feed.
///
/// Opus passes as it is; AAC is decoded by ffmpeg and encoded again. Everything runs in one task, in order. Nothing is
/// dropped: what waits here counts in the connection's budget, and the socket is read no faster than it is taken. The
/// end is no message among the others, so nothing can be in its way.
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
    /// Bytes of the budget that wait here.
    var waiting = 0
    /// Set at the end: true where the connection broke.
    var isLost: Bool?
    /// Nobody takes messages any more.
    var isOver = false
  }

  let membership: Membership
  private let logger: Logger
  private let budget: ByteBudget
  private let messages: AsyncStream<Message>
  private let queue: AsyncStream<Message>.Continuation
  private let state = Mutex(State())

  /// What a message takes beside its bytes, so that small ones are not free.
  private static let overhead = 128
  /// How often it is asked whether a stream's kind is known, at its beginning.
  private static let trialStep = Duration.milliseconds(20)

  init(_ membership: Membership, budget: ByteBudget, logger: Logger) {
    self.membership = membership
    self.budget = budget
    self.logger = logger
    // The budget bounds it.
    (messages, queue) = AsyncStream.makeStream()
  }

  /// Takes an audio message; never waits.
  func take(_ tag: AudioTag, timestamp: UInt32, arrival: MonotonicTime) {
    // Other tracks of one stream are alternatives or stems of the same musician; the first is what is recorded.
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

  /// Nothing more comes; what has come is still recorded.
  ///
  /// - Parameter isLost: the connection broke, so that the encoder may come back; what is said first counts.
  func finish(isLost: Bool) {
    state.withLock { state in
      state.isLost = state.isLost ?? isLost
      state.clock.end()
    }
    queue.finish()
  }

  /// True where the stream ended because its connection broke.
  var isLost: Bool { state.withLock { $0.isLost ?? false } }

  /// Feeds the room until the stream ends.
  /// - Throws: `RTMPCallError` with the reason for the client where the audio cannot be taken.
  func run() async throws(RTMPCallError) {
    defer { giveUp() }
    do {
      try await feed()
    } catch let refusal as RoomRefusal {
      throw RTMPCallError(.invocationException, refusal.description)
    } catch let error as IOError where error.errnoCode == ENOENT {
      throw RTMPCallError(
        .invocationException, "AAC is taken where ffmpeg is installed on the server, which it is not; send Opus")
    } catch let error as RTMPCallError {
      throw error
    } catch is CancellationError {
      throw RTMPCallError(.shuttingDown, "the service stops")
    } catch {
      logger.error("a published stream failed", metadata: ["error": "\(error)"])
      throw RTMPCallError(.generalException, "the audio cannot be taken; the service's log says why")
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

  /// What waits, and what still comes, holds nobody up.
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
        throw RTMPCallError(.invocationException, "the codec \(codec) is not taken here; send Opus or AAC")
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
        // Frames before their configuration mean nothing to any decoder.
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

  /// Decodes what follows one configuration; returns the message that brings another one.
  private func decode(
    _ bytes: [UInt8], _ configuration: AACConfiguration, at arrival: StreamArrival, into feed: AudioFeed
  ) async throws -> Message? {
    let following = Mutex<Message?>(nil)
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

  /// A packet for the room; the first ones wait until it is known whether somebody plays or a file is pushed.
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
  /// Bytes that it brings.
  fileprivate var size: Int {
    switch content {
    case .header(let bytes), .frame(let bytes): bytes.count
    case .channels, .end: 0
    }
  }
}
