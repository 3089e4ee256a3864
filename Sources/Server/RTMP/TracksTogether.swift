import Machines
import Synchronization

/// Keeps the tracks of one stream together: one clock tells whether they are pushed faster than they play, and none gets
/// far ahead of another. A take is rendered some seconds behind its newest sound, so a track that came much later than
/// the others would be a gap.
final class TracksTogether: Sendable {
  private struct Track {
    /// When its latest sound was due.
    var due: MonotonicTime
    /// Messages that wait for their turn.
    var waiting = 0
    /// When it last got on.
    var moved: MonotonicTime
  }

  private struct State {
    var clock = PushClock()
    var tracks: [UInt8: Track] = [:]
    /// The latest timestamp, and when its first message came.
    var moment: (timestamp: Int64, arrival: MonotonicTime)?
  }

  /// Most that a track may be ahead of another.
  static let lead = MonotonicTime.Span.milliseconds(500)
  /// A track that does not get on for so long holds nobody up: its decoder waits for more sound, or is stuck.
  static let patience = MonotonicTime.Span.seconds(2)

  private let state = Mutex(State())

  /// Adds a message of a track with its timestamp in milliseconds. What was captured at one moment came at one: what a busy
  /// machine puts between two tracks' messages of the same timestamp would lie between their sounds.
  func add(_ track: UInt8, timestamp: Int64, at arrival: MonotonicTime) -> StreamArrival {
    state.withLock { state in
      let first = state.moment.flatMap { $0.timestamp == timestamp ? $0.arrival : nil } ?? arrival
      state.moment = (timestamp, first)
      let place = state.clock.add(timestamp: timestamp, track: track, at: first)
      state.tracks[track, default: Track(due: place.due, moved: arrival)].waiting += 1
      return place
    }
  }

  /// A message of the track has had its turn.
  func takes(_ track: UInt8) { state.withLock { $0.tracks[track]?.waiting -= 1 } }

  /// The place of a message, nil while a later one may change it or the track is ahead of another.
  func place(_ message: StreamArrival, of track: UInt8, at now: MonotonicTime) -> PushClock.Place? {
    state.withLock { state in
      let isAhead = state.tracks.contains { number, other in
        number != track && other.waiting > 0 && other.due + TracksTogether.lead < message.due
          && now - other.moved < TracksTogether.patience
      }
      guard !isAhead, let place = state.clock.place(message, at: now) else { return nil }
      state.tracks[track]?.due = message.due
      state.tracks[track]?.moved = now
      return place
    }
  }

  /// The track is over, and holds nobody up.
  func leave(_ track: UInt8) { state.withLock { $0.tracks[track] = nil } }

  /// Ends the stream.
  func end() { state.withLock { $0.clock.end() } }
}
