extension AMFReader {
  /// Reads named values up to the empty name: the named part of an array, or the dynamic part of an object.
  private mutating func namedValues(into list: inout AMFMemberList, depth: Int) throws(AMFError) -> Int {
    var tallest = 0
    while true {
      let name = try amf3String(of: "a member's name", limit: limits.key)
      if name.isEmpty { return tallest }
      list.set(name, try amf3(depth: depth + 1))
      tallest = max(tallest, height)
    }
  }

  mutating func amf3Array(_ count: Int, depth: Int) throws(AMFError) -> AMFValue {
    try check(count: count)
    var named = AMFMemberList()
    var tallest = try namedValues(into: &named, depth: depth)
    var elements: [AMFValue] = []
    for _ in 0..<count {
      elements.append(try amf3(depth: depth + 1))
      tallest = max(tallest, height)
    }
    height = tallest + 1
    return .array(elements, named: named.members)
  }

  /// Reads an object; `header` is its first number without the lowest bit.
  mutating func amf3Object(_ header: Int, depth: Int) throws(AMFError) -> AMFValue {
    let traits = try amf3Traits(header)
    if traits.isExternalizable {
      guard traits.className == AMF3Traits.arrayCollection else { throw .externalizable(traits.className) }
      let inner = try amf3(depth: depth + 1)
      height += 1
      return inner
    }
    var list = AMFMemberList()
    var tallest = 0
    for name in traits.sealed {
      // Names of a referenced shape are written out again in AMF0.
      try charge(bytes: name.utf8.count)
      list.set(name, try amf3(depth: depth + 1))
      tallest = max(tallest, height)
    }
    if traits.isDynamic { tallest = max(tallest, try namedValues(into: &list, depth: depth)) }
    height = tallest + 1
    return .object(list.members, className: traits.className.isEmpty ? nil : traits.className)
  }

  private mutating func amf3Traits(_ header: Int) throws(AMFError) -> AMF3Traits {
    if header & 1 == 0 {
      guard header >> 1 < traits.count else { throw .reference(header >> 1) }
      return traits[header >> 1]
    }
    let count = header >> 3
    try check(count: count)
    let className = try amf3String(of: "a class name", limit: limits.className)
    var sealed: [String] = []
    for _ in 0..<count { sealed.append(try amf3String(of: "a member's name", limit: limits.key)) }
    let found = AMF3Traits(
      className: className, isExternalizable: header & 2 != 0, isDynamic: header & 4 != 0, sealed: sealed)
    traits.append(found)
    return found
  }

  mutating func dictionary(_ count: Int, depth: Int) throws(AMFError) -> AMFValue {
    try check(count: count, size: 2)
    _ = try byte(of: "a dictionary's flag")
    var list = AMFMemberList()
    var tallest = 0
    for _ in 0..<count {
      let name =
        switch try amf3(depth: depth + 1) {
        case .string(let text): text
        case .number(let number): Int(exactly: number).map { String($0) } ?? String(number)
        case .boolean(let flag): String(flag)
        default: throw AMFError.dictionaryKey
        }
      list.set(name, try amf3(depth: depth + 1))
      tallest = max(tallest, height)
    }
    height = tallest + 1
    return .object(list.members)
  }

  mutating func vector(_ marker: UInt8, _ count: Int, depth: Int) throws(AMFError) -> AMFValue {
    let size =
      switch marker {
      case AMF3Marker.objectVector: 1
      case AMF3Marker.doubleVector: 8
      default: 4
      }
    try check(count: count, size: size)
    _ = try byte(of: "a vector's flag")
    if marker == AMF3Marker.objectVector { _ = try amf3String(of: "a vector's type", limit: limits.className) }
    var elements: [AMFValue] = []
    var tallest = 0
    for _ in 0..<count {
      if marker == AMF3Marker.objectVector {
        elements.append(try amf3(depth: depth + 1))
        tallest = max(tallest, height)
        continue
      }
      _ = try chargeValue()
      if marker == AMF3Marker.doubleVector {
        elements.append(.number(try double(of: "a vector")))
      } else {
        guard let bits = cursor.u32() else { throw .truncated("a vector") }
        let isSigned = marker == AMF3Marker.int32Vector
        elements.append(.number(isSigned ? Double(Int32(bitPattern: bits)) : Double(bits)))
      }
    }
    height = tallest + 1
    return .array(elements)
  }
}

/// Members as read: in order of first appearance; for a repeated name, the last value wins.
struct AMFMemberList {
  /// From this many members on, names are found by hash instead of by linear search.
  private static let indexedSize = 12

  private(set) var members: [AMFMember] = []
  private var positions: [String: Int] = [:]

  mutating func set(_ name: String, _ value: AMFValue) {
    if let position = position(of: name) {
      members[position].value = value
      return
    }
    members.append(AMFMember(name, value))
    if members.count == AMFMemberList.indexedSize {
      for (position, member) in members.enumerated() { positions[member.name] = position }
    } else if members.count > AMFMemberList.indexedSize {
      positions[name] = members.count - 1
    }
  }

  private func position(of name: String) -> Int? {
    guard members.count < AMFMemberList.indexedSize else { return positions[name] }
    return members.firstIndex { $0.name == name }
  }
}
