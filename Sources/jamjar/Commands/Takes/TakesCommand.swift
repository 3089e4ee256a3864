import ArgumentParser

/// Finds and looks at takes, on the data folder itself or over REST; edits them and renders them again.
struct TakesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "takes", abstract: "List, look at, edit, delete, restore takes and their cues, or render one again.",
    discussion: """
      Works on the data folder, beside a running service or without one, and with --server over REST. TAKE is a take's \
      id, the first 6 or more characters of it, or last for the newest.
      """,
    subcommands: [
      TakesListCommand.self, TakesShowCommand.self, TakesPlayInfoCommand.self, TakesInspectCommand.self,
      TakesEditCommand.self, TakesDeleteCommand.self, TakesRestoreCommand.self, TakesCueCommand.self,
      TakesRenderCommand.self,
    ])
}
