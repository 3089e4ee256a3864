/// One numbered recording of a song, or of untitled playing.
package struct Take: Hashable, Sendable, Codable {
  package var id: TakeID
  /// Counts the takes of the same song (or without one) in the same room, from 1.
  package var number: Int
  package var state: TakeState
  package var room: RoomName
  package var session: SessionID
  package var song: Song?
  package var startedAt: WallTime
  package var endedAt: WallTime?
  /// Length of every track and of the mix; nil until known.
  package var length: SamplePosition?
  package var trackCount: Int
  /// The take's folder, relative to the data folder.
  package var folder: String
  /// Comments and ratings by users.
  package var annotations: TakeAnnotations
  /// Integrated loudness of the mix in LUFS (EBU R 128); nil if it cannot be measured.
  package var loudness: Double?
  /// When it was moved to the trash; nil if it is kept.
  package var deletedAt: WallTime?
  /// Starts at 1 and increases by one with every edit (annotations, song, cues, delete, restore); used to detect
  /// conflicting edits. The recorder's own progress (state, length, tracks) does not change it.
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

  /// Also decodes older manifests, which contained no edits.
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

  /// Encodes only existing fields: a take without edits has the form of older releases.
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

/// The progress of a take.
///
/// `rolling → captured → rendering → ready`; `incomplete` and `failed` are alternative final states.
package enum TakeState: String, Sendable, Hashable, Codable, CaseIterable {
  /// Recording.
  case rolling
  /// Stopped; the journal is complete and on disk.
  case captured
  /// Tracks and mix are being rendered.
  case rendering
  /// Everything is available.
  case ready
  /// Everything that could be saved is available; the manifest lists what is missing (a crash, a full disk).
  case incomplete
  /// Rendering failed; the journal is kept and can be rendered again.
  case failed

  /// True if a take may change from this state to `next`.
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

/// Changes made by the second pass over a take's whole journal, with information not available to the first.
package struct Refinement: Hashable, Sendable, Codable {
  /// Packets that became audible.
  package var packets: Int
  /// Packets that are no longer audible because others belong in their place.
  package var droppedPackets: Int
  /// Largest change of a sound's position, in milliseconds.
  package var greatestMove: Double

  package init(packets: Int, droppedPackets: Int, greatestMove: Double) {
    self.packets = packets
    self.droppedPackets = droppedPackets
    self.greatestMove = greatestMove
  }

  /// Smallest move that justifies rendering again, in milliseconds.
  private static let leastMove = 0.25

  /// True if replacing the files is worthwhile.
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
  /// - Throws: `ValueProblem` with the field, its value, and the permitted range.
  package func check() throws(ValueProblem) {
    guard packets >= 0, droppedPackets >= 0, greatestMove.isFinite else {
      throw ValueProblem("refinement", "\(self)", "counts from 0 and a length of time")
    }
  }
}
