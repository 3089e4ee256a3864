import Machines

extension SharedValue {
  /// Prefix of names that represent values missing from JSON.
  private static let mark = "$"

  /// The value as JSON. A value missing from JSON becomes an object whose only name begins with `$`: `{"$date": ms}`,
  /// `{"$bytes": "base64"}`, `{"$number": "NaN"}`. A typed object has `"$class"` as its first member. Ordinary names
  /// that begin with `$` get a second one.
  package var json: JSONValue {
    switch self {
    case .null: .null
    case .bool(let bool): .bool(bool)
    case .number(let number): SharedValue.json(number)
    case .string(let text): .string(text)
    case .date(let milliseconds): ["$date": SharedValue.json(milliseconds)]
    case .bytes(let bytes): ["$bytes": .string(Base64.standard.encode(bytes))]
    case .array(let elements): .array(elements.map(\.json))
    case .object(let fields): .object(fields.json)
    }
  }

  private static func json(_ number: Double) -> JSONValue {
    guard number.isFinite else {
      return ["$number": number.isNaN ? "NaN" : number > 0 ? "Infinity" : "-Infinity"]
    }
    // `measure` would only lose the sign of zero.
    return number == 0 && number.sign == .minus ? .number(number) : .measure(number)
  }

  /// Parses a value in the form written by `json`.
  /// - Throws: `RoomRefusal` `.malformed` with the fault and its place.
  package init(_ json: JSONValue) throws(RoomRefusal) {
    switch json {
    case .null: self = .null
    case .bool(let bool): self = .bool(bool)
    case .integer(let integer): self = .number(Double(integer))
    case .number(let number): self = .number(number)
    case .string(let text): self = .string(text)
    case .array(let elements): self = .array(try SharedValue.all(elements))
    case .object(let object): self = try SharedValue.read(object)
    }
  }

  /// Parses a list of values.
  package static func all(_ elements: [JSONValue]) throws(RoomRefusal) -> [SharedValue] {
    var values: [SharedValue] = []
    values.reserveCapacity(elements.count)
    for element in elements { values.append(try SharedValue(element)) }
    return values
  }

  private static func read(_ object: JSONObject) throws(RoomRefusal) -> SharedValue {
    if object.members.count == 1, let only = object.members.first, let value = try special(only) { return value }
    var className: String?
    var fields: [(String, SharedValue)] = []
    for member in object.members {
      if member.name == "$class" {
        guard let name = member.value.string else { throw malformed(member, "a string") }
        className = name
      } else if member.name.hasPrefix("$$") {
        fields.append((String(member.name.dropFirst()), try SharedValue(member.value)))
      } else if member.name.hasPrefix(mark) {
        throw RoomRefusal(
          .malformed,
          "\"\(member.name.prefix(64))\" means nothing here; a name of your own that begins with $ is written with $$")
      } else {
        fields.append((member.name, try SharedValue(member.value)))
      }
    }
    return .object(SharedFields(fields, className: className))
  }

  private static func special(_ member: JSONObject.Member) throws(RoomRefusal) -> SharedValue? {
    switch member.name {
    case "$date":
      switch try SharedValue(member.value) {
      case .number(let milliseconds): return .date(milliseconds)
      default: throw malformed(member, "milliseconds since 1970")
      }
    case "$bytes":
      guard let bytes = member.value.string.flatMap({ Base64.standard.decode($0) }) else {
        throw malformed(member, "base64")
      }
      return .bytes(bytes)
    case "$number":
      switch member.value.string {
      case "NaN": return .number(.nan)
      case "Infinity": return .number(.infinity)
      case "-Infinity": return .number(-.infinity)
      default: throw malformed(member, "\"NaN\", \"Infinity\" or \"-Infinity\"")
      }
    default: return nil
    }
  }

  private static func malformed(_ member: JSONObject.Member, _ expected: String) -> RoomRefusal {
    RoomRefusal(.malformed, "\"\(member.name)\" is \(member.value.kind); it must be \(expected)")
  }
}

extension SharedFields {
  fileprivate var json: JSONObject {
    var written: [JSONObject.Member] = []
    if let className { written.append(.init(name: "$class", value: .string(className))) }
    for member in members {
      let name = member.name.hasPrefix("$") ? "$" + member.name : member.name
      written.append(.init(name: name, value: member.value.json))
    }
    return JSONObject(distinct: written)
  }
}
