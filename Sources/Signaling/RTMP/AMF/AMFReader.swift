// Arithmetic in this file is in range: the budgets only fall by what was checked against them.

/// Reads the AMF0 values of one message, in which marker 0x11 switches to AMF3 for one value.
///
/// One struct handles both encodings, because they share a message's budget, and the reference tables live as long as
/// the message. Strict by default; `isLenient` also accepts the invalid forms of the iOS library, for a second
/// attempt only.
package struct AMFReader {
  /// A complete value that later ones may refer to, with the cost of repeating it.
  struct Reference {
    let value: AMFValue
    let values: Int
    let bytes: Int
    let height: Int
  }

  /// The budget at the start of a container.
  struct Start {
    let values: Int
    let bytes: Int
  }

  var cursor: ByteReader
  let limits: AMFLimits
  let isLenient: Bool
  private var values = 0
  private var bytes = 0
  /// Nesting depth of the value read last.
  var height = 0
  /// AMF0's reference table; nil for incomplete values.
  var references: [Reference?] = []
  /// AMF3's reference tables.
  var objects: [Reference?] = []
  var strings: [String] = []
  var traits: [AMF3Traits] = []

  init(_ cursor: ByteReader, limits: AMFLimits = .message, isLenient: Bool = false) {
    self.cursor = cursor
    self.limits = limits
    self.isLenient = isLenient
  }

  /// Creates a reader for values outside of messages.
  package init(_ bytes: [UInt8], limits: AMFLimits = .message, isLenient: Bool = false) {
    self.init(ByteReader(bytes), limits: limits, isLenient: isLenient)
  }

  /// True once all bytes have been read.
  package var isAtEnd: Bool { cursor.remaining == 0 }

  /// Continues in another part of the message, keeping the tables and the budget.
  mutating func move(to cursor: ByteReader) {
    self.cursor = cursor
  }

  /// Charges one value and returns the budget before it.
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

  /// Checks that a container may begin at this depth.
  func enter(_ depth: Int) throws(AMFError) {
    guard depth < limits.depth else { throw .tooDeep(limit: limits.depth) }
  }

  /// Determines the cost of repeating a finished value.
  func measured(_ value: AMFValue, since start: Start) -> Reference {
    Reference(value: value, values: values - start.values, bytes: bytes - start.bytes, height: height)
  }

  /// Returns the referenced value, charged as if it were written out; one value has already been charged.
  mutating func expand(_ index: Int, in table: [Reference?], depth: Int) throws(AMFError) -> AMFValue {
    guard index < table.count, let target = table[index] else { throw .reference(index) }
    guard depth + target.height <= limits.depth else { throw .tooDeep(limit: limits.depth) }
    guard target.values - 1 <= limits.values - values else { throw .tooManyValues(limit: limits.values) }
    values += target.values - 1
    try charge(bytes: target.bytes)
    height = target.height
    return target.value
  }

  /// Checks that `count` elements of at least `size` bytes fit into the remaining bytes.
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

  /// Reads text of `count` bytes; invalid UTF-8 becomes U+FFFD.
  mutating func text(_ count: Int, of part: String, limit: Int = .max) throws(AMFError) -> String {
    guard count <= limit else { throw .tooLong(part, limit: limit) }
    guard let bytes = cursor.take(count) else { throw .truncated(part) }
    try charge(bytes: count)
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// The values in a message's body: all of them, or those before the first unreadable one.
struct AMFSequence: Hashable, Sendable {
  let values: [AMFValue]
  /// The error of the strict reading, if the lenient one failed as well.
  let failure: AMFError?

  /// Reads to the end, first strictly; on failure again with the forms of the iOS library, which are ambiguous.
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

/// Limits on the expanded size of a message: references and announced counts can make few bytes expand to large
/// values.
package struct AMFLimits: Hashable, Sendable {
  /// Maximum nesting depth of containers.
  package var depth: Int
  /// Maximum number of values in a message, with references expanded.
  package var values: Int
  /// Maximum number of bytes of text and binary values, with references expanded.
  package var bytes: Int
  /// Maximum length of a class name in bytes.
  package var className = 255
  /// Maximum length of a member's name in bytes.
  package var key = 1024

  package init(depth: Int = 32, values: Int, bytes: Int = 1 << 20) {
    self.depth = depth
    self.values = values
    self.bytes = bytes
  }

  /// For messages from clients.
  package static let message = AMFLimits(values: 10_000)
  /// For the synchronisation of a shared object sent by a server: 1000 slots with their values.
  package static let synchronisation = AMFLimits(values: 64_000, bytes: 2 << 20)
}

/// The reason why bytes are not an acceptable AMF value.
package enum AMFError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The bytes end within this part.
  case truncated(String)
  /// A reserved or unknown marker.
  case marker(UInt8, isAMF3: Bool)
  /// More elements than remaining bytes, though each needs at least one.
  case count(Int, left: Int)
  /// A reference to a missing or incomplete value; a tree cannot represent cycles.
  case reference(Int)
  case tooDeep(limit: Int)
  case tooManyValues(limit: Int)
  case tooManyBytes(limit: Int)
  /// A class name or key that is too long.
  case tooLong(String, limit: Int)
  /// An object in a format that only its own class can read.
  case externalizable(String)
  /// A dictionary key that is not a string, number or boolean.
  case dictionaryKey

  package var description: String {
    switch self {
    case .truncated(let part): "the bytes end within \(part)"
    case .marker(let marker, let isAMF3): "\(marker) is no marker of \(isAMF3 ? "AMF3" : "AMF0") that is taken here"
    case .count(let count, let left): "\(count) elements are announced, but only \(left) bytes are left"
    case .reference(let index): "the reference \(index) points to nothing that is complete"
    case .tooDeep(let limit): "the values are nested more than \(limit) deep"
    case .tooManyValues(let limit): "there are more than \(limit) values, references expanded"
    case .tooManyBytes(let limit): "the values expand to more than \(limit) bytes"
    case .tooLong(let part, let limit): "\(part) is longer than \(limit) bytes"
    case .externalizable(let name): "an externalizable object of class \"\(name.prefix(64))\" cannot be read"
    case .dictionaryKey: "a dictionary's key must be a string, a number or a boolean"
    }
  }
}
