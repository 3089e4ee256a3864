import Synchronization

/// The total number of packets received by all listeners.
final class PacketTally: Sendable {
  private let packets = Atomic<Int>(0)

  func add() { packets.add(1, ordering: .relaxed) }

  var count: Int { packets.load(ordering: .relaxed) }
}
