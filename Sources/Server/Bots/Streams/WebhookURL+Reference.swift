extension WebhookURL {
  /// The address that a reference names: absolute, from the root, or beside this one (RFC 3986 section 5.2); nil if it
  /// is none that may be asked.
  func resolving(_ reference: String) -> WebhookURL? {
    guard !reference.isEmpty else { return self }
    if reference.hasPrefix("//") { return WebhookURL((isSecure ? "https:" : "http:") + reference) }
    if WebhookURL.hasScheme(reference) { return WebhookURL(reference) }
    let base = text.prefix { $0 != "?" }
    if reference.hasPrefix("?") { return WebhookURL(base + reference) }
    let own = base.dropFirst(origin.count)
    let folder = reference.hasPrefix("/") ? "/" : own.lastIndex(of: "/").map { String(own[...$0]) } ?? "/"
    let path = reference.prefix { $0 != "?" && $0 != "#" }
    let query = reference.dropFirst(path.count).prefix { $0 != "#" }
    return WebhookURL(origin + WebhookURL.withoutDots(folder + path.drop { $0 == "/" }) + query)
  }

  /// True for "https:…"; a colon behind a slash or a question mark is part of a path or a query.
  private static func hasScheme(_ reference: String) -> Bool {
    let word = reference.prefix { $0 != ":" && $0 != "/" && $0 != "?" }
    return reference.dropFirst(word.count).first == ":"
  }

  /// A path without "." and ".." (RFC 3986 section 5.2.4).
  private static func withoutDots(_ path: String) -> String {
    var kept: [Substring] = []
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    for part in parts {
      if part == ".." { _ = kept.popLast() } else if part != "." { kept.append(part) }
    }
    if parts.last == "." || parts.last == ".." { kept.append("") }
    return "/" + kept.joined(separator: "/")
  }
}
