import TestSupport
import Testing

@testable import Music

/// Queries for songs and people: their own fields, everything else as for takes.
@Suite struct BookReadingTests {
  @Test(
    arguments: [
      (.songs, "blue  green", "blue green"), (.songs, "\"blue in green\"", "\"blue in green\""),
      (.songs, "song:\"Blue in Green\"", "song:\"Blue in Green\""), (.songs, "song:blue*", "song:\"blue\"*"),
      (.songs, "KEY:\"F# minor\"", "key:\"F# minor\""), (.songs, "key:none", "key:none"),
      (.songs, "song:none", "song:\"none\""), (.songs, "title:none", "title:none"),
      (.songs, "composers:evans notes:none", "composer:evans note:none"),
      (.songs, "composer:\"bill evans\"", "composer:\"bill evans\""), (.songs, "composer:ev*", "composer:ev*"),
      (.songs, "takes:3.. OR -takes:0", "takes:3.. OR -takes:0"), (.songs, "id:01aryz", "id:01ARYZ"),
      (.people, "ada", "ada"), (.people, "participant:\"Ada L.\"", "participant:\"Ada L.\""),
      (.people, "musician:ada*", "participant:\"ada\"*"),
      (.people, "names:ada name:\"ada l\"", "name:ada name:\"ada l\""),
      (.people, "takes:..3 -(a OR id:01ARYZ)", "takes:..3 -(a OR id:01ARYZ)"),
    ] as [(BookKind, String, String)])
  func readsAndWritesCanonically(_ book: BookKind, _ text: String, _ canonical: String) throws {
    let condition = try BookCondition(reading: text, of: book)
    #expect(condition.description == canonical)
    #expect(try BookCondition(reading: canonical, of: book) == condition)
  }

  @Test(
    arguments: [
      (.songs, "", 1, "nothing to search for"), (.songs, "a room:x", 3, "there is no field \"room\""),
      (.songs, "name:x", 1, "there is no field"), (.songs, "compser:x", 1, "perhaps composer is meant"),
      (.songs, "takes:many", 7, "a whole number"), (.songs, "takes:1*", 7, "without *"),
      (.songs, "id:x", 4, "the id of a song"), (.songs, "title:!", 7, "letters or digits"),
      (.songs, "\"a", 1, "never closed"), (.people, "title:x", 1, "there is no field"),
      (.people, "a OR", 3, "after OR"), (.people, "id:x", 4, "the id of a person"), (.people, "name:", 1, "no value"),
    ] as [(BookKind, String, Int, String)])
  func refusesWithTheColumnAndWhatWouldBeRight(
    _ book: BookKind, _ text: String, _ column: Int, _ part: String
  ) throws {
    let problem = try #require(throws: QueryProblem.self) { try BookCondition(reading: text, of: book) }
    #expect(problem.column == column, "\(problem)")
    #expect(problem.sentence.contains(part), "\(problem)")
  }

  @Test func anUnknownFieldListsThoseOfTheBook() throws {
    let songs = try #require(throws: QueryProblem.self) { try BookCondition(reading: "gaps:1", of: .songs) }
    #expect(songs.permitted == ["composer", "id", "key", "note", "song", "takes", "title"])
    let people = try #require(throws: QueryProblem.self) { try BookCondition(reading: "gaps:1", of: .people) }
    #expect(people.permitted == ["id", "name", "participant", "takes"])
  }

  /// What the command line sends to a service for a name.
  @Test(arguments: ["Blue", "rating:5 \"x\\", "-a OR (b", "AND", "!!!", "none", "a*", "\u{301}a", "東京 🎸"])
  func everyNameSurvivesAsAWhole(name: String) throws {
    for (book, field) in [(BookKind.songs, BookTerm.NameField.song), (.people, .participant)] {
      let condition = BookCondition.term(.named(field, NamePattern(name)))
      #expect(try BookCondition(reading: condition.description, of: book) == condition)
    }
  }
}
