import Foundation
import Library
import Music
import Recording

/// The imports of one command: takes of one day share a session, and equal names are one musician.
struct ImportRun {
  let library: Library
  let room: RoomName
  var song: Song?
  let aligns: Bool
  /// True to import files that are in a take already.
  let repeats: Bool
  /// True to make nothing.
  let isRehearsal: Bool
  private var cast = ImportCast()

  init(library: Library, room: RoomName, aligns: Bool, repeats: Bool, isRehearsal: Bool) {
    (self.library, self.room, self.aligns) = (library, room, aligns)
    (self.repeats, self.isRehearsal) = (repeats, isRehearsal)
  }

  enum Outcome {
    case made(Take)
    /// The files are in this take already.
    case known(Take)
    case planned
  }

  /// - Throws: `CommandFailure` after Ctrl-C; `FileProblem`, `LibraryError`, errors of the index.
  mutating func carryOut(_ plan: ImportPlan) async throws -> Outcome {
    let files = try plan.files.map { source in
      try Interruption.check()
      return try ImportedFile(source)
    }
    if !repeats, let take = try await library.take(importedFrom: files) { return .known(take) }
    guard !isRehearsal else { return .planned }
    let session = cast.session(at: plan.startedAt, in: room)
    let people = cast.musicians(plan.lanes.map(\.name), at: plan.startedAt)
    var take = Take(
      id: TakeID(at: plan.startedAt), number: 1, state: .ready, room: room, session: session.id, song: song,
      startedAt: plan.startedAt, folder: "")
    take.number = try await library.index.nextNumber(in: room, song: song?.id, besides: take.id)
    let workshop = try library.workshop(for: take.id)
    do {
      let bar = ProgressBar("importing")
      defer { bar.clear() }
      var manifest = try TakeImport(plan, in: workshop.folder, software: Version.text).make(
        take, people: people, files: files, aligns: aligns
      ) { part in
        try Interruption.check()
        bar.show(part)
      }
      manifest.session = session
      return .made(try await library.adopt(manifest, from: workshop))
    } catch {
      library.abandon(workshop)
      throw error
    }
  }
}
