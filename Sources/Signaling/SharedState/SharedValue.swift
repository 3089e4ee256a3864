/// The value of a slot in a shared object: the types that RTMP clients and JSON have in common.
package indirect enum SharedValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  /// Milliseconds since 1970.
  case date(Double)
  case bytes([UInt8])
  case array([SharedValue])
  case object(SharedFields)
}

extension SharedValue {
  /// Size in bytes for the limits: about that of AMF0, and the same in every dialect.
  package var size: Int { measured.size }

  /// The cost of a value: bytes, levels, number of values.
  struct Measure {
    var size: Int
    var depth: Int
    var count: Int
  }

  /// Parsers of values from outside limit their depth, and therefore this recursion.
  var measured: Measure {
    switch self {
    case .null, .bool: return Measure(size: 2, depth: 1, count: 1)
    case .number: return Measure(size: 9, depth: 1, count: 1)
    case .date: return Measure(size: 11, depth: 1, count: 1)
    case .string(let text): return Measure(size: 3 &+ text.utf8.count, depth: 1, count: 1)
    case .bytes(let bytes): return Measure(size: 5 &+ bytes.count, depth: 1, count: 1)
    case .array(let elements): return SharedValue.sum(elements, from: 5)
    case .object(let fields):
      let names = fields.members.reduce(4 &+ (fields.className?.utf8.count ?? 0)) { $0 &+ 2 &+ $1.name.utf8.count }
      return SharedValue.sum(fields.members.lazy.map(\.value), from: names)
    }
  }

  private static func sum(_ values: some Sequence<SharedValue>, from size: Int) -> Measure {
    var total = Measure(size: size, depth: 1, count: 1)
    for value in values {
      let one = value.measured
      total.size &+= one.size
      total.count &+= one.count
      total.depth = max(total.depth, one.depth &+ 1)
    }
    return total
  }

  /// - Parameter what: name of the value in the refusal.
  /// - Throws: `RoomRefusal` `.tooLarge` with the limit exceeded.
  package func check(_ what: String) throws(RoomRefusal) {
    let found = measured
    guard found.size <= SharedStateLimits.valueBytes else {
      throw RoomRefusal(
        .tooLarge, "\(what) has \(found.size) bytes; the maximum is \(SharedStateLimits.valueBytes)")
    }
    guard found.depth <= SharedStateLimits.depth else {
      throw RoomRefusal(
        .tooLarge, "\(what) is nested \(found.depth) deep; the maximum is \(SharedStateLimits.depth) levels")
    }
    guard found.count <= SharedStateLimits.values else {
      throw RoomRefusal(
        .tooLarge, "\(what) has \(found.count) values; the maximum is \(SharedStateLimits.values)")
    }
  }
}

/// The members of an object value in order, with unique names, and its class name if there is one.
package struct SharedFields: Hashable, Sendable {
  /// One name and its value.
  package struct Member: Hashable, Sendable {
    package var name: String
    package var value: SharedValue

    package init(name: String, value: SharedValue) {
      self.name = name
      self.value = value
    }
  }

  package private(set) var members: [Member]
  /// The class name of a typed ActionScript object; stored and passed on but never interpreted.
  package var className: String?

  /// Creates members in order; a later one of the same name replaces the earlier in its place.
  package init(_ elements: some Sequence<(String, SharedValue)>, className: String? = nil) {
    var members: [Member] = []
    var places: [String: Int] = [:]
    for (name, value) in elements {
      if let place = places[name] {
        members[place].value = value
      } else {
        places[name] = members.count
        members.append(Member(name: name, value: value))
      }
    }
    self.members = members
    self.className = className
  }

  /// The value of a name; nil if there is none.
  package subscript(name: String) -> SharedValue? {
    members.first { $0.name == name }?.value
  }
}

extension SharedFields: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral elements: (String, SharedValue)...) {
    self.init(elements)
  }
}

extension SharedValue {
  /// Applies a merge patch (RFC 7396 section 2): objects are merged by member, null removes a member, everything else
  /// replaces.
  package func merged(with patch: SharedValue) -> SharedValue {
    guard case .object(let changes) = patch else { return patch }
    var fields = SharedFields([], className: changes.className)
    if case .object(let own) = self { fields = SharedFields(own.pairs, className: changes.className ?? own.className) }
    var pairs = fields.pairs
    var places = Dictionary(pairs.enumerated().map { ($1.0, $0) }, uniquingKeysWith: { $1 })
    for change in changes.members {
      let place = places[change.name]
      if change.value == .null {
        // Removed below, so that indices stay valid.
        if let place { pairs[place].1 = .null }
      } else if let place {
        pairs[place].1 = pairs[place].1.merged(with: change.value)
      } else {
        places[change.name] = pairs.count
        pairs.append((change.name, SharedValue.null.merged(with: change.value)))
      }
    }
    let removed = Set(changes.members.filter { $0.value == .null }.map(\.name))
    return .object(SharedFields(pairs.filter { !removed.contains($0.0) }, className: fields.className))
  }
}

extension SharedFields {
  fileprivate var pairs: [(String, SharedValue)] { members.map { ($0.name, $0.value) } }
}
