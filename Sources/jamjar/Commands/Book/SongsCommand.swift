import ArgumentParser
import Music
import Signaling

/// The song book.
struct SongsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "songs", abstract: "List, show, add, edit and delete songs.",
    discussion: "SONG is a song's id or title; case does not matter.",
    subcommands: [List.self, Show.self, Add.self, Edit.self, Delete.self])

  static func show(_ song: JSONObject, json: Bool) {
    guard !json else { return print(JSONValue.object(song).prettyText) }
    var lines = [(song["title"]?.string ?? "").printable, "  id         \(song["id"]?.string ?? "")"]
    let composers = (song["composers"]?.array ?? []).compactMap(\.string)
    if !composers.isEmpty { lines.append("  composers  \(composers.joined(separator: ", ").printable)") }
    if let key = song["key"]?.string { lines.append("  key        \(key.printable)") }
    for change in (song["tempo"]?.array ?? []).compactMap(\.object) {
      lines.append(
        "  tempo      \(change["beatsPerMinute"]?.double ?? 0) in \(change["beatsPerBar"]?.integer ?? 0)/"
          + "\(change["beatUnit"]?.integer ?? 0) from \(Reading.length(seconds: change["position"]?.double))")
    }
    if let notes = song["notes"]?.string { lines.append("  notes      \(notes.printableLines)") }
    lines.append("  revision   \(song["revision"]?.integer ?? 0)")
    print(lines.joined(separator: "\n"))
  }

  /// The editable fields of a song.
  struct Fields: ParsableArguments {
    @Option(name: .long, help: "Composer; can be given several times.") var composer: [String] = []
    @Option(name: .long, help: "The key, for example \"F# minor\"; none removes it.") var key: String?
    @Option(name: .long, help: "Constant tempo in beats per minute, 10 to 999; 0 removes it.") var tempo: Double?
    @Option(name: .long, help: "The metre for --tempo, for example 3/4.") var metre: String = "4/4"
    @Option(name: .long, help: "Notes; none removes them.") var notes: String?

    func validate() throws {
      if let tempo, tempo != 0, !TempoMap.beatsPerMinuteRange.contains(tempo) {
        throw ValidationError("--tempo is \(tempo); permitted: 10 to 999, or 0")
      }
      guard parts != nil else {
        throw ValidationError("--metre is \(metre); permitted: 1 to 64, a slash, and 1, 2, 4, 8, 16, 32 or 64")
      }
    }

    private var parts: (beats: Int, unit: Int)? {
      let numbers = metre.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
      guard numbers.count == 2, let beats = numbers[0], let unit = numbers[1],
        TempoMap.beatsPerBarRange.contains(beats), TempoMap.beatUnits.contains(unit)
      else { return nil }
      return (beats, unit)
    }

    /// The fields as a merge patch.
    var patch: JSONObject {
      var patch: JSONObject = [:]
      if !composer.isEmpty { patch["composers"] = .array(composer.map { .string($0) }) }
      if let key { patch["key"] = key == "none" ? .null : .string(key) }
      if let notes { patch["notes"] = notes == "none" ? .null : .string(notes) }
      if let tempo, let parts {
        patch["tempo"] =
          tempo == 0
          ? .null
          : [
            [
              "beatsPerMinute": .number(tempo), "beatsPerBar": .integer(Int64(parts.beats)),
              "beatUnit": .integer(Int64(parts.unit)),
            ]
          ]
      }
      return patch
    }

    var isEmpty: Bool { composer.isEmpty && key == nil && tempo == nil && notes == nil }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List songs by title.",
      discussion: """
        QUERY finds songs, newest first, by words, phrases in quotes and fields, for example takes:3.. composer:evans. \
        A minus excludes: put such a query in quotes of the shell, or give it with --where. docs/query.md has the grammar.
        """)
    @OptionGroup var query: BookQueryArgument
    @OptionGroup var paging: PagingOptions
    @OptionGroup var shelf: TakeShelfOptions
    @OptionGroup var output: ListOutput

    func validate() throws { try output.check(.songs) }

    func run() async throws {
      try await CommandFailure.orExit {
        let condition = try query.condition(of: .songs)
        let book = try await shelf.book()
        let list = try await paging.gather { limit, cursor in
          try await book.songs(condition, limit: limit, cursor: cursor)
        }
        try output.show(list, .songs, none: "There are no such songs.") { songs in
          var table = TextTable([.whole("song", style: Style.faint), .text("title"), .text("composers"), .text("key")])
          for song in songs { table.add(["id", "title", "composers", "key"].map { song.field($0) }) }
          return table.text
        }
      }
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show a song.")
    @Argument(help: "Id or title.", completion: .song) var song: String
    @OptionGroup var shelf: TakeShelfOptions
    @Flag(name: .long, help: "Print JSON.") var json = false

    func run() async throws {
      try await CommandFailure.orExit { SongsCommand.show(try await shelf.book().findSong(song).json, json: json) }
    }
  }

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Add a song.")
    @Argument(help: "The song's title.") var title: String
    @OptionGroup var fields: Fields
    @OptionGroup var shelf: TakeShelfOptions
    @Flag(name: .long, help: "Print JSON.") var json = false

    func run() async throws {
      try await CommandFailure.orExit {
        var song = fields.patch
        song["title"] = .string(title)
        SongsCommand.show(try await shelf.book(forReadingOnly: false).addSong(song), json: json)
      }
    }
  }

  struct Edit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Change a song; other fields stay as they are.")
    @Argument(help: "Id or title.", completion: .song) var song: String
    @Option(name: .long, help: "The new title.") var title: String?
    @OptionGroup var fields: Fields
    @OptionGroup var shelf: TakeShelfOptions
    @Flag(name: .long, help: "Print JSON.") var json = false

    func validate() throws {
      if title == nil, fields.isEmpty {
        throw ValidationError("nothing to change; give --title, --composer, --key, --tempo or --notes")
      }
    }

    func run() async throws {
      try await CommandFailure.orExit {
        let book = try await shelf.book(forReadingOnly: false)
        var patch = fields.patch
        if let title { patch["title"] = .string(title) }
        SongsCommand.show(try await book.editSong(try await book.findSong(song).id, patch), json: json)
      }
    }
  }

  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Delete a song that is not used by any take.")
    @Argument(help: "Id or title.", completion: .song) var song: String
    @OptionGroup var shelf: TakeShelfOptions

    func run() async throws {
      try await CommandFailure.orExit {
        let book = try await shelf.book(forReadingOnly: false)
        let found = try await book.findSong(song)
        try await book.deleteSong(found.id)
        print("Deleted \"\((found.json["title"]?.string ?? "").printable)\".")
      }
    }
  }
}
