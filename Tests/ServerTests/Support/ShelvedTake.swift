import Catalog
import Music
import Recording
import Rooms

/// A finished take on a shelf: rows in the index, files of known contents on the disk.
struct ShelvedTake {
  var take: Take
  var track: Track
  var session: Session

  static let audio = String((0..<1_000).map { Character(Unicode.Scalar(UInt8(0x41 + $0 % 26))) })

  init(
    _ room: String = "Cellar", in data: DataFolder, _ catalog: SQLiteCatalog, state: TakeState = .ready,
    song: String? = "Blue in Green", player: String = "Ada", session former: Session? = nil
  ) async throws {
    let name = try RoomName(checking: room)
    let now = MonotonicClock.wall
    let session = former ?? Session(id: SessionID(at: now), room: name, startedAt: now)
    if former == nil { try await catalog.open(session) }
    self.session = session
    let wish = Take(
      id: TakeID(at: now), number: 1, room: name, session: session.id, startedAt: now, folder: "to be chosen")
    take = try await catalog.create(wish, songTitle: song) { "shelf/\(session.id)/\($0.number)" }
    take.state = state
    take.length = SamplePosition(96_000)
    take.endedAt = now
    take.trackCount = 1
    track = Track(
      id: TrackID(at: now), take: take.id, number: 1,
      participant: Participant(id: ParticipantID(at: now), name: try DisplayName(checking: player)), part: "guitar",
      channels: 2, length: take.length, file: "01-ada-guitar.flac", peak: -3, loudness: -18.5,
      gaps: [
        Gap(start: SamplePosition(48_000), length: SamplePosition(960), cause: .loss, isConcealed: true)
      ])
    if state != .rolling {
      let cue = Cue(id: CueID(at: now), position: SamplePosition(24_000), text: "bridge")
      if state != .captured { try await catalog.setState(of: take.id, to: .rendering) }
      try await catalog.store(take, tracks: [track], cues: [cue])
    }
    try data.write(ShelvedTake.audio, "\(take.folder)/01-ada-guitar.flac")
    try data.write("the mix", "\(take.folder)/mix.flac")
    try data.write("peaks of the mix", "\(take.folder)/mix.peaks.dat")
    try data.write("peaks of ada", "\(take.folder)/01-ada-guitar.peaks.dat")
    let cues = try await catalog.cues(of: take.id)
    let manifest = Manifest(software: "test", take: take, session: session, tracks: [track], cues: cues)
    if state != .rolling { try data.write(try manifest.encoded(), "\(take.folder)/manifest.json") }
  }
}
