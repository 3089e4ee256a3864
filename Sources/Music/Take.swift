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

/// How far a take has come.
///
/// `rolling → captured → rendering → ready`; `incomplete` and `failed` stand beside them.
package enum TakeState: String, Sendable, Hashable, Codable, CaseIterable {
  /// Recording.
  case rolling
  /// Stopped; the journal is whole and on disk.
  case captured
  /// Tracks and mix are being made.
  case rendering
  /// Everything is there.
  case ready
  /// Everything that could be saved is there, and the manifest says what is missing (a crash, a full disk).
  case incomplete
  /// The render gave up; the journal is kept and can be rendered again.
  case failed

  /// Whether a take may go from this state to `next`.
  package func mayBecome(_ next: TakeState) -> Bool {
    switch (self, next) {
    case (.rolling, .captured), (.rolling, .rendering), (.rolling, .incomplete), (.rolling, .failed): true
    case (.captured, .rendering), (.captured, .failed): true
    case (.rendering, .ready), (.rendering, .incomplete), (.rendering, .failed): true
    // A take can always be rendered again from its journal.
    case (.ready, .rendering), (.incomplete, .rendering), (.failed, .rendering): true
    default: false
    }
  }

  /// True while audio may still be added.
  package var isOpen: Bool { self == .rolling }
}

/// What the second look at a take's whole journal changed, which the first, that followed it, could not know.
package struct Refinement: Hashable, Sendable, Codable {
  /// Packets that are heard now and were not.
  package var packets: Int
  /// Packets that were heard and are not any more: what stood in their place was theirs.
  package var droppedPackets: Int
  /// The most by which a sound was moved, in milliseconds.
  package var greatestMove: Double

  package init(packets: Int, droppedPackets: Int, greatestMove: Double) {
    self.packets = packets
    self.droppedPackets = droppedPackets
    self.greatestMove = greatestMove
  }

  /// What is too little to write the files anew, in milliseconds.
  private static let leastMove = 0.25

  /// True where the files are worth being replaced.
  package var isWorthwhile: Bool {
    packets > droppedPackets || (packets == droppedPackets && greatestMove >= Refinement.leastMove)
  }
}

extension Refinement: CustomStringConvertible {
  package var description: String {
    let count = packets == 1 ? "1 packet more is" : "\(packets) packets more are"
    let move = (greatestMove * 10).rounded() / 10
    return "made more exact with hindsight: \(count) heard, sounds moved by up to \(move) ms"
  }
}

extension Refinement {
  /// - Throws: `ValueProblem` that names the field, its value, and what is permitted.
  package func check() throws(ValueProblem) {
    guard packets >= 0, droppedPackets >= 0, greatestMove.isFinite else {
      throw ValueProblem("refinement", "\(self)", "counts from 0 and a length of time")
    }
  }
}
