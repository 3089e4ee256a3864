/// A packet of ours, as its history keeps it.
package enum SentPacket: Hashable, Sendable {
  /// Created by us.
  case own([UInt8])
  /// A musician's packet as it came, whose bytes all its subscribers share, and the head that it has for this one.
  case forwarded([UInt8], as: RTPWriter, from: Forwarder.Source)
}
