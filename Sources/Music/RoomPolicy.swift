/// The settings of a room's behaviour.
package struct RoomPolicy: Hashable, Sendable, Codable {
  /// When takes are recorded.
  package enum Recording: String, Sendable, Hashable, Codable, CaseIterable {
    /// From the first musician's first audio until the last musician leaves, as in Pectin.
    case call
    /// Only on command.
    case manual
  }

  /// How the musicians hear each other.
  package enum Topology: String, Sendable, Hashable, Codable, CaseIterable {
    /// Jamjar forwards each musician's packets to the others.
    case routed
    /// The musicians are connected to each other; Jamjar is an additional peer.
    case mesh
  }

  package var recording: Recording
  package var topology: Topology
  /// Number of seats for musicians.
  package var capacity: Int
  /// How long a musician's seat, track and media survive the loss of the signaling link or the path, in seconds.
  package var gracePeriod: Double

  /// Default number of seats; the five older systems were made for three.
  package static let defaultCapacity = 3

  package init(
    recording: Recording = .call, topology: Topology = .routed, capacity: Int = RoomPolicy.defaultCapacity,
    gracePeriod: Double = 30
  ) {
    self.recording = recording
    self.topology = topology
    self.capacity = capacity
    self.gracePeriod = gracePeriod
  }
}
