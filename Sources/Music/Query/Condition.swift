/// One statement of a query about an item of a list.
package protocol QueryTerm: Hashable, Sendable, CustomStringConvertible {
  /// Every word of the text begins a word of one of the item's texts.
  static func word(_ text: String) -> Self
  /// The words stand side by side, whole and in this order, in one of the item's texts.
  static func phrase(_ text: String) -> Self
}

/// What the items of a list have to be like: the meaning of a query such as
/// `room:cellar rating:4.. -tag:warmup "blue in green"`.
///
/// docs/query.md has the grammar. `description` is the canonical text: read again, it is the same condition.
package indirect enum Condition<Term: QueryTerm>: Hashable, Sendable {
  case term(Term)
  case not(Condition)
  /// Two or more, all of which hold; none of them is `all`.
  case all([Condition])
  /// Two or more, one of which holds; none of them is `any`.
  case any([Condition])

  /// All of one or more conditions.
  package static func every(_ parts: [Condition]) -> Condition {
    let flat = parts.flatMap { part in if case .all(let inner) = part { inner } else { [part] } }
    return flat.count == 1 ? flat[0] : .all(flat)
  }

  /// At least one of one or more conditions.
  package static func some(_ parts: [Condition]) -> Condition {
    let flat = parts.flatMap { part in if case .any(let inner) = part { inner } else { [part] } }
    return flat.count == 1 ? flat[0] : .any(flat)
  }

  /// The conditions that all have to hold.
  package var conjuncts: [Condition] { if case .all(let parts) = self { parts } else { [self] } }
}

// MARK: The canonical text

extension Condition: CustomStringConvertible {
  package var description: String {
    switch self {
    case .term(let term): term.description
    case .not(let inner): "-" + inner.operand
    case .all(let parts): parts.map(\.operand).joined(separator: " ")
    case .any(let parts):
      parts.map { if case .all = $0 { $0.description } else { $0.operand } }.joined(separator: " OR ")
    }
  }

  /// The text with the parentheses that it needs as a part of another.
  private var operand: String {
    switch self {
    case .term, .not: description
    case .all, .any: "(\(description))"
    }
  }
}

/// Values as the canonical text has them.
enum CanonicalText {
  /// By code points: replacing characters would miss a quote with a mark.
  static func quoted(_ text: String) -> String {
    var quoted: String.UnicodeScalarView = "\"".unicodeScalars
    for scalar in text.unicodeScalars {
      if scalar == "\\" || scalar == "\"" { quoted.append("\\") }
      quoted.append(scalar)
    }
    quoted.append("\"")
    return String(quoted)
  }

  /// `4`, `4..`, `..3` or `2..3`.
  static func range<Number>(
    _ range: ClosedRange<Number>, of all: ClosedRange<Number>, isSingle: Bool = true, _ text: (Number) -> String
  ) -> String {
    if isSingle, range.lowerBound == range.upperBound { return text(range.lowerBound) }
    let upper = range.upperBound == all.upperBound ? "" : text(range.upperBound)
    let lower = range.lowerBound == all.lowerBound && !upper.isEmpty ? "" : text(range.lowerBound)
    return "\(lower)..\(upper)"
  }
}
