import ArgumentParser
import Catalog
import Foundation
import Music
import Recording
import Signaling

/// The choice of one musician's file of a whole session instead of takes.
struct SoloOptions: ParsableArguments {
  @Option(
    name: .long,
    help: "A musician's name or id: one file of their own sound in the whole session, with silence between the takes.")
  var participant: String?
  @Option(
    name: .long,
    help: "With --participant: the session's id, the first 6 or more characters of it, or last. (default: last)")
  var session: String?

  func validate() throws {
    guard session == nil || participant != nil else {
      throw ValidationError("--session is for the file of one musician; name them with --participant")
    }
  }
}

/// One musician's file of a session, to be written.
struct SoloJob {
  private let solo: SoloFile
  private let session: SessionID
  private let wish: ExportWish
  private let target: ExportTarget

  /// - Throws: `CommandFailure`, `SoloProblem`, `CatalogError`, `FileProblem`.
  init(
    of name: String, session text: String, _ options: ExportOptions, output: String?, on shelf: TakeShelf
  ) async throws {
    let found = try await SoloJob.takes(of: text, on: shelf)
    session = found.session
    var sources: [SoloFile.Source] = []
    for take in found.takes {
      // One that has no files yet, or never will, is no reason to keep the others back.
      guard [.ready, .incomplete].contains(take.state) else { continue }
      let exported = try await ExportedTake(take, on: shelf)
      sources.append(SoloFile.Source(folder: exported.folder, manifest: exported.manifest))
    }
    do throws(SoloProblem) {
      solo = try SoloFile(of: name, in: sources)
    } catch {
      throw CommandFailure(ExitCodes.noInput, error.description)
    }
    wish = try options.wish(tracks: [], cues: [], length: solo.plan.length, output: output)
    guard wish.settings == MixSettings(), wish.perspective == .asPlayed, wish.source == .take, wish.kind == .mix else {
      throw CommandFailure(
        ExitCodes.usage,
        "the file of one musician is their track as it is; of the options for sound it takes --format and --rate")
    }
    let words = "\(solo.participant.name) session \(session.description.suffix(6)) solo"
    let own = "\(FileName.portable(words, fallback: "solo")).\(wish.format.ending)"
    target = try ExportTarget(output.map { $0.hasSuffix("/") ? $0 + own : $0 } ?? own)
  }

  /// The session's takes that are not in the trash.
  private static func takes(of text: String, on shelf: TakeShelf) async throws -> (session: SessionID, takes: [Take]) {
    let session = try await session(text, on: shelf)
    var query = TakeQuery(session: session, limit: 200)
    var takes: [Take] = []
    repeat {
      let page = try await shelf.index.takes(query)
      takes += page.items
      query.cursor = page.next
    } while query.cursor != nil
    return (session, takes)
  }

  private static func session(_ text: String, on shelf: TakeShelf) async throws -> SessionID {
    if text.lowercased() != "last", let id = SessionID(text) { return id }
    let wanted = text.lowercased() == "last" ? "" : text.uppercased()
    guard wanted.isEmpty || wanted.count >= 6 else {
      throw CommandFailure(ExitCodes.usage, "\"\(text)\" is too short for a session: 6 characters of its id, or last")
    }
    var query = SessionQuery(limit: 200)
    var found: [SessionID] = []
    repeat {
      let page = try await shelf.index.sessions(query)
      found += page.items.map(\.id).filter { $0.description.hasPrefix(wanted) }
      query.cursor = page.next
    } while query.cursor != nil && (found.isEmpty || !wanted.isEmpty)
    guard let first = found.first else {
      throw CommandFailure(
        ExitCodes.noInput, wanted.isEmpty ? "there is no session yet" : "there is no session \"\(text)\"")
    }
    guard wanted.isEmpty || found.count == 1 else {
      throw CommandFailure(ExitCodes.usage, "\(found.count) sessions begin with \"\(text)\"; give more of the id")
    }
    return first
  }

  /// Writes the file; the report as text and as JSON. An error of `progress` ends it, and no file is left.
  func run(progress: (Double) throws -> Void) throws -> (text: String, json: JSONValue) {
    let made = try solo.write(
      target.name, in: target.folder, format: wish.format, rate: wish.rate, progress: progress)
    let text =
      "\(solo.participant.name), session \(session): \(target.path)\n  \(Reading.length(made.length)) of "
      + "\(solo.plan.placed.count) takes, \(made.format.rawValue) at \(made.rate) Hz, \(Reading.bytes(made.file.size))"
    let takes = solo.plan.placed.map { placed -> JSONValue in
      [
        "take": .string(placed.take.description), "start": .number(placed.start.seconds),
        "duration": .number(placed.length.seconds),
      ]
    }
    let json: JSONValue = [
      "participant": .string(solo.participant.id.description), "session": .string(session.description),
      "path": .string(target.path), "format": .string(made.format.rawValue),
      "sampleRate": .integer(Int64(made.rate)), "size": .integer(made.file.size),
      "digest": .string(made.file.digest.value), "duration": .number(made.length.seconds), "takes": .array(takes),
    ]
    return (text, json)
  }
}
