// Arithmetic in this file is in range: lists are joined, and lengths are those of values in memory.

/// Writes values as AMF0 without references, in the forms that every known client accepts.
///
/// AMF0 has no byte arrays: they are written in AMF3 after marker 0x11, as in the iOS library.
package struct AMFWriter {
  /// The longest byte array possible in AMF3.
  private static let maximumBytes = (1 << 28) - 1
  /// The longest text in the short form, and the longest name.
  private static let maximumShort = Int(UInt16.max)

  package private(set) var bytes: [UInt8]

  /// Starts after `bytes`.
  package init(after bytes: [UInt8] = []) {
    self.bytes = bytes
  }

  /// Encodes these values consecutively.
  package static func bytes(_ values: [AMFValue]) -> [UInt8] {
    var writer = AMFWriter()
    for value in values { writer.write(value) }
    return writer.bytes
  }

  package mutating func write(_ value: AMFValue) {
    switch value {
    case .undefined: bytes.append(AMF0Marker.undefined)
    case .null: bytes.append(AMF0Marker.null)
    case .boolean(let flag): bytes.append(contentsOf: [AMF0Marker.boolean, flag ? 1 : 0])
    case .number(let number):
      bytes.append(AMF0Marker.number)
      bytes.append(double: number)
    case .string(let text): write(text)
    case .date(let milliseconds):
      bytes.append(AMF0Marker.date)
      bytes.append(double: milliseconds)
      bytes.append(UInt64(0), octets: 2)
    case .array(let elements, let named): write(elements, named)
    case .object(let members, let className):
      if let className {
        bytes.append(AMF0Marker.typedObject)
        bytes.append(text16: className)
      } else {
        bytes.append(AMF0Marker.object)
      }
      write(members)
    case .bytes(let content):
      bytes.append(contentsOf: [AMF0Marker.amf3, AMF3Marker.byteArray])
      let content = content.prefix(AMFWriter.maximumBytes)
      writeU29(content.count << 1 | 1)
      bytes.append(contentsOf: content)
    case .xml(let text):
      bytes.append(AMF0Marker.xml)
      writeLong(text)
    }
  }

  private mutating func write(_ text: String) {
    if text.utf8.count <= AMFWriter.maximumShort {
      bytes.append(AMF0Marker.string)
      bytes.append(text16: text)
    } else {
      bytes.append(AMF0Marker.longString)
      writeLong(text)
    }
  }

  private mutating func writeLong(_ text: String) {
    let text = text.utf8.prefix(Int(UInt32.max))
    bytes.append(UInt64(text.count), octets: 4)
    bytes.append(contentsOf: text)
  }

  /// A list becomes a strict array and a map an object; only a combination becomes an ECMA array.
  private mutating func write(_ elements: [AMFValue], _ named: [AMFMember]) {
    if named.isEmpty {
      bytes.append(AMF0Marker.strictArray)
      bytes.append(UInt64(elements.count), octets: 4)
      for element in elements { write(element) }
    } else if elements.isEmpty {
      bytes.append(AMF0Marker.object)
      write(named)
    } else {
      bytes.append(AMF0Marker.ecmaArray)
      bytes.append(UInt64(elements.count + named.count), octets: 4)
      write(elements.enumerated().map { AMFMember(String($0.offset), $0.element) } + named)
    }
  }

  /// Writes members and the end marker; a member whose name is too long for AMF0 is left out.
  private mutating func write(_ members: [AMFMember]) {
    for member in members where member.name.utf8.count <= AMFWriter.maximumShort {
      bytes.append(text16: member.name)
      write(member.value)
    }
    bytes.append(contentsOf: [0, 0, AMF0Marker.objectEnd])
  }

  private mutating func writeU29(_ value: Int) {
    let isLong = value >= 1 << 21
    var shift = isLong ? 22 : 14
    while !isLong, shift > 0, value >> shift == 0 { shift -= 7 }
    while shift > 0 {
      bytes.append(UInt8(truncatingIfNeeded: value >> shift & 0x7F | 0x80))
      shift -= isLong && shift == 8 ? 8 : 7
    }
    bytes.append(UInt8(truncatingIfNeeded: isLong ? value & 0xFF : value & 0x7F))
  }
}
