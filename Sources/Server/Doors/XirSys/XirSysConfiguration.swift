import Signaling

/// What an operator sets for apps made for XirSys.
package struct XirSysConfiguration: DoorConfiguration {
  /// Pairs of ident and secret.
  fileprivate static let pairs = DoorSetting("xirsys-accounts", .secret)
  package static let settings = [pairs]

  package var accounts = AppAccounts(of: .xirsys)

  package init() {}

  package init(reading values: [String: String]) throws(ConfigurationProblem) {
    if let text = values[Self.pairs.name] { accounts = try AppAccounts(parsing: text, of: .xirsys) }
  }
}

extension AppAccounts.Kind {
  package static let xirsys = AppAccounts.Kind(name: "XirSys", setting: XirSysConfiguration.pairs)
}
