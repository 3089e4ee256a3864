import Music

/// Users' edits to a take: `annotations.json` in its folder. The manifest beside it stays as it was sealed.
package struct TakeEdits: TakeSidecar, Hashable {
  package static let currentVersion = 1
  package static let fileName = "annotations.json"

  /// An assignment of the take to another song, or to none, under this number.
  package struct Move: Hashable, Sendable, Codable {
    package var song: Song?
    package var number: Int

    package init(song: Song?, number: Int) {
      self.song = song
      self.number = number
    }
  }

  /// A move of the take to the trash.
  package struct Deletion: Hashable, Sendable, Codable {
    package var at: WallTime
    /// The folder to which a restore moves it back.
    package var from: String

    package init(at: WallTime, from: String) {
      self.at = at
      self.from = from
    }
  }

  package var version = TakeEdits.currentVersion
  package var take: TakeID
  package var revision: Int
  package var annotations = TakeAnnotations()
  package var move: Move?
  /// Added cues, and changed ones in their new form.
  package var cues: [Cue] = []
  /// Removed cues of the recording.
  package var removedCues: [CueID] = []
  package var deletion: Deletion?

  /// Creates edits without any change.
  package init(take: TakeID) {
    self.take = take
    revision = 1
  }

  package func check() throws(ValueProblem) {
    try NumberRule.counter(revision, field: "revision")
    try annotations.checkNumbers()
    if let move {
      try NumberRule.counter(move.number, field: "move.number")
      try move.song?.checkNumbers()
    }
  }

  /// The take's cues: those of the recording with all edits applied, sorted by position.
  package func merged(_ recorded: [Cue]) -> [Cue] {
    let gone = Set(removedCues).union(cues.map(\.id))
    return (recorded.filter { !gone.contains($0.id) } + cues)
      .sorted { ($0.position, $0.id) < ($1.position, $1.id) }
  }

  /// Applies the edits to `contents`.
  package func applied(to contents: TakeContents) -> TakeContents {
    var contents = contents
    contents.take.annotations = annotations
    contents.take.revision = revision
    if let move {
      contents.take.song = move.song
      contents.take.number = move.number
    }
    contents.cues = merged(contents.cues)
    return contents
  }
}
