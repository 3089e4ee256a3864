import Machines
import Music

/// The beginning of a journal: which take it is and when it began.
package struct JournalHeader: Hashable, Sendable {
  /// The format's version; writers always write `JournalFormat.version`.
  package var version: UInt16
  package var take: TakeID
  /// The take's number among those of its room and song, from 1.
  package var number: Int
  package var room: RoomName
  package var session: SessionID
  package var song: Song?
  /// Civil time of the take's zero; an annotation.
  package var startedAt: WallTime
  /// The take's zero on the recorder's monotonic clock: sample 0 of every track lies here.
  package var zero: MonotonicTime
  /// Name and version of the recorder, "jamjar 1.0.0".
  package var software: String
  /// Whatever else the recorder wants to remember, by name.
  package var options: [String: String]

  package init(
    take: TakeID, number: Int, room: RoomName, session: SessionID, song: Song? = nil, startedAt: WallTime,
    zero: MonotonicTime, software: String, options: [String: String] = [:]
  ) {
    version = JournalFormat.version
    self.take = take
    self.number = number
    self.room = room
    self.session = session
    self.song = song
    self.startedAt = startedAt
    self.zero = zero
    self.software = software
    self.options = options
  }

  /// The header of `take`, whose zero is `zero`.
  package init(take: Take, zero: MonotonicTime, software: String, options: [String: String] = [:]) {
    self.init(
      take: take.id, number: take.number, room: take.room, session: take.session, song: take.song,
      startedAt: take.startedAt, zero: zero, software: software, options: options)
  }

  /// The take as this header knows it, for a folder that the index lost.
  package func take(inFolder folder: String) -> Take {
    Take(
      id: take, number: number, state: .captured, room: room, session: session, song: song, startedAt: startedAt,
      folder: folder)
  }
}
