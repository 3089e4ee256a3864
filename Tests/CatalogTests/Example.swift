import Music

/// Domain values for tests; every call gives new identifiers.
enum Example {
  static let noon = WallTime(milliseconds: 1_795_262_400_000)

  static func time(_ seconds: Int64) -> WallTime {
    WallTime(milliseconds: noon.milliseconds + seconds * 1_000)
  }

  static func room(_ name: String) throws -> RoomName { try RoomName(checking: name) }

  static func session(_ room: String = "Cellar", at seconds: Int64 = 0) throws -> Session {
    Session(id: SessionID(at: time(seconds)), room: try self.room(room), startedAt: time(seconds))
  }

  static func take(
    _ session: Session, at seconds: Int64 = 0, number: Int = 1, state: TakeState = .rolling, song: Song? = nil
  ) -> Take {
    let id = TakeID(at: time(seconds))
    return Take(
      id: id, number: number, state: state, room: session.room, session: session.id, song: song,
      startedAt: time(seconds), folder: "takes/\(id)")
  }

  /// A take as its manifest has it, in a session that no index knows yet.
  static func finished(
    _ room: String = "Cellar", at seconds: Int64 = 0, number: Int = 1, state: TakeState = .ready, song: Song? = nil
  ) throws -> Take {
    var take = take(try session(room, at: seconds), at: seconds, number: number, state: state, song: song)
    take.endedAt = time(seconds + 20)
    take.length = SamplePosition(20 * SamplePosition.rate)
    return take
  }

  static func participant(_ name: String) throws -> Participant {
    Participant(id: ParticipantID(at: noon), name: try DisplayName(checking: name))
  }

  static func track(_ take: Take, _ number: Int, _ participant: Participant, gaps: [Gap] = []) -> Track {
    Track(
      id: TrackID(at: noon), take: take.id, number: number, participant: participant, part: "guitar",
      meta: "{\"seat\":\(number)}", channels: 2,
      length: take.length, file: "0\(number)-guitar.flac", peak: -3.25, loudness: -18.5, gaps: gaps,
      alignment: AlignmentReport(
        drift: 80.5, offset: 0.25, errorBound: 0.5, expectedPackets: 2_000, recoveredPackets: 7, lostPackets: 2,
        concealedSamples: 1_920, basis: "sender reports",
        stretches: [
          BoundedStretch(start: .zero, end: SamplePosition(48_000), errorBound: 0.5, basis: "arrival times"),
          BoundedStretch(
            start: SamplePosition(48_000), end: SamplePosition(960_000), errorBound: nil,
            unknownBecause: "no round trip was measured", basis: "sender reports"),
        ], unseenDrops: [SampleSpan(start: SamplePosition(950_000), end: SamplePosition(960_000))],
        talks: [SampleSpan(start: SamplePosition(96_000), end: SamplePosition(144_000))]))
  }

  static func song(_ title: String) -> Song { Song(id: SongID(at: noon), title: title) }
}
