import Music
import Testing

struct SpellingTests {
  @Test(arguments: [
    ("", "", 0), ("abc", "", 3), ("", "abc", 3), ("blue in gren", "blue in green", 1), ("kitten", "sitting", 3),
    ("naïma", "naima", 1), ("ab", "ba", 2),
  ])
  func countsTheLettersToChange(one: String, other: String, distance: Int) {
    #expect(Spelling.distance(Array(one), Array(other)) == distance)
  }
}
