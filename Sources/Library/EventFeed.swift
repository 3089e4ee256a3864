import Music
import Recording
import Signaling
import Synchronization

/// Everything that happens in the service, in one order: rooms and faces publish, streams and webhooks read.
///
/// Publishing takes a lock for about a microsecond and waits for nobody, so the media loops may. Readers have no queue
/// of their own: each reads the common ring from its own place, so a slow one costs no memory.
package final class EventFeed: Sendable {
  /// Events that are kept for those who come back: at some hundred bytes each a megabyte or two.
  package static let capacity = 4_096

  private struct State {
    var ring: EventRing
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
    /// A client's, of which there are only so many.
    var isStream: Bool
  }

  private let state: Mutex<State>

  package init(capacity: Int = EventFeed.capacity) {
    // Sorts by time and has 80 random bits: no two runs share an epoch, even where the clock was set back.
    let epoch = ULID(at: MonotonicClock.wall).description
    state = Mutex(State(ring: EventRing(epoch: epoch, capacity: capacity)))
  }

  /// Adds an event, now, and wakes whoever reads.
  package func publish(_ kind: ServiceEventKind, room: RoomName?, _ content: ServiceEvent.Content) {
    let event = ServiceEvent(kind, room: room, at: MonotonicClock.wall, content)
    let readers = state.withLock { state in
      state.ring.append(event)
      return Array(state.readers.values)
    }
    for reader in readers { reader.wakes.yield() }
  }

  /// The identifier of the latest event.
  package var position: EventID { state.withLock { $0.ring.position } }

  /// How many clients read at present; the service's own parts do not count.
  package var streamCount: Int { state.withLock { $0.streamCount } }

  /// The place of the event that `text` names, or why nothing can be read on from it.
  package func place(of text: String) -> Result<UInt64, EventRing.LossError> {
    state.withLock { $0.ring.place(of: text) }
  }

  /// Up to `limit` events after `place`, at once.
  package func read(after place: UInt64, limit: Int) -> EventRing.Reading {
    state.withLock { $0.ring.read(after: place, limit: limit) }
  }

  /// The identifier of the event at `place`.
  package func id(of place: UInt64) -> EventID {
    EventID(epoch: state.withLock { $0.ring.epoch }, number: place)
  }

  /// Begins to be woken by events, for a part of the service; ends with the reader's life.
  package func subscribe() -> EventReader {
    let (wakes, continuation) = EventFeed.marks()
    return reader(wakes, continuation, state.withLock { $0.add(Reader(wakes: continuation, isStream: false)) })
  }

  /// The same for a client's stream; nil where there are `limit` of them.
  package func subscribeStream(limit: Int) -> EventReader? {
    let (wakes, continuation) = EventFeed.marks()
    let key = state.withLock { state in
      state.streamCount < limit ? state.add(Reader(wakes: continuation, isStream: true)) : nil
    }
    return key.map { reader(wakes, continuation, $0) }
  }

  /// One mark is enough: whoever wakes reads everything that is new.
  private static func marks() -> (AsyncStream<Void>, AsyncStream<Void>.Continuation) {
    AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  private func reader(
    _ wakes: AsyncStream<Void>, _ continuation: AsyncStream<Void>.Continuation, _ key: UInt64
  ) -> EventReader {
    EventReader(wakes: wakes, continuation: continuation) { [weak self] in
      self?.state.withLock { $0.readers[key] = nil }
    }
  }
}

/// Wakes whoever reads the feed.
package final class EventReader: Sendable {
  /// A mark for "there is something new", or for `wake()`; ends with `end()`.
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

  /// Wakes the reader though nothing happened.
  package func wake() { continuation.yield() }

  /// Ends `wakes`, after a mark that is there already, and gives the place among the readers back.
  package func end() {
    leave()
    continuation.finish()
  }
}
