/// Reads the AMF0 values of one message, inside of which marker 0x11 switches to AMF3 for one value.
///
/// One struct for both encodings, because they share a message's budget and the reference tables live as long as the
/// message. Strict by default; `isLenient` takes the invalid forms of the iOS library, and is meant for a second try only.
package struct AMFReader {
  /// A complete value that a later one may point to, with what it costs to repeat it.
  struct Reference {
    let value: AMFValue
    let values: Int
    let bytes: Int
    let height: Int
  }

  /// What the budget was when a container began.
  struct Start {
    let values: Int
    let bytes: Int
  }

  var cursor: ByteReader
  let limits: AMFLimits
  let isLenient: Bool
  private var values = 0
  private var bytes = 0
  /// The containers inside each other in the value that was read last.
  var height = 0
  /// AMF0's table; nil for what is not complete yet.
  var references: [Reference?] = []
  /// AMF3's tables.
  var objects: [Reference?] = []
  var strings: [String] = []
  var traits: [AMF3Traits] = []

  init(_ cursor: ByteReader, limits: AMFLimits = .message, isLenient: Bool = false) {
    self.cursor = cursor
    self.limits = limits
    self.isLenient = isLenient
  }

  /// A reader of these bytes, for values outside of messages.
  package init(_ bytes: [UInt8], limits: AMFLimits = .message, isLenient: Bool = false) {
    self.init(ByteReader(bytes), limits: limits, isLenient: isLenient)
  }

  /// Whether all bytes were read.
  package var isAtEnd: Bool { cursor.remaining == 0 }

  /// Goes on in another part of the message: the tables and the budget stay.
  mutating func move(to cursor: ByteReader) {
    self.cursor = cursor
  }

  /// Charges one value and gives what was charged before it.
  mutating func chargeValue() throws(AMFError) -> Start {
    guard values < limits.values else { throw .tooManyValues(limit: limits.values) }
    let start = Start(values: values, bytes: bytes)
    values += 1
    return start
  }

  mutating func charge(bytes count: Int) throws(AMFError) {
    guard count <= limits.bytes - bytes else { throw .tooManyBytes(limit: limits.bytes) }
    bytes += count
  }

  /// A container at this depth must be allowed to begin.
  func enter(_ depth: Int) throws(AMFError) {
    guard depth < limits.depth else { throw .tooDeep(limit: limits.depth) }
  }

  /// What a finished value costs when it is repeated.
  func measured(_ value: AMFValue, since start: Start) -> Reference {
    Reference(value: value, values: values - start.values, bytes: bytes - start.bytes, height: height)
  }

  /// The value that a reference stands for, charged as if it were written out; one value was charged already.
  mutating func expand(_ index: Int, in table: [Reference?], depth: Int) throws(AMFError) -> AMFValue {
    guard index < table.count, let target = table[index] else { throw .reference(index) }
    guard depth + target.height <= limits.depth else { throw .tooDeep(limit: limits.depth) }
    guard target.values - 1 <= limits.values - values else { throw .tooManyValues(limit: limits.values) }
    values += target.values - 1
    try charge(bytes: target.bytes)
    height = target.height
    return target.value
  }

  /// A count of elements of `size` bytes at least must fit into the bytes that are left.
  func check(count: Int, size: Int = 1) throws(AMFError) {
    guard count <= cursor.remaining / size else { throw .count(count, left: cursor.remaining) }
  }

  mutating func byte(of part: String) throws(AMFError) -> UInt8 {
    guard let byte = cursor.u8() else { throw .truncated(part) }
    return byte
  }

  mutating func double(of part: String) throws(AMFError) -> Double {
    guard let number = cursor.double() else { throw .truncated(part) }
    return number
  }

  /// Text of that many bytes; bytes that are no UTF-8 become U+FFFD.
  mutating func text(_ count: Int, of part: String, limit: Int = .max) throws(AMFError) -> String {
    guard count <= limit else { throw .tooLong(part, limit: limit) }
    guard let bytes = cursor.take(count) else { throw .truncated(part) }
    try charge(bytes: count)
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// The values of a message's body: all of them, or those before the first that could not be read.
struct AMFSequence: Hashable, Sendable {
  let values: [AMFValue]
  /// What was wrong in the strict reading, when the lenient one did not help either.
  let failure: AMFError?

  /// Reads to the end, strictly first; only if that fails again with the forms of the iOS library, because they are
  /// ambiguous.
  init(_ cursor: ByteReader, limits: AMFLimits = .message) {
    let strict = AMFSequence(cursor, limits: limits, isLenient: false)
    guard strict.failure != nil else {
      self = strict
      return
    }
    let lenient = AMFSequence(cursor, limits: limits, isLenient: true)
    self = lenient.failure == nil ? lenient : strict
  }

  private init(_ cursor: ByteReader, limits: AMFLimits, isLenient: Bool) {
    var reader = AMFReader(cursor, limits: limits, isLenient: isLenient)
    var values: [AMFValue] = []
    var failure: AMFError?
    while !reader.isAtEnd, failure == nil {
      do throws(AMFError) {
        values.append(try reader.value())
      } catch {
        failure = error
      }
    }
    self.values = values
    self.failure = failure
  }
}

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

/// Why bytes are no AMF value, or none that is taken.
package enum AMFError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The bytes end inside of this.
  case truncated(String)
  /// A marker that is reserved or unknown.
  case marker(UInt8, isAMF3: Bool)
  /// More elements than bytes are left: each would take one at least.
  case count(Int, left: Int)
  /// A reference to something that has not come or is not complete: a cycle fits in no tree.
  case reference(Int)
  case tooDeep(limit: Int)
  case tooManyValues(limit: Int)
  case tooManyBytes(limit: Int)
  /// A class name or key of too many bytes.
  case tooLong(String, limit: Int)
  /// An object whose bytes only its own class could read.
  case externalizable(String)
  /// A dictionary's key that is no string, number or boolean.
  case dictionaryKey

  package var description: String {
    switch self {
    case .truncated(let part): "the bytes end inside of \(part)"
    case .marker(let marker, let isAMF3): "\(marker) is no marker of \(isAMF3 ? "AMF3" : "AMF0") that is taken here"
    case .count(let count, let left): "\(count) elements are announced, but only \(left) bytes are left"
    case .reference(let index): "the reference \(index) points to nothing that is complete"
    case .tooDeep(let limit): "the values are nested more than \(limit) deep"
    case .tooManyValues(let limit): "there are more than \(limit) values, references expanded"
    case .tooManyBytes(let limit): "the values unfold to more than \(limit) bytes"
    case .tooLong(let part, let limit): "\(part) is longer than \(limit) bytes"
    case .externalizable(let name): "an externalizable object of class \"\(name.prefix(64))\" can't be read"
    case .dictionaryKey: "a dictionary's key must be a string, a number or a boolean"
    }
  }
}
