import Glibc
import Logging
import Machines
import NIOCore
import Rooms
import Signaling
import Synchronization

/// One stream that an RTMP client publishes: a musician of its room, whose audio goes into a feed.
///
/// Opus passes as it is; AAC is decoded by ffmpeg and encoded again. Everything runs in one task, in order.
final class RTMPPublisher: Sendable {
  private struct Message: Sendable {
    var tag: AudioTag
    /// In milliseconds.
    var timestamp: Int64
    var arrival: MonotonicTime
  }

  let membership: Membership
  private let logger: Logger
  private let messages: AsyncStream<Message>
  private let queue: AsyncStream<Message>.Continuation
  private let ending = Mutex<Bool?>(nil)

  /// Messages that may wait for the room: some ten seconds.
  private static let backlog = 512

  init(_ membership: Membership, logger: Logger) {
    self.membership = membership
    self.logger = logger
    (messages, queue) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(RTMPPublisher.backlog))
  }

  /// Takes an audio message; never waits.
  func take(_ tag: AudioTag, timestamp: UInt32, arrival: MonotonicTime) {
    // Other tracks of one stream are alternatives or stems of the same musician; the first is what is recorded.
    guard tag.track == 0 else { return }
    queue.yield(Message(tag: tag, timestamp: Int64(timestamp), arrival: arrival))
  }

  /// Nothing more comes; what has come is still recorded.
  ///
  /// - Parameter isLost: the connection broke, so that the encoder may come back; what is said first counts.
  func finish(isLost: Bool) {
    ending.withLock { ending in ending = ending ?? isLost }
    queue.finish()
  }

  /// True where the stream ended because its connection broke.
  var isLost: Bool { ending.withLock { $0 ?? false } }

  /// Feeds the room until the stream ends.
  /// - Throws: `RTMPCallError` with the reason for the client where the audio cannot be taken.
  func run() async throws(RTMPCallError) {
    do {
      try await feed()
    } catch let refusal as RoomRefusal {
      throw RTMPCallError(.invocationException, refusal.description)
    } catch let error as IOError where error.errnoCode == ENOENT {
      throw RTMPCallError(
        .invocationException, "AAC is taken where ffmpeg is installed on the server, which it is not; send Opus")
    } catch let error as RTMPCallError {
      throw error
    } catch {
      logger.error("a published stream failed", metadata: ["error": "\(error)"])
      throw RTMPCallError(.generalException, "the audio cannot be taken; the service's log says why")
    }
  }

  private func feed() async throws {
    var iterator = messages.makeAsyncIterator()
    while let first = await iterator.next() {
      switch first.tag.codec {
      case .opus: return try await feedOpus(first, &iterator)
      case .aac: return try await feedAAC(first, &iterator)
      case nil: continue
      case let codec?:
        throw RTMPCallError(.invocationException, "the codec \(codec) is not taken here; send Opus or AAC")
      }
    }
  }

  private func feedOpus(_ first: Message, _ iterator: inout AsyncStream<Message>.Iterator) async throws {
    var timeline = OpusTimeline()
    var isStereo = true
    var feed: AudioFeed?
    var next: Message? = first
    while let message = next {
      switch message.tag.content {
      case .header(let head):
        timeline.preSkip = OpusTimeline.preSkip(of: head)
        isStereo = OpusTimeline.channels(of: head) != 1
      case .frame(let opus):
        if let time = timeline.place(opus, timestamp: message.timestamp) {
          if feed == nil { feed = try await membership.openFeed(origin: "rtmp", isStereo: isStereo) }
          try await feed?.send([.init(opus: opus, timestamp: time, arrival: message.arrival)])
        }
      case .channels, .end: break
      }
      next = await iterator.next()
    }
    await feed?.close()
  }

  private func feedAAC(_ first: Message, _ iterator: inout AsyncStream<Message>.Iterator) async throws {
    var next: Message? = first
    while let message = next {
      guard case .header(let bytes) = message.tag.content, let configuration = AACConfiguration(bytes) else {
        // Frames before their configuration mean nothing to any decoder.
        next = await iterator.next()
        continue
      }
      next = try await decode(bytes, configuration, &iterator)
    }
  }

  /// Decodes what follows one configuration; returns the message that brings another one.
  private func decode(
    _ bytes: [UInt8], _ configuration: AACConfiguration, _ iterator: inout AsyncStream<Message>.Iterator
  ) async throws -> Message? {
    let transcoder = try await AACTranscoder(rate: configuration.rate, priming: AACTranscoder.usualPriming)
    let feed = try await membership.openFeed(origin: "rtmp", isStereo: true)
    async let decoded: Void = transcoder.run { try await feed.send([$0]) }
    transcoder.take(FLVTag.configuration(bytes), isFrame: false, timestamp: 0, arrival: MonotonicClock.now)
    var following: Message?
    while following == nil, let message = await iterator.next() {
      switch message.tag.content {
      case .header(let other) where other != bytes: following = message
      case .frame(let frame):
        transcoder.take(
          FLVTag.frame(frame), isFrame: true, timestamp: message.timestamp, arrival: message.arrival)
      case .header, .channels, .end: break
      }
    }
    transcoder.finish()
    try await decoded
    await feed.close()
    return following
  }
}
