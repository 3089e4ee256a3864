import ArgumentParser

/// Finds, shows, edits and re-renders takes, in a data folder or over REST.
struct TakesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "takes", abstract: "List, show, edit, delete and restore takes, edit their cues, or render one again.",
    discussion: """
      Works on the data folder, whether or not a service is running, or with --server over REST. TAKE is a take's id, \
      the first 6 or more characters of it, or last for the newest.
      """,
    subcommands: [
      TakesListCommand.self, TakesShowCommand.self, TakesPlayInfoCommand.self, TakesInspectCommand.self,
      TakesEditCommand.self, TakesDeleteCommand.self, TakesRestoreCommand.self, TakesCueCommand.self,
      TakesRenderCommand.self, TakesFetchCommand.self,
    ])
}
