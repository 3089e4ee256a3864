/// The events that a returning client learns in no other way, until they are written to its link.
struct SessionLetters: Sendable {
  private struct Letter {
    var number: LetterNumber
    var event: UInt64
  }

  /// Most letters that are remembered; as many as a room keeps for a member without a link.
  static let most = 64

  private var letters: [Letter] = []
  private var last = LetterNumber(0)

  /// Remembers an event of the stay, by its number, that is about to be told; the oldest one goes if there are too many.
  mutating func add(_ event: UInt64) -> LetterNumber {
    if letters.count == SessionLetters.most { letters.removeFirst() }
    last = LetterNumber(last.number &+ 1)
    letters.append(Letter(number: last, event: event))
    return last
  }

  /// Forgets a letter: it was written, or the dialect has no words for it.
  mutating func remove(_ number: LetterNumber) {
    letters.removeAll { $0.number == number }
  }

  func contains(_ number: LetterNumber) -> Bool { letters.contains { $0.number == number } }

  /// Takes all out: the numbers of their events.
  mutating func take() -> Set<UInt64> {
    defer { letters = [] }
    return Set(letters.map(\.event))
  }
}

/// The number of a letter within its session.
package struct LetterNumber: Hashable, Sendable {
  package let number: UInt64

  package init(_ number: UInt64) {
    self.number = number
  }
}
