import Music
import Recording
import Signaling

extension Library {
  /// Adds a link to a take.
  ///
  /// - Parameter make: makes the link, under the lock of edits.
  /// - Throws: as `edit` does; `LibraryError.value` if the take has too many links.
  package func share(_ take: TakeID, as share: Share) async throws -> (share: Share, take: Take) {
    try await locked { library in
      let open = try await open(take, ifRevision: nil)
      var shares = try TakeShares(of: take, in: open.folder)
      // What has expired makes room.
      shares.shares.removeAll { $0.hasExpired(at: MonotonicClock.wall) }
      guard shares.shares.count < Share.maximumCount else {
        throw LibraryError.value(
          ValueProblem("shares", "\(shares.shares.count + 1) links", "at most \(Share.maximumCount); revoke some"))
      }
      try Library.check { if let title = share.title { try TextKind.title.check(title) } }
      shares.shares.append(share)
      return (share, try await write(shares, of: open, in: library, as: .takeShared))
    }
  }

  /// Revokes a link; false if the take has none of this identifier.
  package func revoke(_ share: ShareID, of take: TakeID) async throws -> Bool {
    try await locked { library in
      let open = try await open(take, ifRevision: nil)
      var shares = try TakeShares(of: take, in: open.folder)
      guard shares.shares.contains(where: { $0.id == share }) else { return false }
      shares.shares.removeAll { $0.id == share }
      _ = try await write(shares, of: open, in: library, as: .takeUnshared)
      return true
    }
  }

  /// The links to a take, also of one in the trash; read off the pool of threads.
  /// - Throws: `FileProblem`.
  package func shares(of take: Take) async throws -> [Share] {
    try await errands.run { [root] () throws(FileProblem) -> [Share] in
      do throws(FileProblem) {
        return try TakeShares(of: take.id, in: TakeFolder(existing: take.folder, in: root)).shares
      } catch  where error.isMissing {
        return []
      }
    }
  }

  /// Adds the comment of a link's visitor to a take's cues.
  /// - Throws: as `addCue` does; `LibraryError.value` if the link has too many comments.
  package func addComment(
    to take: TakeID, at position: SamplePosition, text: String, comment: CueComment
  ) async throws -> Cue {
    try await locked { library in
      var open = try await open(take, ifRevision: nil)
      let cue = Cue(id: CueID(at: MonotonicClock.wall), position: position, text: text, comment: comment)
      try Library.check(cue.position, in: open.take)
      try Library.check { try TextKind.cue.check(text) }
      let count = open.edits.cues.count { $0.comment?.share == comment.share }
      guard count < Share.maximumComments else {
        throw LibraryError.value(
          ValueProblem("comments", "\(count + 1) comments", "at most \(Share.maximumComments) by one link"))
      }
      guard open.edits.cues.count < Library.maximumCues else {
        throw LibraryError.value(
          ValueProblem("cues", "\(open.edits.cues.count + 1) cues", "at most \(Library.maximumCues)"))
      }
      open.edits.cues.append(cue)
      _ = try await write(open, in: library, as: .takeCommented)
      return cue
    }
  }

  /// Writes the links as the take's next revision.
  private func write(
    _ shares: TakeShares, of open: OpenTake, in library: TakeFolder, as kind: ServiceEventKind
  ) async throws -> Take {
    var edits = open.edits
    edits.revision += 1
    try await write(
      .take(open.take.id, folders: [open.folder.path]), in: library, as: kind, revision: edits.revision
    ) {
      // A link that holds without its edit would be worse than an edit without its link.
      if kind == .takeShared { try edits.write(TakeEdits.fileName, in: open.folder) }
      try shares.write(TakeShares.fileName, in: open.folder)
      try EditStep.passed(.begun)
      if kind != .takeShared { try edits.write(TakeEdits.fileName, in: open.folder) }
    }
    guard let take = try await index.take(open.take.id) else { throw LibraryError.unknownTake(open.take.id) }
    return take
  }
}
