/// How much a message may unfold to: small bytes can mean large values, by references and by announced counts.
package struct AMFLimits: Hashable, Sendable {
  /// Containers inside each other.
  package var depth: Int
  /// Values in a message, each reference counted as what it stands for.
  package var values: Int
  /// Bytes of text and binary values, each reference counted as what it stands for.
  package var bytes: Int
  /// Bytes of a class name.
  package var className = 255
  /// Bytes of a member's name.
  package var key = 1024

  package init(depth: Int = 32, values: Int, bytes: Int = 1 << 20) {
    self.depth = depth
    self.values = values
    self.bytes = bytes
  }

  /// For every message of a client.
  package static let message = AMFLimits(values: 10_000)
  /// For the synchronisation of a shared object that a server sends: 1000 slots with their values.
  package static let synchronisation = AMFLimits(values: 64_000, bytes: 2 << 20)
}
