/// One numbered attempt at a song, or untitled playing.
package struct Take: Hashable, Sendable, Codable {
  package var id: TakeID
  /// Counts the takes of the same song (or of no song) in the same room, from 1.
  package var number: Int
  package var state: TakeState
  package var room: RoomName
  package var session: SessionID
  package var song: Song?
  package var startedAt: WallTime
  package var endedAt: WallTime?
  /// Length of every track and of the mix; nil until it is known.
  package var length: SamplePosition?
  package var trackCount: Int
  /// The take's folder, relative to the data folder.
  package var folder: String
  /// What people say of it.
  package var annotations: TakeAnnotations
  /// Integrated loudness of the mix in LUFS (EBU R 128), nil where it cannot be told.
  package var loudness: Double?
  /// When it was moved to the trash, nil for a take that is kept.
  package var deletedAt: WallTime?
  /// 1 as it was recorded, one more with every edit (annotations, song, cues, delete, restore): what an edit compares
  /// with. The recorder's own progress (state, length, tracks) does not count.
  package var revision: Int

  package init(
    id: TakeID, number: Int, state: TakeState = .rolling, room: RoomName, session: SessionID, song: Song? = nil,
    startedAt: WallTime, endedAt: WallTime? = nil, length: SamplePosition? = nil, trackCount: Int = 0, folder: String,
    annotations: TakeAnnotations = TakeAnnotations(), loudness: Double? = nil, deletedAt: WallTime? = nil,
    revision: Int = 1
  ) {
    self.id = id
    self.number = number
    self.state = state
    self.room = room
    self.session = session
    self.song = song
    self.startedAt = startedAt
    self.endedAt = endedAt
    self.length = length
    self.trackCount = trackCount
    self.folder = folder
    self.annotations = annotations
    self.loudness = loudness
    self.deletedAt = deletedAt
    self.revision = revision
  }

  private enum CodingKeys: String, CodingKey {
    case id, number, state, room, session, song, startedAt, endedAt, length, trackCount, folder
    case annotations, loudness, deletedAt, revision
  }

  /// Reads the form of older manifests too, which had nothing of people's edits.
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    id = try values.decode(TakeID.self, forKey: .id)
    number = try values.decode(Int.self, forKey: .number)
    state = try values.decode(TakeState.self, forKey: .state)
    room = try values.decode(RoomName.self, forKey: .room)
    session = try values.decode(SessionID.self, forKey: .session)
    song = try values.decodeIfPresent(Song.self, forKey: .song)
    startedAt = try values.decode(WallTime.self, forKey: .startedAt)
    endedAt = try values.decodeIfPresent(WallTime.self, forKey: .endedAt)
    length = try values.decodeIfPresent(SamplePosition.self, forKey: .length)
    trackCount = try values.decode(Int.self, forKey: .trackCount)
    folder = try values.decode(String.self, forKey: .folder)
    annotations = try values.decodeIfPresent(TakeAnnotations.self, forKey: .annotations) ?? TakeAnnotations()
    loudness = try values.decodeIfPresent(Double.self, forKey: .loudness)
    deletedAt = try values.decodeIfPresent(WallTime.self, forKey: .deletedAt)
    revision = try values.decodeIfPresent(Int.self, forKey: .revision) ?? 1
  }

  /// Writes what there is: a take that nobody edited has the form that older releases wrote.
  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(id, forKey: .id)
    try values.encode(number, forKey: .number)
    try values.encode(state, forKey: .state)
    try values.encode(room, forKey: .room)
    try values.encode(session, forKey: .session)
    try values.encodeIfPresent(song, forKey: .song)
    try values.encode(startedAt, forKey: .startedAt)
    try values.encodeIfPresent(endedAt, forKey: .endedAt)
    try values.encodeIfPresent(length, forKey: .length)
    try values.encode(trackCount, forKey: .trackCount)
    try values.encode(folder, forKey: .folder)
    if !annotations.isEmpty { try values.encode(annotations, forKey: .annotations) }
    try values.encodeIfPresent(loudness, forKey: .loudness)
    try values.encodeIfPresent(deletedAt, forKey: .deletedAt)
    if revision != 1 { try values.encode(revision, forKey: .revision) }
  }
}
