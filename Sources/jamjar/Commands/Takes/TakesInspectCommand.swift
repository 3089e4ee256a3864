import ArgumentParser
import Foundation
import Machines
import Music
import Recording
import Signaling

/// Shows the contents of a journal, frame by frame if requested.
struct TakesInspectCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Show the contents of a take's journal: tracks, frames, times, rates, damage, a torn tail.",
    discussion: """
      Changes nothing and works while the take is rolling. JOURNAL is a file (a path with a slash or ending in \
      .journal), a take's folder, or a take in the data folder. Files need no index.
      """)

  @Argument(
    help: "Path of a journal or of a take's folder; or a take: its id, 6 or more characters of it, or last.",
    completion: .file())
  var journal: String?
  @Option(
    name: .customLong("where"), parsing: .unconditional,
    help: ArgumentHelp("The journals of all takes that match this query instead; docs/query.md.", valueName: "query"))
  var query: String?
  @OptionGroup var shelf: TakeShelfOptions
  @Flag(name: .long, help: "List every frame, one per line; with --json, one object per line.")
  var frames = false
  @Flag(name: .long, help: "Print JSON.")
  var json = false

  func validate() throws {
    guard (journal == nil) != (query == nil) else {
      throw ValidationError("give either JOURNAL (a path, a take's id, or last) or --where with a query")
    }
  }

  func run() async throws {
    try await CommandFailure.orExit {
      guard let journal else {
        let shelf = try await TakeShelf(shelf)
        let takes = try TakesArgument.parse(["--where", query ?? ""])
        for view in try await takes.find(in: LocalSource(shelf)) {
          try inspect(try TakesInspectCommand.journal(of: try await shelf.take(view.id), on: shelf))
        }
        return
      }
      try inspect(try await file(journal))
    }
  }

  private func inspect(_ file: JournalFile) throws {
    let lines = FrameLines(isJSON: json)
    let found = try JournalInspection(file) { frame, header in
      if frames { lines.write(frame, from: header.zero) }
    }
    if !frames { print(json ? found.json.prettyText : JournalReport(found).text) }
  }

  private static func journal(of take: Take, on shelf: TakeShelf) throws -> JournalFile {
    try JournalFile(openingIn: try TakeFolder(existing: take.folder, in: shelf.data), forReadingOnly: true)
  }

  private func file(_ journal: String) async throws -> JournalFile {
    var isFolder: ObjCBool = false
    let isThere = FileManager.default.fileExists(atPath: journal, isDirectory: &isFolder)
    if isThere, isFolder.boolValue { return try JournalFile(readingAt: "\(journal)/\(TakeFolder.journalName)") }
    if isThere || journal.contains("/") || journal.hasSuffix(".journal") {
      return try JournalFile(readingAt: journal)
    }
    let shelf = try await TakeShelf(shelf)
    return try TakesInspectCommand.journal(of: try await shelf.take(journal), on: shelf)
  }
}
