import ArgumentParser
import Music

/// Which songs or people are listed: as words of the command line, or with an option, which a minus may follow.
struct BookQueryArgument: ParsableArguments {
  @Argument(help: "Words, phrases and fields to find them by.")
  var query: [String] = []
  @Option(name: .customLong("where"), parsing: .unconditional, help: ArgumentHelp("The same.", valueName: "query"))
  var condition: String?
  @Option(name: .long, parsing: .unconditional, help: ArgumentHelp("The same.", valueName: "query"))
  var search: String?

  /// All of them together; nil if none was given.
  /// - Throws: `CommandFailure` with the query and a caret below the place of the error.
  func condition(of book: BookKind) throws(CommandFailure) -> BookCondition? {
    var conditions: [BookCondition] = []
    for text in [query.isEmpty ? nil : query.joined(separator: " "), condition, search] {
      if let text { conditions.append(try QueryText.condition(text, of: book)) }
    }
    return conditions.isEmpty ? nil : .every(conditions)
  }
}
