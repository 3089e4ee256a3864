/// Any JSON text as a value (RFC 8259).
package enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  /// A number without fraction and exponent that fits 64 bits.
  case integer(Int64)
  /// Any other finite number.
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)
}

extension JSONValue {
  /// The object inside, nil where this is something else.
  package var object: JSONObject? {
    if case .object(let object) = self { object } else { nil }
  }

  /// The elements inside, nil where this is no array.
  package var array: [JSONValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The string inside, nil where this is something else.
  package var string: String? {
    if case .string(let string) = self { string } else { nil }
  }

  /// The truth value inside, nil where this is something else.
  package var bool: Bool? {
    if case .bool(let bool) = self { bool } else { nil }
  }

  /// The whole number inside, nil where this is something else.
  package var integer: Int64? {
    switch self {
    case .integer(let integer): integer
    // 1.0 and 1e3 are whole numbers too.
    case .number(let number): Int64(exactly: number)
    default: nil
    }
  }

  /// The number inside, nil where this is something else.
  package var double: Double? {
    switch self {
    case .integer(let integer): Double(integer)
    case .number(let number): number
    default: nil
    }
  }

  /// What this is, in words for an error: "a string".
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

  /// A number as a value: whole numbers as `.integer`, so that 30 seconds are written as 30 and not as 30.0; what JSON
  /// cannot write (infinite, not a number) as null.
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
