import Machines
import Recording
import Rooms
import Signaling
import Synchronization

/// Says that a stream has come to the end that it has.
final class StreamEnd: Sendable {
  private let state = Atomic(false)

  var isReached: Bool { state.load(ordering: .relaxed) }

  func reach() { state.store(true, ordering: .relaxed) }
}

/// The way of a stream's sound into the room here: its first sound takes the seat.
final class StreamInlet: Sendable {
  private struct State {
    var publication: RTMPPublication?
    var heardAt: MonotonicTime
  }

  /// Most bytes on their way into the room: about ten seconds of music.
  private static let limit = 256 << 10

  private let budget = ByteBudget(limit: StreamInlet.limit)
  private let state: Mutex<State>
  private let open: @Sendable (ByteBudget) async throws(RoomRefusal) -> RTMPPublication

  init(
    at now: MonotonicTime, open: @escaping @Sendable (ByteBudget) async throws(RoomRefusal) -> RTMPPublication
  ) {
    state = Mutex(State(heardAt: now))
    self.open = open
  }

  /// When the last sound came, or the listening began.
  var heardAt: MonotonicTime { state.withLock { $0.heardAt } }

  /// What has been opened; nil before the first sound.
  var publication: RTMPPublication? { state.withLock { $0.publication } }

  /// Takes a piece of sound; waits while the room has too much of it. Called by one task.
  /// - Throws: `GuestFault` if there is no seat for it.
  func take(_ tag: AudioTag, timestamp: UInt32) async throws(GuestFault) {
    let now = MonotonicClock.now
    let known = state.withLock { state in
      if case .frame = tag.content { state.heardAt = now }
      return state.publication
    }
    let publication: RTMPPublication
    if let known {
      publication = known
    } else {
      do throws(RoomRefusal) {
        publication = try await open(budget)
      } catch {
        throw GuestFault(error.code == .roomFull ? .full : .lost, error.description)
      }
      state.withLock { $0.publication = publication }
    }
    publication.take(tag, timestamp: timestamp, arrival: now)
    await budget.room()
  }

  /// No more sound comes; what is on its way is still recorded.
  func finish(isLost: Bool) {
    budget.lift()
    publication?.finish(isLost: isLost)
  }
}
