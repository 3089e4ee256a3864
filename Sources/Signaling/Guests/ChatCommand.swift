import Music

/// What musicians say to a bot in the chat of their room, after Craig's manner: `!take`, `!cue Bridge`.
package enum ChatCommand: Hashable, Sendable {
  case help
  case status
  case take
  case stop
  case split
  case cue(String)
  case song(String)
  case consent(Bool)
  /// A word that looks like a command and is none.
  case unknown(String)

  /// Nil for a message that is not for the bot.
  package init?(_ text: String) {
    guard text.first == "!" else { return nil }
    let words = text.dropFirst().split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
    guard let first = words.first, first.allSatisfy(\.isLetter) else { return nil }
    let rest = words.count > 1 ? String(words[1]).trimmingBlanks : ""
    switch (first.lowercased(), rest) {
    case ("help", _): self = .help
    case ("status", _): self = .status
    case ("take", ""), ("start", ""): self = .take
    case ("stop", _): self = .stop
    case ("split", _): self = .split
    case ("cue", _): self = .cue(rest.isEmpty ? "Cue" : rest)
    case ("take", _), ("song", _): self = rest.isEmpty ? .unknown(String(first)) : .song(rest)
    case ("consent", _) where ["no", "off", "false"].contains(rest.lowercased()): self = .consent(false)
    case ("consent", _) where ["yes", "on", "true"].contains(rest.lowercased()): self = .consent(true)
    default: self = .unknown(String(first.prefix(32)))
    }
  }

  /// What the bot says about itself.
  package static let manual =
    "Say !take to start, !stop to stop, !split to end a take and begin the next, !cue TEXT to mark this moment, !song TITLE to "
    + "begin a take of that song, !consent no (or yes) is about you, !status says what is recorded"
}

extension String {
  /// Without blanks at either end.
  fileprivate var trimmingBlanks: String {
    var text = self[...]
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
