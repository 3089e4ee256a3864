/// The parameters of an `a=fmtp` line (RFC 8866 §6.15) as `name=value` pairs in order.
struct FormatParameters: Sendable {
  private(set) var pairs: [(name: String, value: String)] = []

  init() {}

  /// Reads "minptime=10;useinbandfec=1"; blanks around pairs do not count, a word without "=" has an empty value.
  init(parsing text: String) {
    for part in text.split(separator: ";") {
      let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = words.first.map({ Self.trim($0) }), !name.isEmpty else { continue }
      pairs.append((name.lowercased(), words.count == 2 ? Self.trim(words[1]) : ""))
    }
  }

  /// The first value of that name, which is written in small letters.
  subscript(name: String) -> String? {
    pairs.first { $0.name == name }?.value
  }

  /// The value as a number, where it is one.
  func number(_ name: String) -> Int? {
    self[name].flatMap { Int(digits: $0) }
  }

  /// True where the value is "1".
  func flag(_ name: String) -> Bool {
    self[name] == "1"
  }

  mutating func append(_ name: String, _ value: String) {
    pairs.append((name, value))
  }

  mutating func append(_ name: String, _ flag: Bool) {
    append(name, flag ? "1" : "0")
  }

  /// "minptime=10;useinbandfec=1".
  var text: String {
    pairs.map { $0.value.isEmpty ? $0.name : $0.name + "=" + $0.value }.joined(separator: ";")
  }

  private static func trim(_ text: Substring) -> String {
    var rest = text
    while rest.first == " " || rest.first == "\t" { rest = rest.dropFirst() }
    while rest.last == " " || rest.last == "\t" { rest = rest.dropLast() }
    return String(rest)
  }
}
