import Signaling
import Testing

@testable import Server

@Suite struct YAMLReaderTests {
  @Test func readsWhatOurDocumentIsWrittenIn() throws {
    let text = """
      # a comment
      title: Jam: no colon # and a comment
      "200": {a: [1, 2.5, null], 'b c': "x\\"y"}
      list:
        - name: one
          deep: {more: true,
            lines: it's}
        - two
        -
          three: 3
      folded: >-
        two lines
        of one

        and another
      literal: |
        as it
          is
      empty:
      """
    #expect(
      try YAMLReader.read(text) == [
        "title": "Jam: no colon", "200": ["a": [1, .number(2.5), .null], "b c": "x\"y"],
        "list": [["name": "one", "deep": ["more": true, "lines": "it's"]], "two", ["three": 3]],
        "folded": "two lines of one\nand another", "literal": "as it\n  is\n", "empty": .null,
      ])
  }

  @Test func refusesWhatItWouldReadWrongly() {
    for (text, line) in [
      ("a: &b c", 1), ("a: 1\na: 2", 2), ("a: [1, 2", 1), ("a:\n    b: 1\n  c: 2", 3), ("word", 1), ("a: \"b", 1),
      ("a: {b: 1} c", 1),
    ] {
      #expect(throws: YAMLReader.Failure.self, "\(text)") {
        do throws(YAMLReader.Failure) {
          _ = try YAMLReader.read(text)
        } catch {
          #expect(error.line == line, "\(text): \(error.reason)")
          throw error
        }
      }
    }
  }
}
