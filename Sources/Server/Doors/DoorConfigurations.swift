import Music
import Signaling

/// A setting of one door: `band-accounts` in the file of settings, `JAMJAR_BAND_ACCOUNTS` in the environment.
package struct DoorSetting: Hashable, Sendable {
  package enum Kind: Sendable {
    /// Never shown, and never given on the command line, where every process on the machine can read it.
    case secret
    case flag
  }

  package let name: String
  package let kind: Kind

  /// The variable of the environment.
  package var variable: String { DoorSetting.variable(of: name) }
  package var isSecret: Bool { kind == .secret }

  init(_ name: String, _ kind: Kind) {
    (self.name, self.kind) = (name, kind)
  }

  /// The variable of the environment for any setting of this name.
  package static func variable(of name: String) -> String { "JAMJAR_" + name.uppercased().replacing("-", with: "_") }
}

/// What an operator sets for one door. Its type stands in the door's folder, reads the settings and says what is wrong.
package protocol DoorConfiguration: Sendable {
  static var settings: [DoorSetting] { get }
  /// Nothing is set.
  init()
  /// - Parameter values: the settings that have a value, by their names; a flag is "true" or "false".
  /// - Throws: `ConfigurationProblem`.
  init(reading values: [String: String]) throws(ConfigurationProblem)
  /// Refuses what does not go with the rest of the service's configuration.
  /// - Throws: `ConfigurationProblem`.
  func check(beside server: ServerConfiguration) throws(ConfigurationProblem)
  /// The topology of a room whose name says it.
  func topology(of room: RoomName) -> RoomPolicy.Topology?
}

extension DoorConfiguration {
  package func check(beside server: ServerConfiguration) throws(ConfigurationProblem) {}
  package func topology(of room: RoomName) -> RoomPolicy.Topology? { nil }
}

/// The configurations of all doors, each by its type; what is not set has its type's empty value.
package struct DoorConfigurations: Sendable {
  private var byType: [ObjectIdentifier: any DoorConfiguration] = [:]

  /// Nothing is set.
  package init() {}

  /// Reads the settings of all doors.
  /// - Parameters:
  ///   - values: the settings that have a value, by their names; a flag is "true" or "false".
  ///   - report: receives one problem of each door that has any; the door is as if nothing was set for it.
  package init(reading values: [String: String], report: (ConfigurationProblem) -> Void) {
    for type in DoorConfigurations.types {
      do throws(ConfigurationProblem) {
        byType[ObjectIdentifier(type)] = try type.init(reading: values)
      } catch {
        report(error)
      }
    }
  }

  private static var types: [any DoorConfiguration.Type] { Doors.kinds.compactMap { $0.configuration } }

  /// The settings of all doors, in the order of the doors.
  package static var settings: [DoorSetting] { types.flatMap { $0.settings } }

  package subscript<Own: DoorConfiguration>(_ type: Own.Type) -> Own {
    get { byType[ObjectIdentifier(type)] as? Own ?? Own() }
    set { byType[ObjectIdentifier(type)] = newValue }
  }

  func check(beside server: ServerConfiguration) throws(ConfigurationProblem) {
    for type in DoorConfigurations.types { try byType[ObjectIdentifier(type)]?.check(beside: server) }
  }

  func topology(of room: RoomName) -> RoomPolicy.Topology? {
    byType.values.lazy.compactMap { $0.topology(of: room) }.first
  }
}
