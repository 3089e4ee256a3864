extension AMFReader {
  /// Returns the next value from AMF3 bytes without the preceding 0x11.
  package mutating func amf3() throws(AMFError) -> AMFValue {
    try amf3(depth: 0)
  }

  mutating func amf3(depth: Int) throws(AMFError) -> AMFValue {
    let marker = try byte(of: "an AMF3 value's marker")
    let start = try chargeValue()
    height = 0
    switch marker {
    case AMF3Marker.undefined: return .undefined
    case AMF3Marker.null: return .null
    case AMF3Marker.no: return .boolean(false)
    case AMF3Marker.yes: return .boolean(true)
    case AMF3Marker.integer:
      let unsigned = try u29()
      // in range: 29 bits
      return .number(Double(unsigned < 1 << 28 ? unsigned : unsigned - (1 << 29)))
    case AMF3Marker.double: return .number(try double(of: "an AMF3 double"))
    case AMF3Marker.string: return .string(try amf3String(of: "an AMF3 string"))
    case AMF3Marker.xmlDocument...AMF3Marker.dictionary:
      let header = try u29()
      // The lowest bit distinguishes an inline value from a reference; the rest is a count or an index.
      guard header & 1 == 1 else { return try expand(header >> 1, in: objects, depth: depth) }
      let index = objects.count
      objects.append(nil)
      let value = try body(marker, header >> 1, depth: depth)
      objects[index] = measured(value, since: start)
      return value
    default: throw .marker(marker, isAMF3: true)
    }
  }

  private mutating func body(_ marker: UInt8, _ count: Int, depth: Int) throws(AMFError) -> AMFValue {
    switch marker {
    case AMF3Marker.xml, AMF3Marker.xmlDocument: return .xml(try text(count, of: "AMF3 XML"))
    case AMF3Marker.date: return .date(milliseconds: try double(of: "an AMF3 date"))
    case AMF3Marker.byteArray:
      guard let bytes = cursor.take(count) else { throw .truncated("a byte array of \(count) bytes") }
      try charge(bytes: count)
      return .bytes(Array(bytes))
    default: break
    }
    try enter(depth)
    switch marker {
    case AMF3Marker.object: return try amf3Object(count, depth: depth)
    case AMF3Marker.array: return try amf3Array(count, depth: depth)
    case AMF3Marker.dictionary: return try dictionary(count, depth: depth)
    default: return try vector(marker, count, depth: depth)
    }
  }

  /// An integer of 1 to 4 bytes with 7 bits each, except for 8 in the fourth.
  mutating func u29() throws(AMFError) -> Int {
    var value = 0
    for _ in 0..<3 {
      let next = Int(try byte(of: "an AMF3 number"))
      value = value << 7 | next & 0x7F
      if next & 0x80 == 0 { return value }
    }
    return value << 8 | Int(try byte(of: "an AMF3 number"))
  }

  /// An inline string or a reference by index; the empty string is never in the table.
  mutating func amf3String(of part: String, limit: Int = .max) throws(AMFError) -> String {
    let header = try u29()
    if header & 1 == 0 {
      guard header >> 1 < strings.count else { throw .reference(header >> 1) }
      let string = strings[header >> 1]
      guard string.utf8.count <= limit else { throw .tooLong(part, limit: limit) }
      try charge(bytes: string.utf8.count)
      return string
    }
    let string = try text(header >> 1, of: part, limit: limit)
    if !string.isEmpty { strings.append(string) }
    return string
  }
}

/// The first byte of an AMF3 value.
enum AMF3Marker {
  static let undefined: UInt8 = 0x00
  static let null: UInt8 = 0x01
  static let no: UInt8 = 0x02
  static let yes: UInt8 = 0x03
  static let integer: UInt8 = 0x04
  static let double: UInt8 = 0x05
  static let string: UInt8 = 0x06
  static let xmlDocument: UInt8 = 0x07
  static let date: UInt8 = 0x08
  static let array: UInt8 = 0x09
  static let object: UInt8 = 0x0A
  static let xml: UInt8 = 0x0B
  static let byteArray: UInt8 = 0x0C
  static let int32Vector: UInt8 = 0x0D
  static let uint32Vector: UInt8 = 0x0E
  static let doubleVector: UInt8 = 0x0F
  static let objectVector: UInt8 = 0x10
  static let dictionary: UInt8 = 0x11
}
