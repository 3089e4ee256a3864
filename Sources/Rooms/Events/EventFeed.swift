import Music
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
    var readers: [UInt64: AsyncStream<Void>.Continuation] = [:]
    var nextReader: UInt64 = 0
    var streams: Set<UInt64> = []
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
    for reader in readers { reader.yield() }
  }

  /// The identifier of the latest event.
  package var position: EventID { state.withLock { $0.ring.position } }

  /// How many clients read at present; the service's own parts do not count.
  package var streamCount: Int { state.withLock { $0.streams.count } }

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

  /// Begins to be woken by events; ends with the reader's life.
  ///
  /// - Parameter isStream: true for a client's stream, of which there are only so many.
  package func subscribe(isStream: Bool = false) -> EventReader {
    // One mark is enough: whoever wakes reads everything that is new.
    let (wakes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let key = state.withLock { state in
      state.nextReader += 1
      state.readers[state.nextReader] = continuation
      if isStream { state.streams.insert(state.nextReader) }
      return state.nextReader
    }
    return EventReader(wakes: wakes, continuation: continuation) { [weak self] in
      self?.state.withLock { state in
        state.readers[key] = nil
        state.streams.remove(key)
      }
    }
  }
}
