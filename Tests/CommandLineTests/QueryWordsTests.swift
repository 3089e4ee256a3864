import ArgumentParser
import Music
import Signaling
import Testing

@testable import jamjar

/// Queries, chosen fields, templates and CSV as words of the command line.
@Suite struct QueryWordsTests {
  @Test func aQueryMayBeginWithAMinus() async throws {
    #expect(try await TakesDeleteCommand.asyncParse(["--where", "-tag:warmup"]).takes.query == "-tag:warmup")
    #expect(try await TakesListCommand.asyncParse(["--where", "-tag:warmup", "--json"]).condition == "-tag:warmup")
    #expect(
      try await TakesListCommand.asyncParse(["room:cellar", "rating:4..", "--csv"]).query == [
        "room:cellar", "rating:4..",
      ])
    #expect(try await TakesListCommand.asyncParse(["--search", "-x"]).search == "-x")
  }

  @Test(
    arguments: [
      ["takes", "delete"], ["takes", "delete", "last", "--where", "x"], ["takes", "show"], ["export"],
      ["export", "last", "--where", "x"], ["takes", "inspect"], ["takes", "inspect", "last", "--where", "x"],
    ])
  func eitherTakesOrAQuery(_ words: [String]) async {
    await #expect(throws: (any Error).self) { try await Jamjar.asyncParseAsRoot(words) }
  }

  @Test func songsAndPeopleAreFoundByQueriesOfTheirOwn() async throws {
    let words = ["composer:evans", "takes:3..", "--where", "-key:none", "--search", "blue"]
    let songs = try await SongsCommand.List.asyncParse(words).query.condition(of: .songs)
    #expect(songs?.description == "composer:evans takes:3.. -key:none blue")
    #expect(try await PeopleCommand.List.asyncParse([]).query.condition(of: .people) == nil)
    let people = try await PeopleCommand.List.asyncParse(["a", "title:x"]).query
    let failure = try #require(throws: CommandFailure.self) { _ = try people.condition(of: .people) }
    #expect(failure.exitCode == 64)
    #expect(failure.description.hasSuffix("\n  a title:x\n    ^"), "\(failure)")
  }

  @Test func anErrorPointsAtItsColumn() throws {
    let failure = try #require(throws: CommandFailure.self) { try QueryText.condition("日本 ratng:4") }
    #expect(failure.exitCode == 64)
    let lines = failure.description.split(separator: "\n")
    #expect(lines.first?.contains("column 4") == true && lines.first?.contains("rating") == true)
    // The two letters before are two columns wide each.
    #expect(lines.dropFirst() == ["  日本 ratng:4", "       ^"])
    let long = String(repeating: "a ", count: 30) + "tagg:x" + String(repeating: " b", count: 60)
    let excerpt = QueryText.excerpt(long, column: 61).split(separator: "\n")
    #expect(excerpt.first?.contains("…") == true && excerpt.first.map { $0.count < 110 } == true)
    let caret = try #require(excerpt.last).count - 1
    #expect(Array(try #require(excerpt.first))[caret] == "t")
  }

  private static let item: JSONObject = [
    "id": "01", "title": "a, \"b\"\tc\nd", "tags": ["x", "y"], "duration": .number(3.5), "rating": .null,
    "favourite": true,
    "song": ["id": "02", "title": "Blue"],
  ]
  private static let known = ["id", "title", "tags", "duration", "rating", "favourite", "song", "song.id"]

  @Test(
    arguments: [
      ("{title}\\t{duration}", "a, \"b\" c d\t3.5"), ("{id}\\n\\\\{{{tags}}}", "01\n\\{x, y}"), ("", ""),
      ("{song} {song.id} [{rating}] {favourite}", "Blue 02 [] true"),
    ])
  func templatesGiveALine(_ template: String, _ line: String) throws {
    #expect(try LineTemplate(template, known: Self.known).line(of: Self.item) == line)
  }

  @Test(arguments: [
    ("{nme}", "id, title"), ("{id", "without a }"), ("id}", "without a {"), ("\\x", "backslash"), ("\\", "backslash"),
  ])
  func templatesAreRefusedWithWhatIsPermitted(_ template: String, _ part: String) throws {
    let error = try #require(throws: ValidationError.self) { _ = try LineTemplate(template, known: Self.known) }
    #expect(error.message.contains(part), "\(error.message)")
  }

  @Test func csvQuotesWhatRFC4180Quotes() {
    let cells = ["id", "title", "tags"].map { Self.item.field($0) }
    #expect(CSV.line(cells) == "01,\"a, \"\"b\"\"\u{FFFD}c\nd\",\"x, y\"\r\n")
    #expect(CSV.line(["", "plain"]) == ",plain\r\n")
  }

  @Test(
    arguments: [
      ["--fields", "id,nme"], ["--format", "{nme}"], ["--json", "--csv"], ["--format", "{id}", "--csv"],
      ["--fields", "id", "--format", "{id}"], ["--fields", ""],
    ])
  func listsRefuseFieldsThatAreNotThere(_ words: [String]) async {
    for list in [["takes"], ["songs"], ["people"], ["sessions"]] {
      await #expect(throws: (any Error).self, "\(list + words)") {
        try await Jamjar.asyncParseAsRoot(list + ["list"] + words)
      }
    }
  }
}
