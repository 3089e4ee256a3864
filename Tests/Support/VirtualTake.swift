import Machines
import Music
import Recording

/// A take of virtual players: its journal, made in the order in which a recorder would have received everything.
package struct VirtualTake {
  package let take: Take
  package let header: JournalHeader
  /// In the order of the journal.
  package private(set) var frames: [JournalFrame] = []

  /// Zero of the take on the recorder's clock; any number but 0 does, so that nobody mixes the two up.
  private static let zero = MonotonicTime(nanoseconds: 7_000_000_123)

  /// Records `players` for `length` seconds; player 1 is track 1.
  ///
  /// What comes in the `patience` seconds after that is journaled too, as the service does while holes are open.
  package init(
    _ players: [VirtualPlayer], length: Double, patience: Double = 0, extra: [JournalFrame] = []
  ) throws {
    let started = WallTime(milliseconds: 1_795_000_000_000)
    var random = SeededRandom(42)
    func id<Entity>() -> Identifier<Entity> { Identifier(ULID(at: started, using: &random)) }
    take = Take(
      id: id(), number: 1, state: .rolling, room: try RoomName(checking: "Garage"), session: id(),
      startedAt: started, folder: "Garage/2026-11-18-ABCDEF/01-untitled")
    header = JournalHeader(take: take, zero: VirtualTake.zero, software: "jamjar test")
    var events: [(time: MonotonicTime, frame: JournalFrame)] = extra.map { ($0.time, $0) }
    for (index, player) in players.enumerated() {
      let participant = Participant(id: id(), name: try DisplayName(checking: player.name))
      let track = JournalTrack(trackID: id(), participant: participant, part: "guitar", stream: player.stream)
      let opened = VirtualTake.time(max(0, player.start - 0.05))
      events.append((opened, .trackOpened(track: index + 1, track, at: opened)))
      events += try player.frames(track: index + 1, zero: VirtualTake.zero).map { ($0.time, $0) }
    }
    let end = VirtualTake.time(length)
    // Equal times keep their order: sorting must not depend on the library's algorithm.
    frames = events.enumerated()
      .filter { $0.element.time < VirtualTake.time(length + patience) }
      .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
      .map(\.element.frame)
    frames.append(.end(at: end, .stopped))
  }

  /// The instant `seconds` after the take's zero on the recorder's clock.
  package static func time(_ seconds: Double) -> MonotonicTime { zero + .nanoseconds(Int64(seconds * 1e9)) }

  /// The journal's bytes.
  package var journal: [UInt8] {
    var writer = JournalWriter(header: header)
    for frame in frames { writer.append(frame) }
    return writer.take()
  }
}
