import Synchronization

/// How many packets came to all listeners together.
final class PacketTally: Sendable {
  private let packets = Atomic<Int>(0)

  func add() { packets.add(1, ordering: .relaxed) }

  var count: Int { packets.load(ordering: .relaxed) }
}
