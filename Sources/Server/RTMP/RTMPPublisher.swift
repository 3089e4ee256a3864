import Logging
import Machines
import Recording
import Rooms
import Signaling
import Synchronization

/// One track of a stream that an RTMP client publishes, whose audio goes into a feed.
///
/// Opus passes unchanged; a codec worker decodes AAC, MP3, FLAC and AC-3, which are then encoded again. Everything runs in one task, in order, and
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
    /// Bytes of the budget queued here.
    var waiting = 0
    /// Set at the end: true if the connection broke.
    var isLost: Bool?
    /// True once messages are no longer accepted.
    var isOver = false
  }

  let membership: Membership
  /// The sender's number of the track.
  let number: UInt8
  private let stem: AudioStem?
  private let origin: FeedOrigin
  private let together: TracksTogether
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

  /// - Parameter stem: nil for the track that everybody hears.
  init(
    _ membership: Membership, stem: AudioStem?, number: UInt8, together: TracksTogether, budget: ByteBudget,
    transcoders: Transcoders.Share, logger: Logger, origin: FeedOrigin
  ) {
    self.membership = membership
    self.origin = origin
    self.stem = stem
    self.number = number
    self.together = together
    self.transcoders = transcoders
    self.budget = budget
    self.logger = logger
    // The budget bounds the queue.
    (messages, queue) = AsyncStream.makeStream()
  }

  /// Queues an audio message; never waits.
  func take(_ tag: AudioTag, timestamp: UInt32, arrival: MonotonicTime) {
    state.withLock { state in
      guard !state.isOver, state.isLost == nil else { return }
      let message = Message(
        tag: tag, timestamp: Int64(timestamp),
        arrival: together.add(number, timestamp: Int64(timestamp), at: arrival),
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
    state.withLock { $0.isLost = $0.isLost ?? isLost }
    queue.finish()
  }

  var isStem: Bool { stem != nil }

  /// Feeds the room until the stream ends.
  /// - Throws: `RTMPCallError` with the reason for the client if the audio cannot be used.
  func run() async throws(RTMPCallError) {
    defer { giveUp() }
    do {
      try await feed()
    } catch let refusal as RoomRefusal {
      throw RTMPCallError(.invocationException, refusal.description)
    } catch let refusal as AudioTranscoder.Refusal {
      throw RTMPCallError(.invocationException, refusal.description)
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
    together.takes(number)
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
    together.leave(number)
    queue.finish()
  }

  private func feed() async throws {
    var following = await next()
    while let message = following {
      switch message.tag.codec {
      case .opus: following = try await feedOpus(message)
      case nil: following = await next()
      case let codec?:
        guard let codec = StreamCodec(codec) else {
          throw RTMPCallError(
            .invocationException, "the codec \(codec) is not supported; send Opus, AAC, MP3, FLAC or AC-3")
        }
        following = try await feedCoded(message, codec)
      }
    }
  }

  /// Feeds until the stream ends, or another codec begins; returns its first message.
  private func feedOpus(_ first: Message) async throws -> Message? {
    var timeline = OpusTimeline()
    var line = PushedLine()
    var isStereo = true
    var feed: AudioFeed?
    var following: Message? = first
    while let message = following, message.tag.isOf(.opus) {
      switch message.tag.content {
      case .header(let bytes):
        if let head = OpusHead(bytes) {
          // Without the mapping, the first of several streams would be read together with the others: noise.
          if let refusal = head.refusal { throw RTMPCallError(.invocationException, refusal) }
          (timeline.preSkip, isStereo) = (Int64(head.preSkip), head.channels != 1)
        }
      case .frame(let opus):
        if let time = timeline.place(opus, timestamp: message.timestamp) {
          if feed == nil { feed = try await openFeed("opus", isStereo) }
          try await feed?.send([try await packet(opus, time, message.arrival, on: &line)])
        }
      case .channels(let channels):
        if channels.count > 2 {
          throw RTMPCallError(.invocationException, OpusHead.refusal(channels: channels.count))
        }
      case .end: break
      }
      following = await next()
    }
    await feed?.close()
    return following
  }

  /// Feeds until the stream ends, or another codec begins; returns its first message.
  private func feedCoded(_ first: Message, _ codec: StreamCodec) async throws -> Message? {
    var following: Message? = first
    var configuration: [UInt8] = []
    while let message = following, codec.isOf(message.tag) {
      switch message.tag.content {
      case .header(let bytes) where codec.isConfiguration(bytes):
        configuration = bytes
        following = try await decode(nil, codec, configuration)
      case .frame where configuration.isEmpty && codec.needsConfiguration:
        // No decoder can use frames before their configuration.
        following = await next()
      case .frame: following = try await decode(message, codec, configuration)
      case .header, .channels, .end: following = await next()
      }
    }
    return following
  }

  /// Decodes the frames after one configuration, beginning with `first`; returns the message with the next
  /// configuration, or of another codec, which may come without one.
  private func decode(_ first: Message?, _ codec: StreamCodec, _ configuration: [UInt8]) async throws -> Message? {
    let following = Mutex<Message?>(nil)
    try transcoders.enterWithWorker()
    defer { transcoders.leaveWithWorker() }
    let transcoder = AudioTranscoder(codec, configuration: configuration, program: transcoders.program)
    var feed: AudioFeed?
    var line = PushedLine()
    let result: Result<Void, any Error>
    do {
      try await transcoder.run { put in
        var message = first
        if message == nil { message = await self.next() }
        while let present = message {
          guard codec.isOf(present.tag) else { return following.withLock { $0 = present } }
          switch present.tag.content {
          case .header(let other) where codec.isConfiguration(other) && !codec.isSame(other, configuration):
            return following.withLock { $0 = present }
          case .frame(let frame):
            try await put(.init(bytes: frame, timestamp: present.timestamp, arrival: present.arrival))
          case .header, .channels, .end: break
          }
          message = await self.next()
        }
      } _: { packet in
        if feed == nil {
          feed = try await self.openFeed(codec.name.lowercased(), packet.isStereo)
          self.note(transcoder.counts.channels, of: codec)
        }
        try await feed?.send([
          try await self.packet(packet.opus, packet.timestamp, packet.arrival, packet.missing, on: &line)
        ])
      }
      result = .success(())
    } catch {
      result = .failure(error)
    }
    await feed?.close()
    report(transcoder.counts, of: codec)
    try result.get()
    return following.withLock { $0 }
  }

  private func openFeed(_ codec: String, _ isStereo: Bool) async throws(RoomRefusal) -> AudioFeed {
    try await membership.openFeed(
      origin: origin.dialect, codec: origin.coder ?? codec, isStereo: isStereo, stem: stem)
  }

  private func note(_ channels: Int, of codec: StreamCodec) {
    guard channels > 2 else { return }
    logger.notice(
      "a stream is mixed down to stereo by ITU-R BS.775, without its LFE channel",
      metadata: ["codec": "\(codec.name)", "channels": "\(channels)", "room": "\(membership.room)"])
  }

  private func report(_ counts: AudioTranscoder.Counts, of codec: StreamCodec) {
    guard counts.undecodable + counts.lost + counts.restarts > 0 else { return }
    logger.warning(
      "frames of a stream are gaps in its track",
      metadata: [
        "codec": "\(codec.name)", "room": "\(membership.room)", "decoded": "\(counts.decoded)",
        "undecodable": "\(counts.undecodable)", "lost": "\(counts.lost)", "restarts": "\(counts.restarts)",
      ])
  }

  /// Sends a packet to the room; the first ones wait until it is known whether the source is live or a pushed file.
  private func packet(
    _ opus: [UInt8], _ time: Int64, _ arrival: StreamArrival, _ missing: Int = 0, on line: inout PushedLine
  ) async throws -> AudioFeed.Packet {
    while true {
      if let place = together.place(arrival, of: number, at: MonotonicClock.now) {
        let end = time &+ Int64(OpusPacket(opus.span)?.duration ?? 0)
        let due = place.due.map { line.place(endingAt: end, due: $0, isAhead: arrival.due > arrival.time) }
        return AudioFeed.Packet(opus: opus, timestamp: time, arrival: place.arrival, due: due, missing: missing)
      }
      try await Task.sleep(for: RTMPPublisher.trialStep)
    }
  }
}

extension StreamCodec {
  /// True for a message of this codec, or of none.
  fileprivate func isOf(_ tag: AudioTag) -> Bool { tag.codec.map { StreamCodec($0) == self } ?? true }
}

extension AudioTag {
  /// True for a message of `codec`, or of none.
  fileprivate func isOf(_ codec: AudioCodec) -> Bool { self.codec.map { $0 == codec } ?? true }

  /// Number of bytes of the message.
  fileprivate var size: Int {
    switch content {
    case .header(let bytes), .frame(let bytes): bytes.count
    case .channels, .end: 0
    }
  }
}
