import Music

/// A validator of RFC 9110 section 8.8.3, written in header fields as `"abc"` or `W/"abc"`.
struct EntityTag: Hashable, Sendable, CustomStringConvertible {
  /// Without quotation marks.
  let value: String
  let isWeak: Bool
  /// As it stands in header fields.
  let description: String

  init(_ value: String) {
    self.value = value
    isWeak = false
    description = "\"\(value)\""
  }

  /// The tag of a list as the index has it now; nil if the index cannot tell.
  ///
  /// To be asked for before the rows: a change in between makes the tag older than the page, which costs one answer more.
  init?(of query: some Hashable, in index: any TakeIndex) {
    guard let edition = index.edition else { return nil }
    // The seed is the process's own, as editions are.
    var hasher = Hasher()
    hasher.combine(edition)
    hasher.combine(query)
    self.init(String(UInt(bitPattern: hasher.finalize()), radix: 16))
  }

  /// Reads one tag, nil for anything else.
  init?(parsing text: String) {
    var rest = text.trimmed[...]
    isWeak = rest.hasPrefix("W/")
    if isWeak { rest = rest.dropFirst(2) }
    guard rest.count >= 2, rest.first == "\"", rest.last == "\"" else { return nil }
    value = String(rest.dropFirst().dropLast())
    guard !value.contains("\"") else { return nil }
    description = text.trimmed
  }

  /// True if the field is `*` or lists this tag; `If-Match` compares strongly, `If-None-Match` weakly.
  func matches(_ field: String, strongly: Bool) -> Bool {
    // Mostly one tag: ours.
    if field == description { return !strongly || !isWeak }
    if field.trimmed == "*" { return true }
    return field.split(separator: ",").compactMap { EntityTag(parsing: String($0)) }.contains { other in
      other.value == value && (!strongly || (!other.isWeak && !isWeak))
    }
  }
}

/// Dates of header fields, to the second: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 section 5.6.7).
struct HTTPDate: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// Since 1970-01-01T00:00:00Z.
  let seconds: Int64

  private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  init(seconds: Int64) {
    self.seconds = max(0, seconds)
  }

  /// Reads the one form still in use; the two obsolete ones count as no date, which only costs a download.
  init?(parsing text: String) {
    let parts = text.trimmed.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 6, parts[5] == "GMT", parts[0].count == 4, parts[1].count == 2, parts[3].count == 4,
      let month = HTTPDate.months.firstIndex(of: String(parts[2]))
    else { return nil }
    // in range: a place in the list of months
    let number = month + 1
    let date = "\(parts[3])-\(number < 10 ? "0" : "")\(number)-\(parts[1])"
    guard let time = WallTime("\(date)T\(parts[4])Z"), time.seconds >= 0 else { return nil }
    seconds = time.seconds
  }

  var description: String {
    let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
    let text = WallTime(milliseconds: overflow ? 0 : milliseconds).description
    let parts = text.split { $0 == "-" || $0 == "T" || $0 == "." }.map(String.init)
    // in range: the month of our own text
    guard parts.count >= 4, let month = Int(parts[1]), HTTPDate.months.indices.contains(month - 1) else { return text }
    let weekday = HTTPDate.weekdays[Int(seconds / 86_400 % 7)]
    return "\(weekday), \(parts[2]) \(HTTPDate.months[month - 1]) \(parts[0]) \(parts[3]) GMT"
  }

  static func < (left: HTTPDate, right: HTTPDate) -> Bool { left.seconds < right.seconds }
}
