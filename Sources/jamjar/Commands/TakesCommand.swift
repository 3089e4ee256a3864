import ArgumentParser

/// Looks at takes and renders them again, on the data folder itself.
struct TakesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "takes", abstract: "List takes, show how exact one is, or render it again from its journal.",
    discussion: """
      Works on the data folder, with or without a running service. TAKE is a take's id, the first 6 or more characters \
      of it, or last for the newest.
      """,
    subcommands: [TakesListCommand.self, TakesShowCommand.self, TakesRenderCommand.self])
}
