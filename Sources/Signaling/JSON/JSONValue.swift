/// Any JSON value (RFC 8259).
package enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  /// A number without fraction or exponent that fits 64 bits.
  case integer(Int64)
  /// Any other finite number.
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)
}

extension JSONValue {
  /// The object; nil for other values.
  package var object: JSONObject? {
    if case .object(let object) = self { object } else { nil }
  }

  /// The elements of an array; nil for other values.
  package var array: [JSONValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The string; nil for other values.
  package var string: String? {
    if case .string(let string) = self { string } else { nil }
  }

  /// The boolean; nil for other values.
  package var bool: Bool? {
    if case .bool(let bool) = self { bool } else { nil }
  }

  /// The whole number; nil for other values.
  package var integer: Int64? {
    switch self {
    case .integer(let integer): integer
    // 1.0 and 1e3 are whole numbers too.
    case .number(let number): Int64(exactly: number)
    default: nil
    }
  }

  /// The number; nil for other values.
  package var double: Double? {
    switch self {
    case .integer(let integer): Double(integer)
    case .number(let number): number
    default: nil
    }
  }

  /// The type in words for an error: "a string".
  package var kind: String {
    switch self {
    case .null: "null"
    case .bool: "a truth value"
    case .integer, .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }

  /// Creates a number: whole numbers become `.integer`, so that 30 seconds are written as 30 rather than 30.0.
  /// Numbers that JSON cannot represent (infinite or NaN) become null.
  package static func measure(_ value: Double) -> JSONValue {
    guard value.isFinite else { return .null }
    if let whole = Int64(exactly: value), whole.magnitude < 1 << 53 { return .integer(whole) }
    return .number(value)
  }

  /// The string, or null.
  package static func optional(_ text: String?) -> JSONValue {
    text.map(JSONValue.string) ?? .null
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  package init(stringLiteral value: String) { self = .string(value) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(integerLiteral value: Int64) { self = .integer(value) }
  package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  package init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(JSONObject(distinct: elements.map { .init(name: $0.0, value: $0.1) }))
  }
}

/// The members of a JSON object in their original order.
package struct JSONObject: Hashable, Sendable {
  /// One name and its value.
  package struct Member: Hashable, Sendable {
    package var name: String
    package var value: JSONValue

    package init(name: String, value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  package private(set) var members: [Member]

  package init() {
    members = []
  }

  /// Creates members in order; a later one of the same name replaces the earlier.
  package init(_ elements: some Sequence<(String, JSONValue)>) {
    members = []
    for (name, value) in elements { self[name] = value }
  }

  /// Creates members whose names the parser has verified to be unique.
  init(distinct members: [Member]) {
    self.members = members
  }

  /// The value of a name; nil if there is none. Setting nil removes the member.
  ///
  /// A linear search: signaling objects have about ten members, and the parser limits them all.
  package subscript(name: String) -> JSONValue? {
    get { members.first { $0.name == name }?.value }
    set {
      let index = members.firstIndex { $0.name == name }
      switch (index, newValue) {
      case (let index?, let value?): members[index].value = value
      case (let index?, nil): members.remove(at: index)
      case (nil, let value?): members.append(Member(name: name, value: value))
      case (nil, nil): break
      }
    }
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// As with a dictionary, a duplicate name in a literal is a programming error; it is not checked.
  package init(dictionaryLiteral elements: (String, JSONValue)...) {
    self.init(distinct: elements.map { Member(name: $0.0, value: $0.1) })
  }
}
