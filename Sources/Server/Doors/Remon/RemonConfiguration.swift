import Signaling

/// What an operator sets for apps made for Remote Monster.
package struct RemonConfiguration: DoorConfiguration {
  /// Pairs of service id and key.
  fileprivate static let pairs = DoorSetting("remon-services", .secret)
  /// The addresses that are told about their casts and recordings, with the secrets that sign it.
  private static let told = DoorSetting("remon-hooks", .secret)
  package static let settings = [pairs, told]

  package var services = AppAccounts(of: .remon)
  package var hooks: [RemonHook] = []

  package init() {}

  package init(reading values: [String: String]) throws(ConfigurationProblem) {
    if let text = values[Self.pairs.name] { services = try AppAccounts(parsing: text, of: .remon) }
    if let text = values[Self.told.name] { hooks = try RemonHook.list(text, of: services) }
  }

  package func check(beside server: ServerConfiguration) throws(ConfigurationProblem) {
    for hook in hooks {
      try hook.endpoint.url.check(allowsPrivate: server.webhooks.allowsPrivate, of: "Remote Monster hook")
    }
  }
}

extension AppAccounts.Kind {
  package static let remon = AppAccounts.Kind(name: "Remote Monster", setting: RemonConfiguration.pairs)
}
