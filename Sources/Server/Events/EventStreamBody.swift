import Hummingbird
import Library
import Logging
import Machines
import NIOCore
import Recording
import Rooms
import ServiceLifecycle
import Signaling

/// The body of one event stream: runs while the client reads and the service lives.
struct EventStreamBody: Sendable {
  let feed: EventFeed
  let reader: EventReader
  let filter: EventFilter
  /// The last identifier that the client saw, nil for a new client.
  let last: String?
  let limits: ServerLimits
  /// True once the credentials of the stream no longer hold: revoked or expired.
  let hasLapsed: @Sendable () -> Bool
  let channel: any Channel
  let logger: Logger

  /// Most events per write.
  private static let batch = 64
  /// How long a client should wait before reconnecting, in milliseconds.
  private static let retry = 2_000
  /// How long a client that does not read may delay the shutdown.
  private static let farewell = TimeAmount.seconds(2)

  func write(to writer: inout any ResponseBodyWriter) async throws {
    let pace = WritePace()
    try await withGracefulShutdownHandler {
      async let _: Void = tick(pace)
      try await follow(pace, &writer)
    } onGracefulShutdown: {
      reader.end()
      _ = channel.eventLoop.scheduleTask(in: EventStreamBody.farewell) { channel.close(promise: nil) }
    }
  }

  /// Wakes the writer for heartbeats, and cuts off a client that stopped reading.
  private func tick(_ pace: WritePace) async {
    while !Task.isCancelled {
      try? await Task.sleep(for: .milliseconds(limits.heartbeatInterval / 3))
      if pace.isStuck(longerThan: .milliseconds(limits.streamStall), at: MonotonicClock.now) {
        reader.end()
        channel.close(promise: nil)
        logger.notice("an event stream was cut off because its client does not read")
        return
      }
      reader.wake()
    }
  }

  private func follow(
    _ pace: WritePace, _ writer: inout any ResponseBodyWriter
  ) async throws {
    var (place, text) = opening()
    var told = place
    var wakes = reader.wakes.makeAsyncIterator()
    var isEnding = false
    while !hasLapsed() {
      let reading = feed.read(after: place, limit: EventStreamBody.batch)
      if reading.isBroken {
        // Too slow: overwritten events cannot be sent any more, so the client has to list everything again.
        (place, text) = reset(.tooOld, text)
        continue
      }
      place = reading.place
      for numbered in reading.events where filter.admits(numbered.event) {
        text += EventStreamText.event(
          numbered.event.kind.rawValue, id: numbered.id, data: .object(Representation.event(numbered.event)))
      }
      let now = MonotonicClock.now
      if text.isEmpty, pace.isQuiet(for: .milliseconds(limits.heartbeatInterval * 2 / 3), at: now) {
        text = EventStreamText.heartbeat(at: place == told ? nil : feed.id(of: place))
      }
      if !text.isEmpty {
        pace.begin(at: now)
        try await writer.write(ByteBuffer(string: text))
        pace.end(at: MonotonicClock.now)
        told = place
        text = ""
      }
      if reading.events.isEmpty {
        if isEnding { break }
        if await wakes.next() == nil { isEnding = true }
      }
    }
    try await writer.finish(nil)
  }

  /// The start of the stream, and its first message.
  private func opening() -> (place: UInt64, text: String) {
    guard let last else { return begin(at: feed.position.number) }
    switch feed.place(of: last) {
    case .success(let place): return begin(at: place)
    case .failure(let error):
      return reset(error.loss, EventStreamText.opening(retry: EventStreamBody.retry, at: feed.position))
    }
  }

  private func begin(at place: UInt64) -> (place: UInt64, text: String) {
    (place, EventStreamText.opening(retry: EventStreamBody.retry, at: feed.id(of: place)))
  }

  /// Tells the client to list everything again; later events are not in that list.
  private func reset(_ loss: EventRing.Loss, _ before: String) -> (place: UInt64, text: String) {
    let position = feed.position
    let data: JSONValue = ["type": "reset", "reason": .string(loss.rawValue)]
    return (position.number, before + EventStreamText.event("reset", id: position, data: data))
  }
}
