import Signaling

extension BodyFields {
  /// Reads a word from a closed set; error messages list the words in this order.
  func optionalWord<Word>(_ name: String, among words: [(String, Word)]) throws(Problem) -> Word? {
    guard let text = try optionalString(name) else { return nil }
    guard let word = words.first(where: { $0.0 == text }) else {
      throw Problem.invalid(
        name, value: text, "\"\(name)\" must be one of \(words.map(\.0).joined(separator: ", "))",
        permitted: words.map(\.0))
    }
    return word.1
  }

  func optionalObject(_ name: String) throws(Problem) -> JSONObject? {
    guard let value = object[name], value != .null else { return nil }
    guard let found = value.object else {
      throw Problem.invalid(
        name, value: value.string ?? value.text, "\"\(name)\" is \(value.kind); it must be an object")
    }
    return found
  }
}
