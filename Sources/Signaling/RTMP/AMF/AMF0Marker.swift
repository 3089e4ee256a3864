/// The first byte of an AMF0 value; 4 (movie clip) and 14 (record set) are reserved and not taken.
enum AMF0Marker {
  static let number: UInt8 = 0x00
  static let boolean: UInt8 = 0x01
  static let string: UInt8 = 0x02
  static let object: UInt8 = 0x03
  static let null: UInt8 = 0x05
  static let undefined: UInt8 = 0x06
  static let reference: UInt8 = 0x07
  static let ecmaArray: UInt8 = 0x08
  static let objectEnd: UInt8 = 0x09
  static let strictArray: UInt8 = 0x0A
  static let date: UInt8 = 0x0B
  static let longString: UInt8 = 0x0C
  static let unsupported: UInt8 = 0x0D
  static let xml: UInt8 = 0x0F
  static let typedObject: UInt8 = 0x10
  /// One AMF3 value follows.
  static let amf3: UInt8 = 0x11
}
