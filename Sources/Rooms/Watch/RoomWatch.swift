import Music
import Signaling
import Synchronization

/// Passes the events of rooms to parts of the service that are in none of them.
///
/// Telling never waits. A reader that falls behind loses its stream as a whole: it then begins a new one and reads the
/// snapshots, so it never works with a gap.
package final class RoomWatch: Sendable {
  package enum Sighting: Sendable {
    /// An event that everybody in a room was told.
    case event(RoomEvent, in: RoomName)
    /// A reader's own mark: everything before it has been seen.
    case mark(UInt64)
  }

  private struct Reader {
    var isMeant: @Sendable (RoomName) -> Bool
    var sightings: AsyncStream<Sighting>.Continuation
  }

  private struct State {
    var readers: [UInt64: Reader] = [:]
    var last: UInt64 = 0
  }

  /// Most events that wait for a reader.
  static let backlog = 65_536

  private let state = Mutex(State())

  /// The events of the rooms that are meant, from now on.
  func begin(_ isMeant: @escaping @Sendable (RoomName) -> Bool) -> AsyncStream<Sighting> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Sighting.self, bufferingPolicy: .bufferingOldest(RoomWatch.backlog))
    let number = state.withLock { state in
      state.last += 1
      state.readers[state.last] = Reader(isMeant: isMeant, sightings: continuation)
      return state.last
    }
    continuation.onTermination = { [weak self] _ in self?.end(number) }
    return stream
  }

  private func end(_ number: UInt64) { state.withLock { _ = $0.readers.removeValue(forKey: number) } }

  func tell(_ event: RoomEvent, in room: RoomName) {
    yield(.event(event, in: room)) { $0.isMeant(room) }
  }

  /// Puts a mark behind everything that was told before.
  func mark(_ number: UInt64) { yield(.mark(number)) { _ in true } }

  private func yield(_ sighting: Sighting, to isReader: (Reader) -> Bool) {
    let readers = state.withLock { $0.readers }
    for (number, reader) in readers where isReader(reader) {
      guard case .dropped = reader.sightings.yield(sighting) else { continue }
      end(number)
      reader.sightings.finish()
    }
  }
}

extension Broker {
  /// What everybody is told in the rooms that are meant, from now on; ends if its reader is too slow.
  package func watch(_ isMeant: @escaping @Sendable (RoomName) -> Bool) -> AsyncStream<RoomWatch.Sighting> {
    services.watch.begin(isMeant)
  }

  /// Puts a mark into every watch, behind everything that was told before.
  package func markWatches(_ number: UInt64) { services.watch.mark(number) }
}
