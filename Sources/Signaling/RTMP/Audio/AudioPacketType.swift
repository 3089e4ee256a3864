/// The low nibble of the first byte of an Enhanced RTMP v2 audio message.
enum AudioPacketType {
  static let header: UInt8 = 0
  static let frame: UInt8 = 1
  static let end: UInt8 = 2
  static let channels: UInt8 = 4
  static let multitrack: UInt8 = 5
  /// Modifiers come first, then the real type.
  static let modifiers: UInt8 = 7
}
