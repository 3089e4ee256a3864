/// A validator of RFC 9110 section 8.8.3, as it is written in header fields: `"abc"` or `W/"abc"`.
struct EntityTag: Hashable, Sendable, CustomStringConvertible {
  /// Without quotation marks.
  let value: String
  let isWeak: Bool

  init(_ value: String) {
    self.value = value
    isWeak = false
  }

  /// Reads one tag, nil for anything else.
  init?(parsing text: String) {
    var rest = text.trimmed[...]
    isWeak = rest.hasPrefix("W/")
    if isWeak { rest = rest.dropFirst(2) }
    guard rest.count >= 2, rest.first == "\"", rest.last == "\"" else { return nil }
    value = String(rest.dropFirst().dropLast())
    guard !value.contains("\"") else { return nil }
  }

  var description: String { "\(isWeak ? "W/" : "")\"\(value)\"" }

  /// True where the field is `*` or lists this tag; `If-Match` compares strongly, `If-None-Match` weakly.
  func matches(_ field: String, strongly: Bool) -> Bool {
    if field.trimmed == "*" { return true }
    return field.split(separator: ",").compactMap { EntityTag(parsing: String($0)) }.contains { other in
      other.value == value && (!strongly || (!other.isWeak && !isWeak))
    }
  }
}
