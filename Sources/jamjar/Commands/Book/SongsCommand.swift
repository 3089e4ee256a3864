import ArgumentParser
import Catalog
import Music
import Rooms
import Signaling

/// The song book.
struct SongsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "songs", abstract: "List, show, add, edit and delete songs.",
    discussion: "SONG is a song's id or its title, in any case.",
    subcommands: [List.self, Show.self, Add.self, Edit.self, Delete.self])

  static func show(_ song: Song, json: Bool) {
    guard !json else { return print(BookJSON.song(song).prettyText) }
    var lines = [song.title.printable, "  id         \(song.id)"]
    if !song.composers.isEmpty { lines.append("  composers  \(song.composers.joined(separator: ", ").printable)") }
    if let key = song.key { lines.append("  key        \(key.printable)") }
    for change in song.tempo?.changes ?? [] {
      lines.append(
        "  tempo      \(change.beatsPerMinute) in \(change.beatsPerBar)/\(change.beatUnit) "
          + "from \(Reading.position(change.position))")
    }
    if let notes = song.notes { lines.append("  notes      \(notes.printableLines)") }
    lines.append("  revision   \(song.revision)")
    print(lines.joined(separator: "\n"))
  }

  /// What can be said of a song.
  struct Fields: ParsableArguments {
    @Option(name: .long, help: "Who wrote it; can be given several times.") var composer: [String] = []
    @Option(name: .long, help: "The key, as people write it: \"F# minor\"; none takes it away.") var key: String?
    @Option(name: .long, help: "Beats a minute throughout, 10 to 999; 0 takes the tempo away.") var tempo: Double?
    @Option(name: .long, help: "The metre that goes with --tempo, as 3/4.") var metre: String = "4/4"
    @Option(name: .long, help: "Notes; none takes them away.") var notes: String?

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

    func apply(to song: inout Song) {
      if !composer.isEmpty { song.composers = composer }
      if let key { song.key = key == "none" ? nil : key }
      if let notes { song.notes = notes == "none" ? nil : notes }
      if let tempo, let parts {
        song.tempo =
          tempo == 0 ? nil : TempoMap(beatsPerMinute: tempo, beatsPerBar: parts.beats, beatUnit: parts.unit)
      }
    }

    var isEmpty: Bool { composer.isEmpty && key == nil && tempo == nil && notes == nil }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List songs by title.")
    @Option(name: .long, help: "Words that begin words of title, composers, key or notes.") var search: String?
    @OptionGroup var paging: PagingOptions
    @OptionGroup var shelf: TakeShelfOptions
    @Flag(name: .long, help: "Print JSON.") var json = false

    func run() async throws {
      try await CommandFailure.orExit {
        let shelf = try await TakeShelf(shelf)
        let list = try await paging.gather { limit, cursor in
          BookJSON.list(
            try await shelf.index.songs(SongQuery(text: search, limit: limit, cursor: cursor)), BookJSON.song)
        }
        var table = TextTable([.whole("song", style: Style.faint), .text("title"), .text("composers"), .text("key")])
        for song in list.items {
          table.add([
            song["id"]?.string ?? "", song["title"]?.string ?? "",
            (song["composers"]?.array ?? []).compactMap(\.string).joined(separator: ", "), song["key"]?.string ?? "",
          ])
        }
        print(json ? list.json.prettyText : table.isEmpty ? "There are no such songs." : table.text + list.footer)
      }
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show a song.")
    @Argument(help: "Id or title.") var song: String
    @OptionGroup var shelf: TakeShelfOptions
    @Flag(name: .long, help: "Print JSON.") var json = false

    func run() async throws {
      try await CommandFailure.orExit { SongsCommand.show(try await TakeShelf(shelf).song(song), json: json) }
    }
  }

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Add a song.")
    @Argument(help: "Its title.") var title: String
    @OptionGroup var fields: Fields
    @OptionGroup var shelf: TakeShelfOptions
    @Flag(name: .long, help: "Print JSON.") var json = false

    func run() async throws {
      try await CommandFailure.orExit {
        let (_, library) = try await shelf.library()
        var song = Song(id: SongID(at: MonotonicClock.wall), title: title)
        fields.apply(to: &song)
        SongsCommand.show(try await library.createSong(song), json: json)
      }
    }
  }

  struct Edit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Change a song; what is not named stays as it is.")
    @Argument(help: "Id or title.") var song: String
    @Option(name: .long, help: "Another title.") var title: String?
    @OptionGroup var fields: Fields
    @OptionGroup var shelf: TakeShelfOptions
    @Flag(name: .long, help: "Print JSON.") var json = false

    func validate() throws {
      if title == nil, fields.isEmpty {
        throw ValidationError("nothing is to be changed; give --title, --composer, --key, --tempo or --notes")
      }
    }

    func run() async throws {
      try await CommandFailure.orExit {
        let (shelf, library) = try await shelf.library()
        let (title, fields) = (title, fields)
        let edited = try await library.editSong(try await shelf.song(song).id) { song in
          if let title { song.title = title }
          fields.apply(to: &song)
        }
        SongsCommand.show(edited, json: json)
      }
    }
  }

  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Delete a song that no take has.")
    @Argument(help: "Id or title.") var song: String
    @OptionGroup var shelf: TakeShelfOptions

    func run() async throws {
      try await CommandFailure.orExit {
        let (shelf, library) = try await shelf.library()
        let song = try await shelf.song(song)
        try await library.deleteSong(song.id)
        print("Deleted \"\(song.title.printable)\".")
      }
    }
  }
}
