import ArgumentParser

/// The command line's root.
@main
struct Jamjar: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "jamjar",
    abstract: "Records musicians who play together over the network: every track and the mix, on one time line.",
    version: Version.text,
    subcommands: [
      ServeCommand.self, TakesCommand.self, ExportCommand.self, DemoCommand.self, PlayCommand.self, ConfigCommand.self,
      TokenCommand.self,
    ])
}
