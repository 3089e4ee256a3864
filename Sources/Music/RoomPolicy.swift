/// How a room behaves.
package struct RoomPolicy: Hashable, Sendable, Codable {
  /// When a take rolls.
  package enum Recording: String, Sendable, Hashable, Codable, CaseIterable {
    /// From the first musician's first audio until the last musician has left, as Pectin's does.
    case call
    /// Only by command.
    case manual
  }

  /// How the musicians hear each other.
  package enum Topology: String, Sendable, Hashable, Codable, CaseIterable {
    /// Jamjar forwards each musician's packets to the others.
    case routed
    /// The musicians are connected to each other; Jamjar is one more peer.
    case mesh
  }

  package var recording: Recording
  package var topology: Topology
  /// How many musicians have a seat.
  package var capacity: Int
  /// How long a musician's seat, track and media outlive the loss of the signaling link or of the path, in seconds.
  package var gracePeriod: Double

  /// Seats of a room unless it is said otherwise; the five older systems were made for three.
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
