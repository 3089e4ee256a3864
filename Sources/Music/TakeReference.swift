/// What stands for a take where somebody types one: the one rule for takes of a data folder and of a service.
package enum TakeReference: Hashable, Sendable {
  /// The take that began last: "last".
  case newest
  case take(TakeID)
  /// The beginning of an identifier, in any case.
  case beginning(String)

  /// Fewest characters of an identifier that may stand for it: with fewer, tomorrow's takes begin alike.
  package static let leastCharacters = 6

  /// - Throws: `TakeReferenceProblem.tooShort`.
  package init(_ text: String) throws(TakeReferenceProblem) {
    if text.lowercased() == "last" {
      self = .newest
    } else if let id = TakeID(text) {
      self = .take(id)
    } else {
      guard text.count >= TakeReference.leastCharacters else { throw TakeReferenceProblem.tooShort(text) }
      self = .beginning(text)
    }
  }

  /// The only one of all takes that were found for this.
  /// - Throws: `TakeReferenceProblem.unknown`, `.several`.
  package static func only<Found>(of found: [Found]) throws(TakeReferenceProblem) -> Found {
    guard let first = found.first else { throw TakeReferenceProblem.unknown }
    guard found.count == 1 else { throw TakeReferenceProblem.several }
    return first
  }
}

/// Why some words stand for no take.
package enum TakeReferenceProblem: Error, Hashable, Sendable {
  case tooShort(String)
  case unknown
  case several
}

extension Identifier {
  /// Characters of an identifier.
  private static var textLength: Int { 26 }

  /// From the lowest to the highest identifier that begins with `prefix` (in any case), nil where none does.
  package static func range(beginningWith prefix: String) -> ClosedRange<Identifier>? {
    func filled(with digit: Character) -> Identifier? {
      Identifier(prefix + String(repeating: digit, count: max(0, textLength - prefix.count)))
    }
    guard let lowest = filled(with: "0"), let highest = filled(with: "Z") else { return nil }
    return lowest...highest
  }
}
