extension AMFValue {
  /// What the service says in JSON, as a value of AMF.
  package init(_ value: JSONValue) {
    switch value {
    case .null: self = .null
    case .bool(let bool): self = .boolean(bool)
    case .integer(let integer): self = .number(Double(integer))
    case .number(let number): self = .number(number)
    case .string(let text): self = .string(text)
    case .array(let elements): self = .array(elements.map { AMFValue($0) })
    case .object(let object): self = AMFValue(object)
    }
  }

  package init(_ object: JSONObject) {
    self = .object(object.members.map { AMFMember($0.name, AMFValue($0.value)) })
  }
}
