import Music
import Recording
import Signaling
import Synchronization

/// All events of the service in one order: rooms and faces publish, streams and webhooks read.
///
/// Publishing holds a lock for about a microsecond and never waits, so media loops may do it. Readers have no queue
/// of their own. Each reads the shared ring from its own position, so a slow reader costs no memory.
package final class EventFeed: Sendable {
  /// Number of events kept for reconnecting readers: a megabyte or two at some hundred bytes each.
  package static let capacity = 4_096

  private struct State {
    var ring: EventRing
    /// The edits of the data folder, from which readers get those that they missed.
    var log: EditLog?
    var readers: [UInt64: Reader] = [:]
    var nextReader: UInt64 = 0

    var streamCount: Int { readers.values.count(where: \.isStream) }

    mutating func add(_ reader: Reader) -> UInt64 {
      nextReader += 1
      readers[nextReader] = reader
      return nextReader
    }
  }

  private struct Reader {
    var wakes: AsyncStream<Void>.Continuation
    /// True for a client's stream; their number is limited.
    var isStream: Bool
  }

  private let state: Mutex<State>

  package init(capacity: Int = EventFeed.capacity) {
    // Sorts by time and has 80 random bits: no two runs share an epoch, even if the clock was set back.
    let epoch = ULID(at: MonotonicClock.wall).description
    state = Mutex(State(ring: EventRing(epoch: epoch, capacity: capacity)))
  }

  /// Publishes an event with the current time, and wakes the readers.
  package func publish(_ kind: ServiceEventKind, room: RoomName?, _ content: ServiceEvent.Content) {
    append(ServiceEvent(kind, room: room, at: MonotonicClock.wall, content), edit: nil)
  }

  /// Publishes an edit with its number in the log.
  func publish(_ event: ServiceEvent, edit: UInt64) {
    append(event, edit: edit)
  }

  private func append(_ event: ServiceEvent, edit: UInt64?) {
    let readers = state.withLock { state in
      state.ring.append(event, edit: edit)
      return Array(state.readers.values)
    }
    for reader in readers { reader.wakes.yield() }
  }

  /// Takes the edits of `log` after the one numbered `last` as events from now on.
  func begin(_ log: EditLog, at last: UInt64) {
    state.withLock { state in
      state.log = log
      state.ring.begin(atEdit: last)
    }
  }

  /// The log of edits, if the feed has one.
  package var edits: EditLog? { state.withLock { $0.log } }

  /// The identifier of the latest event.
  package var position: EventID { state.withLock { $0.ring.position } }

  /// Number of clients reading at present, without the service's own parts.
  package var streamCount: Int { state.withLock { $0.streamCount } }

  /// The position of the event named by `text`, or the reason why reading cannot continue from it.
  package func place(of text: String) -> Result<UInt64, EventRing.LossError> {
    state.withLock { $0.ring.place(of: text) }
  }

  /// Returns up to `limit` events after `place` without waiting.
  package func read(after place: UInt64, limit: Int) -> EventRing.Reading {
    state.withLock { $0.ring.read(after: place, limit: limit) }
  }

  /// The identifier of the event at `place`.
  package func id(of place: UInt64) -> EventID {
    state.withLock { $0.ring.id(of: place) }
  }

  /// Registers a reader for a part of the service; it ends when released.
  package func subscribe() -> EventReader {
    let (wakes, continuation) = EventFeed.marks()
    return reader(wakes, continuation, state.withLock { $0.add(Reader(wakes: continuation, isStream: false)) })
  }

  /// The same for a client's stream.
  package func subscribeStream() -> EventReader {
    let (wakes, continuation) = EventFeed.marks()
    return reader(wakes, continuation, state.withLock { $0.add(Reader(wakes: continuation, isStream: true)) })
  }

  /// One mark is enough: a woken reader reads everything new. There is one at the beginning.
  private static func marks() -> (AsyncStream<Void>, AsyncStream<Void>.Continuation) {
    let (wakes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    // What was published before may be new to this reader, and nothing else might follow.
    continuation.yield()
    return (wakes, continuation)
  }

  private func reader(
    _ wakes: AsyncStream<Void>, _ continuation: AsyncStream<Void>.Continuation, _ key: UInt64
  ) -> EventReader {
    EventReader(wakes: wakes, continuation: continuation) { [weak self] in
      self?.state.withLock { $0.readers[key] = nil }
    }
  }
}

/// Wakes a reader of the feed.
package final class EventReader: Sendable {
  /// A mark for new events or for `wake()`; ends with `end()`.
  package let wakes: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation
  private let leave: @Sendable () -> Void

  init(
    wakes: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation, leave: @escaping @Sendable () -> Void
  ) {
    self.wakes = wakes
    self.continuation = continuation
    self.leave = leave
  }

  deinit { end() }

  /// Wakes the reader without a new event.
  package func wake() { continuation.yield() }

  /// Ends `wakes` after any pending mark, and unregisters the reader.
  package func end() {
    leave()
    continuation.finish()
  }
}
