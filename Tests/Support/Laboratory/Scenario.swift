/// Musicians who play to a room of their own, one take long.
package struct Scenario: Sendable {
  package var name: String
  /// The same seed makes the same scenario.
  package var seed: UInt64
  package var kind: ScenarioKind
  package var musicians: [RealMusician]
  /// When the take is stopped, in seconds from the beginning; the musicians play on for a second.
  package var length: Double

  package init(name: String, seed: UInt64, kind: ScenarioKind, musicians: [RealMusician], length: Double) {
    (self.name, self.seed, self.kind) = (name, seed, kind)
    (self.musicians, self.length) = (musicians, length)
  }
}
