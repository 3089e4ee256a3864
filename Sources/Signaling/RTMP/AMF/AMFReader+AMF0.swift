extension AMFReader {
  /// Returns the next value.
  package mutating func value() throws(AMFError) -> AMFValue {
    try value(depth: 0)
  }

  /// - Parameter isListed: true for an element of a strict array.
  mutating func value(depth: Int, isListed: Bool = false) throws(AMFError) -> AMFValue {
    let marker = try byte(of: "a value's marker")
    if marker == AMF0Marker.amf3 { return try amf3(depth: depth) }
    let start = try chargeValue()
    height = 0
    switch marker {
    case AMF0Marker.number: return .number(try double(of: "a number"))
    case AMF0Marker.boolean: return .boolean(try byte(of: "a boolean") != 0)
    case AMF0Marker.string: return .string(try string(isListed: isListed))
    case AMF0Marker.null: return .null
    case AMF0Marker.undefined, AMF0Marker.unsupported: return .undefined
    case AMF0Marker.date:
      let milliseconds = try double(of: "a date")
      guard cursor.u16() != nil else { throw .truncated("a date's time zone") }
      return .date(milliseconds: milliseconds)
    case AMF0Marker.longString: return .string(try longText("a long string"))
    case AMF0Marker.xml: return .xml(try longText("an XML document"))
    case AMF0Marker.reference:
      guard let index = cursor.u16() else { throw .truncated("a reference") }
      return try expand(index, in: references, depth: depth)
    case AMF0Marker.object, AMF0Marker.typedObject, AMF0Marker.ecmaArray, AMF0Marker.strictArray:
      try enter(depth)
      // The table index is assigned at the start, so that nested values are numbered after it.
      let index = references.count
      references.append(nil)
      let value = try container(marker, depth: depth)
      references[index] = measured(value, since: start)
      return value
    default: throw .marker(marker, isAMF3: false)
    }
  }

  private mutating func container(_ marker: UInt8, depth: Int) throws(AMFError) -> AMFValue {
    switch marker {
    case AMF0Marker.object: return .object(try members(depth: depth))
    case AMF0Marker.typedObject:
      guard let count = cursor.u16() else { throw .truncated("a class name") }
      let name = try text(count, of: "a class name", limit: limits.className)
      return .object(try members(depth: depth), className: name)
    case AMF0Marker.ecmaArray:
      // The count is only a hint: Red5 writes 0.
      guard cursor.u32() != nil else { throw .truncated("an array's count") }
      return AMFReader.array(try members(depth: depth))
    default:
      guard let announced = cursor.u32() else { throw .truncated("an array's count") }
      let count = Int(announced)
      try check(count: count)
      var elements: [AMFValue] = []
      var tallest = 0
      for _ in 0..<count {
        elements.append(try value(depth: depth + 1, isListed: true))
        tallest = max(tallest, height)
      }
      height = tallest + 1
      return .array(elements)
    }
  }

  /// Flash's arrays store their ordered part under the names "0", "1" …
  private static func array(_ members: [AMFMember]) -> AMFValue {
    var ordered: [AMFValue] = []
    var named: [AMFMember] = []
    for member in members {
      if member.name == String(ordered.count) { ordered.append(member.value) } else { named.append(member) }
    }
    return .array(ordered, named: named)
  }

  private mutating func members(depth: Int) throws(AMFError) -> [AMFMember] {
    var list = AMFMemberList()
    var tallest = 0
    while true {
      guard let count = cursor.u16() else { throw .truncated("a member's name") }
      let name = try text(count, of: "a member's name", limit: limits.key)
      if name.isEmpty, skipEnd() { break }
      if isLenient, skipEmptyStringAndEnd() {
        list.set(name, "")
        break
      }
      list.set(name, try value(depth: depth + 1))
      tallest = max(tallest, height)
    }
    height = tallest + 1
    return list.members
  }

  /// Skips the end marker after the empty last name; the iOS library writes that name twice.
  private mutating func skipEnd() -> Bool {
    if cursor.peek() == AMF0Marker.objectEnd {
      cursor.skip(1)
      return true
    }
    guard isLenient, cursor.peek() == 0, cursor.peek(1) == 0, cursor.peek(2) == AMF0Marker.objectEnd else {
      return false
    }
    cursor.skip(3)
    return true
  }

  /// Skips `02 00 00 09`, with which the iOS library encodes an empty string (omitting its length) and the end of the
  /// object, if the 09 cannot begin the length of another name.
  private mutating func skipEmptyStringAndEnd() -> Bool {
    guard
      cursor.peek() == AMF0Marker.string, cursor.peek(1) == 0, cursor.peek(2) == 0,
      cursor.peek(3) == AMF0Marker.objectEnd
    else { return false }
    if let low = cursor.peek(4) {
      let nameLength = Int(AMF0Marker.objectEnd) << 8 | Int(low)
      guard nameLength > limits.key || nameLength > cursor.remaining - 5 else { return false }
    }
    cursor.skip(4)
    return true
  }

  private mutating func string(isListed: Bool) throws(AMFError) -> String {
    // The iOS library omits the length of an empty string.
    if isLenient, cursor.remaining == 0 || (isListed && !isBeforeText) { return "" }
    guard let count = cursor.u16() else { throw .truncated("a string's length") }
    return try text(count, of: "a string")
  }

  /// False if the next bytes cannot be a length and a text that the iOS library wrote: it never writes the length 0, and
  /// its texts have no NUL, while the values after an empty string in an array have one almost at once.
  private var isBeforeText: Bool {
    guard let high = cursor.peek(), let low = cursor.peek(1) else { return false }
    let count = Int(high) << 8 | Int(low)
    guard count > 0, count <= cursor.remaining - 2 else { return false }
    return (0..<count).allSatisfy { cursor.peek(2 &+ $0) != 0 }
  }

  private mutating func longText(_ part: String) throws(AMFError) -> String {
    guard let count = cursor.u32() else { throw .truncated("the length of \(part)") }
    return try text(Int(count), of: part)
  }
}

/// The first byte of an AMF0 value; 4 (movie clip) and 14 (record set) are reserved and refused.
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
