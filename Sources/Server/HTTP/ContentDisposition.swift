/// The field that gives a download its name (RFC 6266), in a form for old clients and one for all scripts (RFC 8187).
enum ContentDisposition {
  /// Longest name that is suggested, in characters.
  private static let maximumLength = 120

  /// `attachment` under `name`, of which nothing can end the quoted form or the header field.
  static func attachment(_ name: String) -> String {
    let shown = String(name.prefix(maximumLength))
    let plain = String(
      shown.map { character -> Character in
        guard let byte = character.asciiValue, byte >= 0x20, byte < 0x7F else { return "_" }
        // Quotation marks end the form, percent signs and slashes are read differently by different browsers.
        return "\"\\%/:*?<>|".contains(character) ? "_" : character
      })
    let safe = String(shown.map { "/\\".contains($0) ? "_" : $0 })
    return "attachment; filename=\"\(plain)\"; filename*=UTF-8''\(safe.percentEncoded)"
  }
}
