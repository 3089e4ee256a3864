/// A take as users type it: the same rule for takes of a data folder and of a service.
package enum TakeReference: Hashable, Sendable {
  /// "last": the take that began last.
  case newest
  case take(TakeID)
  /// A prefix of an identifier, ignoring case.
  case beginning(String)

  /// Minimum length of a prefix: with fewer characters, tomorrow's takes begin alike.
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

  /// The only one of the takes found for this reference.
  /// - Throws: `TakeReferenceProblem.unknown`, `.several`.
  package static func only<Found>(of found: [Found]) throws(TakeReferenceProblem) -> Found {
    guard let first = found.first else { throw TakeReferenceProblem.unknown }
    guard found.count == 1 else { throw TakeReferenceProblem.several }
    return first
  }
}

/// The reason why a text identifies no take.
package enum TakeReferenceProblem: Error, Hashable, Sendable {
  case tooShort(String)
  case unknown
  case several
}

extension Identifier {
  /// Length of an identifier, in characters.
  private static var textLength: Int { 26 }

  /// The range of identifiers that begin with `prefix`, ignoring case; nil if there can be none.
  package static func range(beginningWith prefix: String) -> ClosedRange<Identifier>? {
    func filled(with digit: Character) -> Identifier? {
      Identifier(prefix + String(repeating: digit, count: max(0, textLength - prefix.count)))
    }
    guard let lowest = filled(with: "0"), let highest = filled(with: "Z") else { return nil }
    return lowest...highest
  }
}
