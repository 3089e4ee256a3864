/// The events that a returning client learns in no other way, until they are written to its link.
struct SessionLetters<Event: Sendable>: Sendable {
  private struct Letter {
    var number: LetterNumber
    var event: Event
  }

  /// Most letters that are remembered; as many as a room keeps for a member without a link.
  static var most: Int { 64 }

  private var letters: [Letter] = []
  private var last = LetterNumber(0)

  /// Remembers an event that is about to be told; the oldest one goes if there are too many.
  mutating func add(_ event: Event) -> LetterNumber {
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

  /// Takes all out.
  mutating func take() -> [Event] {
    defer { letters = [] }
    return letters.map(\.event)
  }
}

/// The number of a letter within its session.
package struct LetterNumber: Hashable, Sendable {
  package let number: UInt64

  package init(_ number: UInt64) {
    self.number = number
  }
}
