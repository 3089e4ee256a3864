import TestSupport
import Testing

@testable import Music

/// The language of docs/query.md: what is read, what is refused and where, and that the canonical text means the same.
@Suite struct QueryReadingTests {
  static let now = WallTime(milliseconds: 1_795_435_200_000)  // 2026-11-23 12:00 UTC

  private func read(_ text: String) throws -> TakeCondition { try TakeCondition(reading: text, now: Self.now) }

  @Test(
    arguments: [
      ("blue green", "blue green"), ("  blue\tgreen\n", "blue green"), ("blues & rock", "blues rock"),
      ("don't 3:30 AC/DC", "don't 3:30 AC/DC"), ("a - b", "a b"), ("or and not", "or and not"),
      ("\"blue in  green\"", "\"blue in  green\""), (#""a \" \\ \x""#, #""a \" \\ \\x""#),
      ("room:Cellar", "room:\"Cellar\""), ("ROOM:cellar", "room:\"cellar\""), ("room:\"a (b)\"", "room:\"a (b)\""),
      ("song:blue*", "song:\"blue\"*"), ("song:\"blue in\"*", "song:\"blue in\"*"), ("song:none", "song:none"),
      ("song:\"none\"", "song:\"none\""), ("tag:c#", "tag:\"c#\""),
      ("tags:x musician:y", "tag:\"x\" participant:\"y\""),
      ("title:fir*", "title:fir*"), ("note:\"too fast\"", "note:\"too fast\""), ("cue:none", "cue:none"),
      ("rating:4..", "rating:4.."), ("rating:..3", "rating:..3"), ("rating:1..5", "rating:1.."),
      ("rating:2..3", "rating:2..3"), ("rating:5", "rating:5"), ("rating:none", "rating:none"),
      ("favourite:TRUE favorite:no", "favourite:yes favourite:no"), ("state:Ready", "state:ready"),
      ("gaps:0 tracks:2..3 number:..4", "gaps:0 tracks:2..3 number:..4"),
      ("duration:90", "duration:90.000..90.999"), ("duration:1.5m..", "duration:90.000.."),
      ("duration:90.5s..", "duration:90.500.."),
      ("duration:3:30..1:02:03.25", "duration:210.000..3723.250"), ("length:..1h", "duration:..3600.000"),
      ("after:2026-11", "after:2026-11-01T00:00:00.000Z"), ("before:2026", "before:2026-01-01T00:00:00.000Z"),
      ("after:2026-11-21T20:15+01:00", nil), ("after:2026-11-21T20:15", "after:2026-11-21T20:15:00.000Z"),
      ("after:2026-11-21T20:15:00+01:00", "after:2026-11-21T19:15:00.000Z"),
      ("after:7d before:12h", "after:2026-11-16T12:00:00.000Z before:2026-11-23T00:00:00.000Z"),
      ("after:today", "after:2026-11-23T00:00:00.000Z"), ("after:2w", "after:2026-11-09T12:00:00.000Z"),
      ("after:1970-01-01T00:00:00+12:00", "after:1970-01-01T00:00:00.000Z"),
      ("date:2026-12", "after:2026-12-01T00:00:00.000Z before:2027-01-01T00:00:00.000Z"),
      ("date:2024-02-29", "after:2024-02-29T00:00:00.000Z before:2024-03-01T00:00:00.000Z"),
      ("date:..yesterday", "before:2026-11-23T00:00:00.000Z"),
      ("-date:today", "-(after:2026-11-23T00:00:00.000Z before:2026-11-24T00:00:00.000Z)"),
      ("id:01aryz6s41tsv4rrffq69g5fav", "id:01ARYZ6S41TSV4RRFFQ69G5FAV"), ("id:01aryz", "id:01ARYZ"),
      ("a OR b c", "a OR b c"), ("(a OR b) c", "(a OR b) c"), ("((a)) (b c)", "a b c"), ("a AND b", "a b"),
      ("a OR (b OR c)", "a OR b OR c"), ("-(a b)", "-(a b)"), ("--a", "--a"), ("-\"a b\"", "-\"a b\""),
      ("\"OR\" \"NOT\"", "\"OR\" \"NOT\""), ("a ORB", "a ORB"), ("a\"b\"(c)", "a \"b\" c"),
    ] as [(String, String?)])
  func readsAndWritesCanonically(_ text: String, _ canonical: String?) throws {
    guard let canonical else {
      #expect(throws: QueryProblem.self) { try read(text) }
      return
    }
    let condition = try read(text)
    #expect(condition.description == canonical)
    #expect(try read(condition.description) == condition)
  }

  @Test(
    arguments: [
      ("", 1, "nothing to search for"), ("  & !", 1, "nothing to search for"), ("a tagg:x", 3, "perhaps tag is meant"),
      ("ratng:4..", 1, "perhaps rating is meant"), ("http://x", 1, "put quotes around it"),
      ("tag:", 1, "no value after tag:"), ("a tag: x", 3, "no value after tag:"), ("tag:\"\"", 1, "no value"),
      ("tag:*", 1, "no value after tag:"), ("rating:6", 8, "1 to 5"), ("rating:0..", 8, "1 to 5"),
      ("rating:4..2", 8, "from the smaller to the greater"), ("rating:..", 8, "1 to 5"), ("rating:+4", 8, "1 to 5"),
      ("rating:4*", 8, "without *"), ("gaps:-1", 6, "a whole number"), ("gaps:99999999999", 6, "a whole number"),
      ("duration:3:70", 10, "3:30"), ("duration:1:2:3:4", 10, "3:30"), ("duration:999999999", 10, "3:30"),
      ("duration:1.2345", 10, "3:30"), ("state:done", 7, "rolling, captured"), ("favourite:maybe", 11, "yes or no"),
      ("after:soon", 7, "2026-11-21"), ("after:2026-13", 7, "2026-11-21"), ("after:2026-02-30", 7, "2026-11-21"),
      ("after:1969", 7, "2026-11-21"), ("after:9999-01-01T00:00:00Z", 7, "2026-11-21"), ("date:7d", 6, "use after:"),
      ("date:..", 6, "2026-11-21"), ("id:abc", 4, "6 or more"), ("id:!!!!!!", 4, "6 or more"),
      ("session:x", 9, "26 characters"), ("title:!", 7, "letters or digits"), ("title:\"a\"*", 7, "without *"),
      ("\"!\"", 1, "no letter or digit"), ("a \"b", 3, "never closed"), ("(a", 1, "never closed"),
      ("a)", 2, "no ( before it"), ("a OR", 3, "after OR"), ("OR a", 1, "before OR"), ("a OR OR b", 3, "after OR"),
      ("(a OR )", 4, "after OR"), ("AND a", 1, "between two"), ("a AND", 3, "between two"),
      ("a AND OR b", 3, "between two"), ("NOT a", 1, "write -tag:x"), ("é \"x", 3, "never closed"),
    ])
  func refusesWithTheColumnAndWhatWouldBeRight(_ text: String, _ column: Int, _ part: String) throws {
    let problem = try #require(throws: QueryProblem.self) { try read(text) }
    #expect(problem.column == column, "\(problem)")
    #expect(problem.sentence.contains(part), "\(problem)")
  }

  @Test func unknownFieldsListTheKnownOnes() throws {
    let problem = try #require(throws: QueryProblem.self) { try read("romm:x") }
    #expect(problem.permitted.contains("room") && problem.sentence.contains("perhaps room"))
    for field in problem.permitted { #expect(TakeField(field) != nil) }
  }

  @Test func tooMuchIsRefused() throws {
    _ = try read(String(repeating: "a", count: TakeCondition.longestText))
    _ = try read(Array(repeating: "a", count: TakeCondition.mostTerms).joined(separator: " "))
    for text in [
      String(repeating: "a", count: TakeCondition.longestText + 1), "a" + String(repeating: "\u{301}", count: 100_000),
      Array(repeating: "a", count: TakeCondition.mostTerms + 1).joined(separator: " "),
      String(repeating: "(", count: 1_000), String(repeating: "-", count: 1_000) + "a",
      String(repeating: "-(", count: 900) + "a",
    ] {
      #expect(throws: QueryProblem.self) { try read(text) }
    }
  }

  // MARK: At random

  /// A condition of any form that reading can give.
  static func random(_ depth: Int, _ generator: inout SeededRandom) -> TakeCondition {
    switch Int.random(in: 0..<(depth > 0 ? 6 : 3), using: &generator) {
    case 3: return .not(random(depth - 1, &generator))
    case 4: return .every((0..<3).map { _ in random(depth - 1, &generator) })
    case 5: return .some((0..<2).map { _ in random(depth - 1, &generator) })
    default: return .term(randomTerm(&generator))
    }
  }

  private static func randomTerm(_ generator: inout SeededRandom) -> TakeTerm {
    let texts = [
      "blue", "Größe", "3:30", "a\"b", "\\", "in green", " x ", "none", "OR", "*", "日本", "\u{301}a", "-x", "a..b",
    ]
    let text = texts.randomElement(using: &generator) ?? ""
    let word = ["blue", "don't", "Größe*", "3:30", "日本"].randomElement(using: &generator) ?? ""
    let low = Int.random(in: 1...5, using: &generator)
    let time = WallTime(milliseconds: Int64.random(in: 0...9_000_000_000_000, using: &generator))
    switch Int.random(in: 0..<15, using: &generator) {
    case 0: return .phrase(text.contains { $0.isLetter } ? text : "x \(text)")
    case 1:
      return .named(
        TakeTerm.NameField.allCases.randomElement(using: &generator) ?? .tag,
        NamePattern(text, isBeginning: Bool.random(using: &generator)))
    case 2: return .textWord(TakeTerm.TextField.allCases.randomElement(using: &generator) ?? .note, word)
    case 3: return .textPhrase(.title, "x \(text)")
    case 4: return .absent(TakeTerm.AbsentField.allCases.randomElement(using: &generator) ?? .song)
    case 5: return .session(SessionID(at: time))
    case 6: return .state(TakeState.allCases.randomElement(using: &generator) ?? .ready)
    case 7: return .favourite(Bool.random(using: &generator))
    case 8: return .id("01ARYZ6S")
    case 9: return .rating(low...Int.random(in: low...5, using: &generator))
    case 10:
      return .count(
        TakeTerm.CountField.allCases.randomElement(using: &generator) ?? .gaps,
        low...(Bool.random(using: &generator) ? low + 7 : TakeTerm.greatestCount))
    case 11:
      return .duration(Int64(low) * 1_017...(Bool.random(using: &generator) ? 99_001 : TakeTerm.greatestDuration))
    case 12: return .after(time)
    case 13: return .before(time)
    default: return .word(word)
    }
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>) func theCanonicalTextIsTheSameCondition(seed: UInt64) throws {
    var generator = SeededRandom(seed)
    var read = 0
    for _ in 0..<500 {
      let condition = Self.random(3, &generator)
      let text = condition.description
      do throws(QueryProblem) {
        let again = try TakeCondition(reading: text, now: Self.now)
        #expect(again == condition, "\(text)")
        read += 1
      } catch {
        // Only because it is too much.
        #expect(error.sentence.contains("at most"), "\(text): \(error)")
      }
    }
    #expect(read > 400)
  }
}
