extension String {
  /// The text without blanks and tabs at either end (OWS of RFC 9110 section 5.6.3).
  var trimmed: String {
    let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    // As nearly every field is.
    guard utf8.first.map(isBlank) ?? false || utf8.last.map(isBlank) ?? false else { return self }
    var rest = self[...].utf8.drop(while: isBlank)
    while let last = rest.last, isBlank(last) { rest.removeLast() }
    return String(Substring(rest))
  }
}
