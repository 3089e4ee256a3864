import ArgumentParser
import Client
import Signaling

/// The bots of the running service.
struct BotsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bots", abstract: "List the bots of the running service, or send one away.",
    subcommands: [BotsListCommand.self, BotsEndCommand.self], defaultSubcommand: BotsListCommand.self)
}

/// Lists the bots of the running service.
struct BotsListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "list", abstract: "List the bots and what they do.")

  @OptionGroup var service: ServiceOptions
  @Flag(name: .long, help: "Print JSON, as REST does.")
  var json = false

  func run() async throws {
    try await CommandFailure.orExit {
      let source = try service.source()
      let list = try await source.reaching { try await source.client.get("/v1/bots") }
      guard !json else { return print(list.prettyText) }
      let bots = list.object?["items"]?.array?.compactMap(\.object) ?? []
      guard !bots.isEmpty else { return print("There are no bots; jamjar bot URL --server … makes one.") }
      var table = TextTable([
        .whole("id"), .text("listens to"), .text("records in"), .text("state"), .whole("since (UTC)"),
      ])
      for bot in bots {
        table.add([
          bot.field("id"), bot["url"]?.string ?? "", bot["room"]?.string ?? "", BotWords.state(bot),
          Reading.time(bot["since"]?.string),
        ])
      }
      print(table.text)
    }
  }
}

/// Sends a bot away.
struct BotsEndCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "end", abstract: "Send a bot away: its take ends, and it does not come back.")

  @Argument(help: "The bot's id, as jamjar bots shows it.")
  var id: String
  @OptionGroup var service: ServiceOptions

  func run() async throws {
    try await CommandFailure.orExit {
      let source = try service.source()
      _ = try await source.reaching {
        try await source.client.send(.delete, "/v1/bots/\(id.percentEncoded)")
      }
      print("The bot \(id.printable) leaves.")
    }
  }
}
