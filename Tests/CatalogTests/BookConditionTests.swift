import GRDB
import Music
import TestSupport
import Testing

@testable import Catalog

/// Queries for songs and people find what a look at each of them finds.
@Suite struct BookConditionTests {
  // MARK: A book and what is asked of it

  private struct Book {
    var songs: [Song] = []
    var people: [Person] = []
    /// Takes that are not in the trash.
    var takesOfSong: [SongID: Int] = [:]
    var takesOfPerson: [ParticipantID: Int] = [:]
  }

  private static let titles = ["Blue in Green", "Blue", "So What", "Größe", "Don’t Stop", "!!!", "none", "F#"]
  private static let composers = ["Bill Evans", "Miles Davis", "Evans", "Gil"]
  private static let names = ["Ada", "Ada L.", "Bob", "Zoë", "Ada Blue"]

  private static func book(_ generator: inout SeededRandom, in catalog: any CatalogEngine) async throws -> Book {
    var book = Book()
    for index in 0..<24 {
      func pick<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &generator) }
      var song = Song(id: SongID(at: Example.time(Int64(index))), title: "\(pick(titles) ?? "") \(index % 4)")
      if index % 3 == 0 { song.title = pick(titles) ?? "" }
      song.composers = composers.filter { _ in Int.random(in: 0..<3, using: &generator) == 0 }
      song.key = pick(["F# minor", "F minor", "C", nil, nil]) ?? nil
      song.notes = pick(["in green, blue", "too FAST", nil, nil]) ?? nil
      try await catalog.store(song)
      book.songs.append(song)
    }
    let people = try (0..<12).map { index in
      Participant(
        id: ParticipantID(at: Example.time(Int64(index))), name: try DisplayName(checking: names[index % names.count]))
    }
    for index in 0..<40 {
      let song = Bool.random(using: &generator) ? book.songs.randomElement(using: &generator) : nil
      var take = try Example.finished(["Cellar", "Attic"][index % 2], at: Int64(index), number: index + 1, song: song)
      let players = people.shuffled(using: &generator).prefix(Int.random(in: 0...2, using: &generator))
      take.trackCount = players.count
      if index % 5 == 4 { take.deletedAt = Example.time(1_000_000) }
      let tracks = players.enumerated().map { Example.track(take, $0 + 1, $1) }
      try await catalog.store(take, tracks: tracks, cues: [])
      guard take.deletedAt == nil else { continue }
      if let song { book.takesOfSong[song.id, default: 0] += 1 }
      for player in players { book.takesOfPerson[player.id, default: 0] += 1 }
    }
    // Everybody has at least one take, so that the index knows them all.
    let last = try Example.finished("Cellar", at: 500)
    let tracks = people.enumerated().map { Example.track(last, $0 + 1, $1) }
    try await catalog.store(last, tracks: tracks, cues: [])
    for player in people { book.takesOfPerson[player.id, default: 0] += 1 }
    book.people = try await catalog.people(BookQuery(limit: 200)).items
    return book
  }

  private static func term(_ book: BookKind, _ generator: inout SeededRandom) -> BookTerm {
    let words = ["blu", "green", "gro", "ada", "evans", "FAST", "dont", "zoe", "b", "xyz", "minor"]
    let phrases = ["blue in green", "bill evans", "evans", "ada l", "in", "too fast", "green blue"]
    let names = titles + ["f# minor", "f minor", "C", "ADA", "ada l.", "ada blue", "nobody", "evans", "blue 1"]
    func pick(_ texts: [String]) -> String { texts.randomElement(using: &generator) ?? "" }
    let fields: [BookTerm.NameField] = book == .songs ? [.song, .key] : [.participant]
    let texts: [BookTerm.TextField] = book == .songs ? [.title, .composer, .note] : [.name]
    let low = Int.random(in: 0...3, using: &generator)
    switch Int.random(in: 0..<7, using: &generator) {
    case 0: return .phrase(pick(phrases))
    case 1:
      return .named(
        fields.randomElement(using: &generator) ?? .song,
        NamePattern(pick(names), isBeginning: Bool.random(using: &generator)))
    case 2: return .textWord(texts.randomElement(using: &generator) ?? .title, pick(words))
    case 3: return .textPhrase(texts.randomElement(using: &generator) ?? .title, pick(phrases))
    case 4: return .takes(low...(low + Int.random(in: 0...2, using: &generator)))
    case 5 where book == .songs:
      return .absent(BookTerm.AbsentField.allCases.randomElement(using: &generator) ?? .key)
    default: return .word(pick(words))
    }
  }

  private static func condition(_ book: BookKind, _ depth: Int, _ generator: inout SeededRandom) -> BookCondition {
    switch Int.random(in: 0..<(depth > 0 ? 6 : 2), using: &generator) {
    case 2, 3: .every((0..<2).map { _ in condition(book, depth - 1, &generator) })
    case 4: .some((0..<2).map { _ in condition(book, depth - 1, &generator) })
    case 5: .not(condition(book, depth - 1, &generator))
    default: .term(term(book, &generator))
    }
  }

  // MARK: What a condition means

  /// The texts of a song or person, by their fields.
  private struct Item {
    var names: [BookTerm.NameField: [String]] = [:]
    var texts: [BookTerm.TextField: [String]] = [:]
    var absent: Set<BookTerm.AbsentField> = []
    var all: [String]
    var takes: Int

    init(_ song: Song, takes: Int) {
      names = [.song: [song.title], .key: [song.key].compactMap(\.self)]
      texts = [.title: [song.title], .composer: song.composers, .note: [song.notes].compactMap(\.self)]
      if song.composers.isEmpty { absent.insert(.composer) }
      if song.key == nil { absent.insert(.key) }
      if song.notes == nil { absent.insert(.note) }
      all = [song.title] + [song.key, song.notes].compactMap(\.self) + song.composers
      self.takes = takes
    }

    init(_ person: Person, takes: Int) {
      all = person.names.map { "\($0)" } + ["\(person.name)"]
      names = [.participant: all]
      texts = [.name: all]
      self.takes = takes
    }
  }

  private static func holds(_ condition: BookCondition, _ item: Item) -> Bool {
    switch condition {
    case .term(let term): holds(term, item)
    case .not(let inner): !holds(inner, item)
    case .all(let parts): parts.allSatisfy { holds($0, item) }
    case .any(let parts): parts.contains { holds($0, item) }
    }
  }

  private static func holds(_ term: BookTerm, _ item: Item) -> Bool {
    switch term {
    case .word(let text): ConditionTests.hasWords(text, in: item.all)
    case .phrase(let text): ConditionTests.hasPhrase(text, in: item.all)
    case .textWord(let field, let text): ConditionTests.hasWords(text, in: item.texts[field] ?? [])
    case .textPhrase(let field, let text): ConditionTests.hasPhrase(text, in: item.texts[field] ?? [])
    case .named(let field, let pattern):
      (item.names[field] ?? []).map(SearchWords.name).contains { name in
        let wanted = SearchWords.name(pattern.text)
        return pattern.isBeginning ? name.hasPrefix(wanted) : name == wanted
      }
    case .absent(let field): item.absent.contains(field)
    case .takes(let range): range.contains(item.takes)
    case .id: false
    }
  }

  private static func pages<Value>(
    _ condition: BookCondition, _ page: (BookQuery) async throws -> Page<Value>
  ) async throws -> [Value] {
    var query = BookQuery(condition: condition, limit: 5)
    var all: [Value] = []
    repeat {
      let page = try await page(query)
      all += page.items
      query.cursor = page.next
    } while query.cursor != nil
    return all
  }

  @Test(arguments: [1, 2] as [UInt64], Engine.allCases)
  func theIndexFindsWhatALookAtEachFinds(seed: UInt64, engine: Engine) async throws {
    let shelf = try await engine.shelf()
    let catalog = shelf.catalog
    var generator = SeededRandom(seed)
    let book = try await Self.book(&generator, in: catalog)
    #expect(book.people.count == 12)
    var hits = 0
    for _ in 0..<200 {
      let ofSongs = Self.condition(.songs, 3, &generator)
      let songs = try await Self.pages(ofSongs) { try await catalog.songs($0) }.map(\.id)
      let wanted = book.songs.filter { Self.holds(ofSongs, Item($0, takes: book.takesOfSong[$0.id] ?? 0)) }.map(\.id)
      #expect(songs == wanted.reversed(), "\(ofSongs)")
      let ofPeople = Self.condition(.people, 3, &generator)
      let people = try await Self.pages(ofPeople) { try await catalog.people($0) }.map(\.id)
      let players = book.people.filter { Self.holds(ofPeople, Item($0, takes: book.takesOfPerson[$0.id] ?? 0)) }
      #expect(people.sorted() == players.map(\.id).sorted(), "\(ofPeople)")
      hits += (songs.isEmpty ? 0 : 1) + (people.isEmpty ? 0 : 1)
    }
    #expect(hits > 100)
  }

  // MARK: One at a time

  @Test(arguments: Engine.allCases) func mergedPeopleAreFoundByEveryNameAndIdentifier(engine: Engine) async throws {
    let shelf = try await engine.shelf()
    let catalog = shelf.catalog
    let (ada, other) = (try Example.participant("Ada"), try Example.participant("Lady L."))
    for (index, player) in [ada, other, other].enumerated() {
      let take = try Example.finished(["Cellar", "Attic", "Attic"][index], at: Int64(index))
      try await catalog.store(take, tracks: [Example.track(take, 1, player)], cues: [])
    }
    let known = try #require(try await catalog.person(ada.id))
    var person = known
    person.merged = [other.id]
    person.revision += 1
    try await catalog.store(person)
    for query in ["participant:\"lady l.\"", "participant:ada", "participant:\(other.id)", "name:lady", "takes:3"] {
      let condition = try BookCondition(reading: query, of: .people)
      #expect(try await catalog.people(BookQuery(condition: condition)).items.map(\.id) == [ada.id], "\(query)")
    }
    for query in ["participant:lady", "name:\"ada lady\"", "-ada", "takes:1"] {
      let condition = try BookCondition(reading: query, of: .people)
      #expect(try await catalog.people(BookQuery(condition: condition)).items.isEmpty, "\(query)")
    }
    // In one room only its own takes count.
    let twice = BookCondition.term(.takes(2...2))
    let attic = BookQuery(condition: twice, room: try Example.room("Attic"))
    #expect(try await catalog.people(attic).items.map(\.id) == [ada.id])
    #expect(try await catalog.people(BookQuery(condition: twice)).items.isEmpty)
  }

  @Test(arguments: Engine.allCases) func aTitleOfManyWordsIsFoundAsAWhole(engine: Engine) async throws {
    let shelf = try await engine.shelf()
    let catalog = shelf.catalog
    let long = (0..<40).map { "word\($0)" }.joined(separator: " ")
    let song = Example.song(long)
    for title in [long, long + " more"] { try await catalog.store(title == long ? song : Example.song(title)) }
    let named = BookCondition.term(.named(.song, NamePattern(long.uppercased())))
    #expect(try await catalog.songs(BookQuery(condition: named)).items.map(\.id) == [song.id])
    let byID = try BookCondition(reading: "song:\(song.id) id:\(song.id)", of: .songs)
    #expect(try await catalog.songs(BookQuery(condition: byID)).items.map(\.id) == [song.id])
  }

  @Test(arguments: Engine.allCases)
  func noValueIsSQLOrQuerySyntaxAndAForeignFieldFindsNothing(engine: Engine) async throws {
    let shelf = try await engine.shelf()
    let catalog = shelf.catalog
    try await catalog.store(Example.song("x"))
    let values = [
      "x' OR 1=1 --", "x\" OR \"x", "\") OR (\"x\"", "'; DROP TABLE songs; --", "%", "* OR x", "?", "\u{0}",
    ]
    for value in values {
      var terms: [BookTerm] = [.word(value), .phrase(value)]
      for field in BookTerm.TextField.allCases { terms += [.textWord(field, value), .textPhrase(field, value)] }
      for term in terms {
        _ = try await catalog.songs(BookQuery(condition: .term(term)))
        _ = try await catalog.people(BookQuery(condition: .term(term)))
      }
      for field in BookTerm.NameField.allCases {
        let named = BookCondition.term(.named(field, NamePattern(value, isBeginning: true)))
        #expect(try await catalog.songs(BookQuery(condition: named)).items.isEmpty, "\(field) \(value)")
      }
    }
    let foreign: [BookTerm] = [
      .named(.participant, NamePattern("x")), .textWord(.name, "x"), .textPhrase(.name, "x"),
    ]
    for term in foreign {
      #expect(try await catalog.songs(BookQuery(condition: .term(term))).items.isEmpty, "\(term)")
    }
    #expect(try await catalog.people(BookQuery(condition: .term(.absent(.key)))).items.isEmpty)
  }

  @Test(
    arguments: [
      (.songs, "blue"), (.songs, "\"blue in\" -green"), (.songs, "song:blue* OR key:c"), (.songs, "-key:none"),
      (.songs, "takes:1.."), (.songs, "composer:x note:\"a b\" title:y"), (.songs, "song:!!!"),
      (.people, "ada"), (.people, "\"ada l\" -bob"), (.people, "participant:ada*"), (.people, "-name:x"),
    ] as [(BookKind, String)])
  func nothingIsScannedOrSorted(book: BookKind, text: String) async throws {
    let shelf = try Shelf()
    let catalog = try shelf.open()
    let query = BookQuery(condition: try BookCondition(reading: text, of: book))
    let statement = try #require(try BookListing(book, query).statement())
    let plan = try await QueryPlanTests.plan(statement.sql, statement.arguments, catalog)
    #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
    #expect(!plan.contains { $0.hasPrefix("SCAN ") && !$0.contains("VIRTUAL TABLE INDEX") }, "\(plan)")
  }
}
