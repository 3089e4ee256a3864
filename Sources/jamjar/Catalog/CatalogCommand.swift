import ArgumentParser

/// What keeps the index true to the disk.
struct CatalogCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "catalog", abstract: "Check the index against the disk, or make it anew.",
    subcommands: [CatalogCheckCommand.self, CatalogRebuildCommand.self, CatalogBenchCommand.self])
}
