/// How much JSON is read from outside before it is refused.
package struct JSONLimits: Hashable, Sendable {
  /// Longest text, in bytes.
  package var bytes: Int
  /// Arrays and objects inside each other.
  package var depth: Int
  /// Longest string, in bytes of UTF-8 after its escapes are undone; names of members count too.
  package var stringBytes: Int
  /// Values of all kinds in one text, so that 256 KiB of `[[],[],…` do not become megabytes.
  package var values: Int

  package init(bytes: Int = 262_144, depth: Int = 32, stringBytes: Int = 131_072, values: Int = 16_384) {
    self.bytes = bytes
    self.depth = depth
    self.stringBytes = stringBytes
    self.values = values
  }

  /// What a signaling link takes: 256 KiB, 32 levels, strings of 128 KiB, 16,384 values.
  package static let signaling = JSONLimits()

  /// What a client of ours takes from a service, which may send a whole shared object in one text, and what is read of
  /// our own files: every byte of its 2 MiB can be six of JSON, and its values lie a few levels deep in the message.
  package static let received = JSONLimits(bytes: 16 << 20, depth: 48, stringBytes: 1 << 20, values: 1 << 20)
}
