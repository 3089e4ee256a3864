import ArgumentParser

/// Commands that check and rebuild the index.
struct CatalogCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "catalog", abstract: "Check the index against the disk, rebuild or move it.",
    subcommands: [
      CatalogCheckCommand.self, CatalogRebuildCommand.self, CatalogMoveCommand.self, CatalogBenchCommand.self,
    ])
}
