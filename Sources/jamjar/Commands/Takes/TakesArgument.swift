import ArgumentParser
import Foundation
import Music
import Server
import Signaling

/// The takes that a command is about: TAKE…, or all that match a query.
struct TakesArgument: ParsableArguments {
  @OptionGroup var names: TakeNames

  var take: [String] { names.take }
  var query: String? { names.query }

  init() {}

  /// - Throws: `ValidationError` without a take or query, or with both.
  init(_ names: TakeNames) throws {
    self.names = names
    try validate()
  }

  func validate() throws {
    guard take.isEmpty != (query == nil) else {
      throw ValidationError(
        take.isEmpty
          ? "name a take: its id, the first 6 or more characters of it, or last; or give a query with --where"
          : "TAKE and --where exclude each other; give one of them")
    }
  }

  /// True if the command was given a single TAKE, whose JSON is the object alone.
  var isOne: Bool { query == nil && take.count == 1 }

  /// The takes, newest first for a query. All are found before the first is changed: an edit may change what matches.
  /// - Parameter isDeleted: true to search the trash.
  /// - Throws: `CommandFailure` if there is none, and errors of the source.
  func find(in source: any TakeSource, isDeleted: Bool = false) async throws -> [TakeView] {
    guard let query else {
      var found: [TakeView] = []
      for text in take { found.append(try await source.find(text)) }
      return found
    }
    var filter = TakeFilter(condition: try QueryText.condition(query), isDeleted: isDeleted, limit: 200)
    var found: [TakeView] = []
    repeat {
      let page = try await source.takes(filter).object
      found += page?["items"]?.array?.compactMap(\.object).map(TakeView.init) ?? []
      filter.cursor = page?["next"]?.string
    } while filter.cursor != nil
    guard !found.isEmpty else {
      throw CommandFailure(
        ExitCodes.noInput,
        "no take in \(source.place)\(isDeleted ? " is in the trash and" : "") matches \(query.shortened(to: 200))")
    }
    return found
  }

  /// The same with all members, such as cues, which a list of takes lacks.
  func findWhole(in source: any TakeSource) async throws -> [TakeView] {
    var whole: [TakeView] = []
    for view in try await find(in: source) {
      whole.append(query == nil ? view : try await source.find(view.id))
    }
    return whole
  }
}

/// The takes as they are named, or not at all.
struct TakeNames: ParsableArguments {
  @Argument(help: "Ids of takes, the first 6 or more characters of each, or last.", completion: .take)
  var take: [String] = []
  @Option(
    name: .customLong("where"), parsing: .unconditional,
    help: ArgumentHelp(
      "All takes that match this query instead, for example 'room:cellar rating:4.. -tag:warmup'; docs/query.md.",
      valueName: "query"))
  var query: String?
}

/// What protects many takes from a query that says more than was meant.
struct ChangeOptions: ParsableArguments {
  @Flag(name: .long, help: "Do not ask before changing all takes that match --where.")
  var yes = false
  @Flag(name: .customLong("dry-run"), help: "Only list the takes that would be changed.")
  var isDryRun = false

  /// Shows the takes for --dry-run; asks before several takes of a query are changed.
  /// - Parameter verb: what is done with them: "delete".
  /// - Returns: false if nothing is to be done.
  /// - Throws: `CommandFailure` if the answer is no, or nobody can be asked.
  func permit(_ verb: String, _ takes: [TakeView], of choice: TakesArgument, json: Bool) throws -> Bool {
    guard !isDryRun else {
      if json {
        print(Representation.list(takes.map { .object($0.json) }, next: nil).prettyText)
      } else {
        print("Would \(verb) \(ChangeOptions.count(takes)):\n\(TakeTable.text(takes))")
      }
      return false
    }
    guard choice.query != nil else { return true }
    let number = ChangeOptions.count(takes)
    if !json { print("\(number) \(takes.count == 1 ? "matches" : "match").") }
    guard takes.count > 1, !yes else { return true }
    guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else {
      throw CommandFailure(
        ExitCodes.usage, "\(number) match; give --yes to \(verb) all of them, or --dry-run to see them")
    }
    FileHandle.standardError.write(Data("\(verb) \(number)? [y/N] ".utf8))
    guard ["y", "yes"].contains(readLine()?.lowercased()) else {
      throw CommandFailure(ExitCodes.usage, "nothing was changed")
    }
    return true
  }

  private static func count(_ takes: [TakeView]) -> String { takes.count == 1 ? "1 take" : "\(takes.count) takes" }
}

extension TakesArgument {
  /// Changes the takes in order, after finding all of them.
  /// - Parameter verb: what is done with them: "delete".
  func each(
    on options: TakeShelfOptions, _ changes: ChangeOptions, _ verb: String, isDeleted: Bool = false, json: Bool,
    jsonOfOne: Bool = false, _ edit: (any SongBook, TakeID, TakeView) async throws -> JSONObject
  ) async throws {
    try await CommandFailure.orExit {
      let book = try await options.book(forReadingOnly: changes.isDryRun)
      let found = try await find(in: book.takes, isDeleted: isDeleted)
      guard try changes.permit(verb, found, of: self, json: json) else { return }
      var edited: [JSONValue] = []
      for view in found {
        let take = try await edit(book, try view.identifier(in: book.takes), view)
        if json { edited.append(.object(take)) } else { print(EditedTake(take).text) }
      }
      if json {
        print((jsonOfOne && isOne ? edited.first ?? .null : Representation.list(edited, next: nil)).prettyText)
      }
    }
  }
}
