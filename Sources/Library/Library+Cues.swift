import Music
import Recording

extension Library {
  /// Maximum number of cues that users may add to a take.
  package static let maximumCues = 10_000

  /// Adds a cue to a take, even after it has ended.
  ///
  /// - Parameter ifRevision: the take's revision known to the caller; cues have no revision of their own.
  /// - Throws: as `edit` does.
  package func addCue(
    to take: TakeID, at position: SamplePosition, text: String, author: ParticipantID? = nil, ifRevision: Int? = nil
  ) async throws -> (cue: Cue, take: Take) {
    try await locked { library in
      var open = try await open(take, ifRevision: ifRevision)
      let cue = Cue(id: CueID(at: MonotonicClock.wall), position: position, text: text, author: author)
      try Library.check(cue.position, in: open.take)
      try Library.check { try TextKind.cue.check(text) }
      guard open.edits.cues.count < Library.maximumCues else {
        throw LibraryError.value(
          ValueProblem("cues", "\(open.edits.cues.count + 1) cues", "at most \(Library.maximumCues)"))
      }
      open.edits.cues.append(cue)
      return (cue, try await write(open, in: library))
    }
  }

  /// Changes a cue's position or text.
  package func editCue(
    _ id: CueID, of take: TakeID, ifRevision: Int? = nil, _ change: @Sendable (inout Cue) throws -> Void
  ) async throws -> (cue: Cue, take: Take) {
    try await locked { library in
      var open = try await open(take, ifRevision: ifRevision)
      guard let former = try await index.cues(of: take).first(where: { $0.id == id }) else {
        throw LibraryError.unknownCue(id, take: take)
      }
      var cue = former
      try change(&cue)
      cue.id = id
      try Library.check(cue.position, in: open.take)
      // A text from before these limits does not keep its cue from being moved.
      if cue.text != former.text { try Library.check { try TextKind.cue.check(cue.text) } }
      guard cue != former else { return (cue, open.take) }
      open.edits.cues.removeAll { $0.id == id }
      open.edits.cues.append(cue)
      return (cue, try await write(open, in: library))
    }
  }

  /// Removes a cue.
  /// - Returns: the take with its new revision.
  package func removeCue(_ id: CueID, of take: TakeID, ifRevision: Int? = nil) async throws -> Take {
    try await locked { library in
      var open = try await open(take, ifRevision: ifRevision)
      guard try await index.cues(of: take).contains(where: { $0.id == id }) else {
        throw LibraryError.unknownCue(id, take: take)
      }
      open.edits.cues.removeAll { $0.id == id }
      // Needed for a cue of the recording, which stays in the manifest; harmless for an added one.
      open.edits.removedCues.append(id)
      return try await write(open, in: library)
    }
  }

  static func check(_ position: SamplePosition, in take: Take) throws(LibraryError) {
    let most = take.length?.samples ?? .max
    guard (0...most).contains(position.samples) else {
      let end = take.length.map { "0 to \($0.seconds) s, the take's length" } ?? "0 or more seconds"
      throw .value(ValueProblem("position", "\(position.seconds) s", end))
    }
  }
}
