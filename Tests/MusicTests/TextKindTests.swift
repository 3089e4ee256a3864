import Testing

@testable import Music

@Suite struct TextKindTests {
  private static let kinds: [TextKind] = [.title, .composer, .key, .tag, .notes, .cue, .message, .device]
  /// One character as far as a reader sees, of any number of bytes.
  private static func tower(_ bytes: Int) -> String { "a" + String(repeating: "\u{301}", count: bytes / 2) }

  @Test(arguments: kinds)
  func everyKindRefusesWhatIsNoTextOfAPerson(kind: TextKind) {
    for text in [
      "", "a\0b", "a\u{1B}[2Jb", "a\u{7F}b", "a\u{85}b", "a\u{2028}b", "a\u{202E}b", "a\u{2066}b",
      TextKindTests.tower(100_000), TextKindTests.tower(TextKind.characterBytes + 2),
      String(repeating: "x", count: kind.characters + 1), String(repeating: "👩🏽‍🚀", count: kind.bytes / 15 + 1),
    ] {
      #expect(throws: ValueProblem.self, "\(text.utf8.count) bytes") { try kind.check(text) }
    }
  }

  @Test(arguments: kinds)
  func everyKindTakesTheScriptsAndSignsOfPeople(kind: TextKind) throws {
    for text in ["x", "Blå 🎸", "שיר", "أغنية", "می\u{200C}خواهم", "部屋", "👨‍👩‍👧‍👦", "e\u{301}\u{323}"] {
      try kind.check(text)
    }
    try kind.check(String(repeating: "x", count: kind.characters))
  }

  @Test func onlyNotesHaveLines() throws {
    try TextKind.notes.check("one\n\ttwo\r\n")
    for kind in TextKindTests.kinds where kind != .notes {
      for text in ["a\nb", "a\tb", "a\r\nb"] { #expect(throws: ValueProblem.self) { try kind.check(text) } }
    }
  }

  @Test func messagesOfKurentoCarryWhatProgramsWrite() throws {
    let json = "{\n\t\"notes\": [" + String(repeating: "\"C#\", ", count: 10_000) + "null]\u{2028}}"
    try TextKind.kurentoMessage.check(json)
    try TextKind.kurentoMessage.check(String(repeating: "x", count: 65_536))
    for text in ["", "a\0b", "a\u{1B}[2Jb", String(repeating: "x", count: 65_537), TextKindTests.tower(1_000)] {
      #expect(throws: ValueProblem.self, "\(text.utf8.count) bytes") { try TextKind.kurentoMessage.check(text) }
    }
  }

  @Test(arguments: [
    "x", "a\nb\tc", String(repeating: "x", count: 65_536), String(repeating: "👩🏽‍🚀", count: 3_000),
    String(repeating: "\r\n", count: 3_000), "\0", tower(1_000), tower(100_000) + "z",
    String(repeating: "x", count: 2_000), String(repeating: "x", count: 2_001),
  ])
  func whatIsFittedIsAMessage(text: String) throws {
    let fitted = TextKind.message.fitted(text)
    try TextKind.message.check(fitted)
    let fits = (try? TextKind.message.check(text)) != nil
    #expect((fitted == text) == fits)
    if text.count > 2_000 { #expect(fitted.hasSuffix("…")) }
  }

  @Test func aFittedTextIsOnOneLine() {
    #expect(TextKind.message.fitted("one\r\n\ttwo\u{202E}") == "one  two ")
  }

  @Test func aRefusalNamesTheFieldAndRepeatsNoFlood() {
    do {
      try TextKind.title.check(" " + TextKindTests.tower(100))
      Issue.record("a title that begins with a blank was taken")
    } catch {
      #expect(error.field == "title" && error.value.utf8.count <= 400)
    }
    #expect(ValueProblem("x", TextKindTests.tower(100_000), "y").value.unicodeScalars.count == 80)
  }
}
