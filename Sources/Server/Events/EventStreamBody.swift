import Hummingbird
import Library
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
  /// True for the holder of a room's token.
  let isOfOneRoom: Bool
  /// The last identifier that the client saw, nil for a new client.
  let last: String?
  let limits: ServerLimits
  /// True once the credentials of the stream no longer hold: revoked or expired.
  let hasLapsed: @Sendable () -> Bool
  let channel: any Channel

  /// Most events per write.
  private static let batch = 64
  /// How long a client should wait before reconnecting, in milliseconds.
  private static let retry = 2_000
  /// How long a client that does not read may delay the shutdown.
  private static let farewell = TimeAmount.seconds(2)

  func write(to writer: inout any ResponseBodyWriter) async throws {
    try await withGracefulShutdownHandler {
      async let _: Void = tick()
      try await follow(&writer)
    } onGracefulShutdown: {
      reader.end()
      _ = channel.eventLoop.scheduleTask(in: EventStreamBody.farewell) { channel.close(promise: nil) }
    }
  }

  /// Wakes the writer for heartbeats. `StallGuard` cuts off a client that stopped reading.
  private func tick() async {
    while !Task.isCancelled {
      try? await Task.sleep(for: .milliseconds(limits.heartbeatInterval / 3))
      reader.wake()
    }
  }

  private func follow(_ writer: inout any ResponseBodyWriter) async throws {
    let pace = WritePace()
    var (place, text, missed) = opening()
    var told = place
    // The edits that a reset has to tell begin after this one.
    var lastEdit = missed?.end.edit ?? feed.id(of: place).edit ?? last.flatMap { EventID($0)?.edit }
    var wakes = reader.wakes.makeAsyncIterator()
    var isEnding = false
    while !hasLapsed() {
      while let gap = missed, !hasLapsed() {
        missed = gap.tell(from: feed, filter, &text)
        try await writer.write(ByteBuffer(string: text))
        pace.end(at: MonotonicClock.now)
        text = ""
      }
      let reading = feed.read(after: place, limit: EventStreamBody.batch)
      if reading.isBroken {
        // Too slow: overwritten events cannot be sent any more, so the client has to list everything again.
        let last = EventID(epoch: feed.position.epoch, number: place, edit: lastEdit)
        (place, text, missed) = reset(.tooOld, text, since: last)
        lastEdit = missed?.end.edit ?? lastEdit
        continue
      }
      place = reading.place
      lastEdit = reading.events.last?.id.edit ?? lastEdit
      for numbered in reading.events where filter.admits(numbered.event) {
        text += EventStreamText.event(
          numbered.event.kind.rawValue, id: numbered.id, data: .object(content(of: numbered.event)))
      }
      let now = MonotonicClock.now
      if text.isEmpty, pace.isQuiet(for: .milliseconds(limits.heartbeatInterval * 2 / 3), at: now) {
        text = EventStreamText.heartbeat(at: place == told ? nil : feed.id(of: place))
      }
      if !text.isEmpty {
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

  /// What the stream says of an event. Details of a bot are about another server, so they are for API keys, as
  /// `GET /v1/bots` is.
  private func content(of event: ServiceEvent) -> JSONObject {
    var object = Representation.event(event)
    guard isOfOneRoom, event.kind == .botChanged, var bot = object["bot"]?.object else { return object }
    bot["detail"] = nil
    object["bot"] = .object(bot)
    return object
  }

  /// Where a stream goes on, what it says first, and the edits that come before.
  private typealias Opening = (place: UInt64, text: String, missed: MissedEdits?)

  private func opening() -> Opening {
    guard let last else { return begin(at: feed.position) }
    switch feed.place(of: last) {
    case .success(let place):
      let id = feed.id(of: place)
      return begin(at: id.edit == nil ? EventID(last) ?? id : id)
    case .failure(let error):
      return reset(error.loss, "", since: error.loss == .unknown ? nil : EventID(last), isOpening: true)
    }
  }

  private func begin(at id: EventID) -> Opening {
    (id.number, EventStreamText.opening(retry: EventStreamBody.retry, at: id), nil)
  }

  /// Tells the client to list everything again; later events are not in that list. The edits since the event `last`
  /// follow all the same: they are on the disk.
  private func reset(
    _ loss: EventRing.Loss, _ before: String, since last: EventID?, isOpening: Bool = false
  ) -> Opening {
    let position = feed.position
    let missed = MissedEdits(since: last, before: position)
    // If the connection breaks before the missed edits, they are missed still.
    let id = missed?.last ?? position
    let opening = isOpening ? EventStreamText.opening(retry: EventStreamBody.retry, at: id) : before
    let data: JSONValue = ["type": "reset", "reason": .string(loss.rawValue)]
    return (position.number, opening + EventStreamText.event("reset", id: id, data: data), missed)
  }
}

/// The logged edits between the last event that a client saw and the place where its stream goes on.
struct MissedEdits: Hashable, Sendable {
  /// Edits read from the log at once.
  private static let batch = 64

  /// The client's identifier with the number of the last edit sent: a broken connection resumes from it.
  private(set) var last: EventID
  /// Where the stream goes on; its edit is the last of those missed.
  let end: EventID

  /// Nil if nothing is known to be missed.
  init?(since last: EventID?, before end: EventID) {
    guard let last, let seen = last.edit, let goal = end.edit, seen < goal else { return nil }
    self.last = last
    self.end = end
  }

  /// Appends the next edits to `text`; the rest is returned, nil after the last.
  func tell(from feed: EventFeed, _ filter: EventFilter, _ text: inout String) -> MissedEdits? {
    let seen = last.edit ?? 0
    let edits = (try? feed.edits?.edits(after: seen, limit: MissedEdits.batch)) ?? []
    var rest = self
    for edit in edits where edit.number <= end.edit ?? 0 {
      rest.last.edit = edit.number
      guard let event = edit.event, filter.admits(event) else { continue }
      text += EventStreamText.event(
        event.kind.rawValue, id: rest.last, data: .object(Representation.event(event)))
    }
    guard rest.last.edit != seen, rest.last.edit != end.edit else {
      text += EventStreamText.position(end)
      return nil
    }
    return rest
  }
}
