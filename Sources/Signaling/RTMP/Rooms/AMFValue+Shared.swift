extension AMFValue {
  /// What a shared object keeps as a value of AMF; everything is written without references.
  package init(_ value: SharedValue) {
    switch value {
    case .null: self = .null
    case .bool(let bool): self = .boolean(bool)
    case .number(let number): self = .number(number)
    case .string(let text): self = .string(text)
    case .date(let milliseconds): self = .date(milliseconds: milliseconds)
    case .bytes(let bytes): self = .bytes(bytes)
    case .array(let elements): self = .array(elements.map { AMFValue($0) })
    case .object(let fields):
      self = .object(fields.members.map { AMFMember($0.name, AMFValue($0.value)) }, className: fields.className)
    }
  }

  /// This value as every dialect can read it: undefined is null, XML is text, and an array with a named part is an object
  /// whose ordered part has numbers for names.
  ///
  /// The reader has bounded its depth, and this recursion with it.
  package var shared: SharedValue {
    switch self {
    case .undefined, .null: return .null
    case .boolean(let bool): return .bool(bool)
    case .number(let number): return .number(number)
    case .string(let text), .xml(let text): return .string(text)
    case .date(let milliseconds): return .date(milliseconds)
    case .bytes(let bytes): return .bytes(bytes)
    case .array(let elements, let named):
      guard !named.isEmpty else { return .array(elements.map(\.shared)) }
      let numbered = elements.enumerated().map { (String($0.offset), $0.element.shared) }
      return .object(SharedFields(numbered + named.map { ($0.name, $0.value.shared) }))
    case .object(let members, let className):
      return .object(SharedFields(members.map { ($0.name, $0.value.shared) }, className: className))
    }
  }
}
