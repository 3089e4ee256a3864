/// How far apart two words are.
package enum Spelling {
  /// The least number of letters to insert, remove or replace to get from one word to the other (Levenshtein 1965).
  package static func distance(_ one: [Character], _ other: [Character]) -> Int {
    var row = Array(0...other.count)
    for (index, letter) in one.enumerated() {
      var diagonal = row[0]
      row[0] = index &+ 1
      for (place, candidate) in other.enumerated() {
        let kept = diagonal &+ (letter == candidate ? 0 : 1)
        diagonal = row[place &+ 1]
        row[place &+ 1] = min(kept, min(row[place], diagonal) &+ 1)
      }
    }
    return row.last ?? 0
  }
}
