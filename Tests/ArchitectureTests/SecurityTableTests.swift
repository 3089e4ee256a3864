import Foundation
import Testing

/// docs/security.md names the test of every promise; a promise without its test does not count.
@Suite struct SecurityTableTests {
  private func text(_ document: String = "docs/security.md") throws -> String {
    try String(contentsOf: SourceTree.root.appending(path: document), encoding: .utf8)
  }

  /// The rows of the tables: number, threat, promise, tests.
  private func rows() throws -> [[String]] {
    try text().split(separator: "\n").compactMap { line in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      return cells.count == 4 && cells[0].first?.isNumber == true ? cells : nil
    }
  }

  /// "Suite.test" of all tests, by the text of their files.
  private static let tests = Result {
    let kinds: Set<Substring> = ["struct", "class", "enum", "actor", "extension"]
    var names: Set<String> = []
    for file in try SourceTree.files(below: "Tests") where file.code.contains("@Test") {
      let words = file.code.split { !($0.isLetter || $0.isNumber || $0 == "_") }
      let suites = zip(words, words.dropFirst()).filter { kinds.contains($0) && $1.hasSuffix("Tests") }.map(\.1)
      // The attribute may have arguments over several lines, so what follows it is found by the next function.
      for piece in file.code.components(separatedBy: "@Test").dropFirst() {
        guard let mark = piece.firstRange(of: "func ") else { continue }
        let function = piece[mark.upperBound...].prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        for suite in suites { names.insert("\(suite).\(function)") }
      }
    }
    return names
  }

  @Test(arguments: [("docs/security.md", 60), ("docs/kurento.md", 30)])
  func everyTestThatIsNamedExists(document: String, least: Int) throws {
    let tests = try SecurityTableTests.tests.get()
    #expect(tests.count > 500)
    let named = try text(document).matches(of: #/`(\w+Tests\.\w+)`/#).map { String($0.1) }
    #expect(named.count > least)
    for name in named { #expect(tests.contains(name), "\(document) names \(name), which is no test") }
  }

  /// docs/kurento.md lists every check of the four clients, and no other.
  @Test func theTableOfKurentosClientsIsThatOfTheirProgram() throws {
    let program = try text("Tests/EndToEndTests/Peers/kurento_clients.py")
    let checks = program.matches(of: #/async def check(\d\d_\w+)/#).map { String($0.1) }
    let rows = try text("docs/kurento.md").matches(of: #/\| `(\d\d_\w+)` \|/#).map { String($0.1) }
    #expect(rows == checks && rows.count == 30)
  }

  @Test func everyPromiseHasATest() throws {
    let rows = try rows()
    let numbers = Set(rows.map { $0[0].prefix { $0.isNumber } }.compactMap { Int($0) })
    #expect(numbers == Set(1...26), "missing: \(Set(1...26).subtracting(numbers).sorted())")
    for row in rows { #expect(row[3].contains("Tests."), "\(row[0]) \(row[1]) has no test") }
  }

  /// `script/mutate` takes promises out of the code to see whether their tests notice.
  @Test func everyMutationIsOfARowAndChangesOnePlace() throws {
    let rows = Dictionary(uniqueKeysWithValues: try rows().map { ($0[0], $0[3]) })
    let list = try text("script/mutations.txt").components(separatedBy: "\n\n").dropFirst()
    #expect(list.count >= 45)
    for entry in list {
      let lines = entry.split(separator: "\n").map(String.init)
      let head = lines[0].split(separator: " ").map(String.init)
      try #require(lines.count == 3 && head.count == 3 && lines[1].hasPrefix("- "), "\(entry)")
      #expect(rows[head[0]]?.contains("`\(head[2])`") == true, "row \(head[0]) does not name \(head[2])")
      let places = try text(head[1]).components(separatedBy: lines[1].dropFirst(2)).count - 1
      #expect(places == 1, "\(head[1]) has \(places) times: \(lines[1])")
    }
  }

  @Test func nothingIsLeftForLater() throws {
    let open = try text().matches(of: #/TODO\([^)]*\)/#).map { String($0.0) }
    #expect(open.isEmpty, "\(open)")
  }
}

/// What places music reads a clock that nobody sets.
@Suite struct ClockRuleTests {
  /// The files that may read wall time, and why.
  private static let readers: Set = [
    // The one function for annotations.
    "MonotonicClock.swift",
    // Converts the kernel's stamps, which are in wall time, to the recorder's clock.
    "MonotonicClock+Reading.swift",
    // The time of a line in the log.
    "Logs.swift",
  ]

  @Test func wallTimeIsReadInOnePlace() throws {
    for file in try SourceTree.files(below: "Sources") {
      let name = URL(filePath: file.path).lastPathComponent
      guard !ClockRuleTests.readers.contains(name) else { continue }
      for word in ["CLOCK_REALTIME", "Date()", "Date.now", "gettimeofday", "time(nil)"] {
        #expect(
          !file.code.contains(word), "\(file.path) reads the wall clock by \(word); MonotonicClock.wall is for that")
      }
    }
  }
}
