/// One header extension element to be written (RFC 8285).
package struct RTPHeaderExtension: Hashable, Sendable {
  /// The longest element that either form can carry, in bytes.
  static let lengthLimit = 255

  /// The negotiated id, 1...255; 1...14 fits the one-byte form.
  package var id: UInt8
  package var data: ArraySlice<UInt8>

  /// An element; data beyond 255 bytes is cut off, because no form can carry it.
  package init(id: UInt8, data: some Sequence<UInt8>) {
    self.id = id
    self.data = ArraySlice(data.prefix(Self.lengthLimit))
  }

  package static func audioLevel(_ level: AudioLevel, id: UInt8) -> RTPHeaderExtension {
    RTPHeaderExtension(id: id, data: CollectionOfOne(level.byte))
  }

  package static func absoluteCaptureTime(_ time: AbsoluteCaptureTime, id: UInt8) -> RTPHeaderExtension {
    RTPHeaderExtension(id: id, data: time.bytes)
  }

  package static func mid(_ mid: String, id: UInt8) -> RTPHeaderExtension {
    RTPHeaderExtension(id: id, data: mid.utf8)
  }

  /// Has an id between 1 and 14 and 1 to 16 bytes (RFC 8285 §4.2).
  var fitsOneByteForm: Bool { (1...14).contains(id) && (1...16).contains(data.count) }
}
