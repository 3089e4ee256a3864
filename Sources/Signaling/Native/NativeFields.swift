import Music

/// Reads the members of one object of a message; errors name the member and the expected value.
struct NativeFields {
  private let object: JSONObject
  /// The name of the object for errors: "the parameters of join".
  private let place: String

  init(_ object: JSONObject, of place: String) {
    self.object = object
    self.place = place
  }

  /// The member's value; null counts as absent.
  func value(_ name: String) -> JSONValue? {
    let value = object[name]
    return value == .null ? nil : value
  }

  /// True if the member exists, even as null.
  func has(_ name: String) -> Bool { object[name] != nil }

  private func refusal(_ name: String, mustBe expected: String) -> RoomRefusal {
    let found = object[name].map { "is \($0.kind)" } ?? "is missing"
    return RoomRefusal(.malformed, "\"\(name)\" in \(place) \(found); it must be \(expected)")
  }

  private func optional<Value>(
    _ name: String, _ expected: String, _ read: (JSONValue) -> Value?
  ) throws(RoomRefusal) -> Value? {
    guard let value = value(name) else { return nil }
    guard let result = read(value) else { throw refusal(name, mustBe: expected) }
    return result
  }

  private func required<Value>(
    _ name: String, _ expected: String, _ read: (JSONValue) -> Value?
  ) throws(RoomRefusal) -> Value {
    guard let result = value(name).flatMap(read) else { throw refusal(name, mustBe: expected) }
    return result
  }

  func string(_ name: String) throws(RoomRefusal) -> String { try required(name, "a string") { $0.string } }
  func optionalString(_ name: String) throws(RoomRefusal) -> String? { try optional(name, "a string") { $0.string } }
  func double(_ name: String) throws(RoomRefusal) -> Double { try required(name, "a number") { $0.double } }
  func optionalDouble(_ name: String) throws(RoomRefusal) -> Double? { try optional(name, "a number") { $0.double } }
  func bool(_ name: String) throws(RoomRefusal) -> Bool { try required(name, "true or false") { $0.bool } }
  func optionalBool(_ name: String) throws(RoomRefusal) -> Bool? { try optional(name, "true or false") { $0.bool } }

  /// A whole number in `range`.
  func integer(_ name: String, in range: ClosedRange<Int>) throws(RoomRefusal) -> Int {
    try required(name, NativeFields.phrase(range)) { NativeFields.integer($0, in: range) }
  }

  func optionalInteger(_ name: String, in range: ClosedRange<Int>) throws(RoomRefusal) -> Int? {
    try optional(name, NativeFields.phrase(range)) { NativeFields.integer($0, in: range) }
  }

  private static func phrase(_ range: ClosedRange<Int>) -> String {
    "a whole number from \(range.lowerBound) to \(range.upperBound)"
  }

  private static func integer(_ value: JSONValue, in range: ClosedRange<Int>) -> Int? {
    value.integer.flatMap(Int.init(exactly:)).flatMap { range.contains($0) ? $0 : nil }
  }

  func identifier<Entity>(_ name: String) throws(RoomRefusal) -> Identifier<Entity> {
    try required(name, "an identifier of 26 characters") { $0.string.flatMap(Identifier.init) }
  }

  func optionalIdentifier<Entity>(_ name: String) throws(RoomRefusal) -> Identifier<Entity>? {
    try optional(name, "an identifier of 26 characters") { $0.string.flatMap(Identifier.init) }
  }

  func peer() throws(RoomRefusal) -> PeerLabel {
    try required("peer", "1 to \(PeerLabel.maximumLength) printable ASCII characters without blanks") {
      $0.string.flatMap(PeerLabel.init)
    }
  }

  /// A word of a closed set.
  func word<Word: RawRepresentable<String>>(
    _ name: String, among words: [Word]
  ) throws(RoomRefusal) -> Word {
    let expected = words.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
    if let text = value(name)?.string, Word(rawValue: text) == nil {
      throw RoomRefusal(.malformed, "\"\(name)\" in \(place) is \"\(text.prefix(32))\"; it must be \(expected)")
    }
    return try required(name, expected) { $0.string.flatMap(Word.init(rawValue:)) }
  }

  /// A word of a set without a list of its cases.
  func word<Word: RawRepresentable<String>>(_ name: String, as type: Word.Type) throws(RoomRefusal) -> Word {
    try required(name, "a word of docs/protocol.md") { $0.string.flatMap(Word.init(rawValue:)) }
  }

  func object(_ name: String) throws(RoomRefusal) -> NativeFields {
    NativeFields(try required(name, "an object") { $0.object }, of: "\"\(name)\"")
  }

  func optionalObject(_ name: String) throws(RoomRefusal) -> NativeFields? {
    try optional(name, "an object") { $0.object }.map { NativeFields($0, of: "\"\(name)\"") }
  }

  func objects(_ name: String) throws(RoomRefusal) -> [NativeFields] {
    let objects = try required(name, "an array of objects") { NativeFields.all($0, \.object) }
    return objects.map { NativeFields($0, of: "\"\(name)\"") }
  }

  func optionalArray(_ name: String) throws(RoomRefusal) -> [JSONValue]? {
    try optional(name, "an array") { $0.array }
  }

  /// The members of an object with names chosen by the sender.
  func optionalMembers(_ name: String) throws(RoomRefusal) -> [JSONObject.Member]? {
    try optional(name, "an object") { $0.object?.members }
  }

  /// A value of a shared object.
  func sharedValue(_ name: String) throws(RoomRefusal) -> SharedValue {
    guard let value = object[name] else { throw refusal(name, mustBe: "a value") }
    return try SharedValue(value)
  }

  func strings(_ name: String) throws(RoomRefusal) -> [String] {
    try required(name, "an array of strings") { NativeFields.all($0, \.string) }
  }

  /// All names with their numbers, for dictionaries.
  func numbers() throws(RoomRefusal) -> [(name: String, number: Double)] {
    var result: [(String, Double)] = []
    for member in object.members { result.append((member.name, try double(member.name))) }
    return result
  }

  private static func all<Element>(_ value: JSONValue, _ read: (JSONValue) -> Element?) -> [Element]? {
    guard let array = value.array else { return nil }
    let elements = array.compactMap(read)
    return elements.count == array.count ? elements : nil
  }
}
