/// A value of AMF0 or AMF3 in commands, answers and shared objects.
///
/// One type represents both encodings: an AMF3 integer is a number, a vector is an array, a dictionary is an object.
/// Objects are never instantiated by class name.
package indirect enum AMFValue: Hashable, Sendable {
  /// Distinct from null for some clients, although application code treats both alike.
  case undefined
  case null
  case boolean(Bool)
  case number(Double)
  case string(String)
  /// Milliseconds since 1970 in UTC; AMF0's time zone is ignored.
  case date(milliseconds: Double)
  /// The ordered part, plus the named part of Flash's arrays (and of Java servers' maps).
  case array([AMFValue], named: [AMFMember])
  /// Members in order with unique names, and the class name if there is one.
  case object([AMFMember], className: String?)
  case bytes([UInt8])
  /// XML as unparsed text.
  case xml(String)
}

extension AMFValue {
  /// Creates an array without a named part.
  package static func array(_ elements: [AMFValue]) -> AMFValue { .array(elements, named: []) }

  /// Creates an object without a class.
  package static func object(_ members: [AMFMember]) -> AMFValue { .object(members, className: nil) }

  package var string: String? { if case .string(let text) = self { text } else { nil } }

  package var number: Double? { if case .number(let number) = self { number } else { nil } }

  package var boolean: Bool? { if case .boolean(let flag) = self { flag } else { nil } }

  /// The elements of an array.
  package var elements: [AMFValue]? { if case .array(let elements, _) = self { elements } else { nil } }

  /// True for null and undefined.
  package var isNothing: Bool { self == .null || self == .undefined }

  /// The named members of an object or an array.
  package var members: [AMFMember]? {
    switch self {
    case .object(let members, _), .array(_, let members): members
    default: nil
    }
  }

  /// The member of this name in an object or an array's named part.
  package subscript(name: String) -> AMFValue? {
    members?.first { $0.name == name }?.value
  }
}

extension AMFValue {
  /// Bytes of memory for one value, besides its text; a generous estimate.
  private static let cost = 96

  /// Bytes of memory that the value takes, estimated. The reader has limited the depth, and therefore this recursion.
  package var footprint: Int {
    switch self {
    case .undefined, .null, .boolean, .number, .date: AMFValue.cost
    case .string(let text), .xml(let text): AMFValue.cost &+ text.utf8.count
    case .bytes(let bytes): AMFValue.cost &+ bytes.count
    case .array(let elements, let named): AMFValue.footprint(elements) &+ AMFValue.footprint(named)
    case .object(let members, _): AMFValue.footprint(members)
    }
  }

  package static func footprint(_ values: [AMFValue]) -> Int { values.reduce(cost) { $0 &+ $1.footprint } }

  private static func footprint(_ members: [AMFMember]) -> Int {
    members.reduce(cost) { $0 &+ cost &+ $1.name.utf8.count &+ $1.value.footprint }
  }
}

extension AMFValue: ExpressibleByStringLiteral, ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
  package init(stringLiteral value: String) { self = .string(value) }
  package init(floatLiteral value: Double) { self = .number(value) }
  package init(integerLiteral value: Int) { self = .number(Double(value)) }
}

extension AMFValue: ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  package init(booleanLiteral value: Bool) { self = .boolean(value) }
  package init(arrayLiteral elements: AMFValue...) { self = .array(elements) }
  package init(dictionaryLiteral elements: (String, AMFValue)...) {
    self = .object(elements.map { AMFMember($0.0, $0.1) })
  }
}

/// A name with its value, in an object, the named part of an array, or a shared object.
package struct AMFMember: Hashable, Sendable {
  package var name: String
  package var value: AMFValue

  package init(_ name: String, _ value: AMFValue) {
    self.name = name
    self.value = value
  }
}

/// The shape of an AMF3 object, which later objects of the message may refer to.
struct AMF3Traits: Hashable, Sendable {
  /// The only externalizable class that is supported: a plain array inside a wrapper.
  static let arrayCollection = "flex.messaging.io.ArrayCollection"

  let className: String
  let isExternalizable: Bool
  let isDynamic: Bool
  /// Names of the values that come first, without names.
  let sealed: [String]
}
