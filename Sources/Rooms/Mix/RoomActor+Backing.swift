import Machines
import Music
import Recording
import Signaling

/// Backing tracks: every page plays the file by itself, at the time of the service's clock that the room names.
extension RoomActor {
  /// From the request until the sound: the time in which every page hears of it, and has its beginning ready.
  private static let lead = MonotonicTime.Span.milliseconds(500)

  /// What is heard now, or is about to be.
  func heardBacking(at now: MonotonicTime) -> BackingPlay? { backing.flatMap { $0.isHeard(at: now) ? $0 : nil } }

  /// Lets everybody hear a backing track from sample `from` on; the one that is heard ends.
  /// - Throws: `RoomRefusal` `.wrongState` if nobody is there to hear it.
  func play(_ track: Backing, from: SamplePosition) throws(RoomRefusal) -> BackingPlay {
    guard !members.isEmpty, !isClosed else {
      throw RoomRefusal(.wrongState, "nobody is in \(name) to hear it; join first")
    }
    let now = MonotonicClock.now
    let play = BackingPlay(
      backing: track.id, title: track.title, length: track.length, from: from, at: now + RoomActor.lead)
    backing = play
    takes.rolling?.append(.backing(at: now, JournalBacking(play)))
    tell(.backing(play))
    return play
  }

  /// Ends what is heard, if it is the backing track `id`, or whichever it is.
  func stopBacking(_ id: BackingID? = nil) {
    let now = MonotonicClock.now
    guard let heard = heardBacking(at: now), id.map({ $0 == heard.backing }) ?? true else { return }
    backing = nil
    takes.rolling?.append(.backing(at: now, nil))
    tell(.backing(nil))
  }

  /// Has every page look at the list of backing tracks again.
  func backingsChanged() { tell(.backing(heardBacking(at: MonotonicClock.now))) }
}

/// Backing tracks, for those who ask over REST.
extension Broker {
  /// What a room hears, or is about to hear.
  package func backing(in name: RoomName) async -> BackingPlay? { await existing(name)?.snapshot.backing }

  /// - Throws: `RoomRefusal` `.wrongState` if nobody is in the room.
  package func play(
    _ track: Backing, from: SamplePosition, in name: RoomName
  ) async throws(RoomRefusal) -> BackingPlay {
    try await live(name).play(track, from: from)
  }

  package func stopBacking(_ id: BackingID? = nil, in name: RoomName) async { await existing(name)?.stopBacking(id) }

  package func backingsChanged(in name: RoomName) async { await existing(name)?.backingsChanged() }
}

extension JournalBacking {
  init(_ play: BackingPlay) {
    self.init(
      id: play.backing, title: play.title, length: play.length.samples, from: play.from.samples, starts: play.at)
  }
}
