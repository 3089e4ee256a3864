extension RoomEvent {
  /// The call by which an RTMP client hears of this: the native event's name, and its members as one object.
  ///
  /// Nil for what has a form of its own (shared objects) and for what concerns only connections of WebRTC or comes too
  /// often to be of use.
  package var rtmpPush: (name: String, arguments: [AMFValue])? {
    switch self {
    case .sharedObject, .candidate, .peer, .journaled: return nil
    case .push(let name, let arguments): return (name, arguments.map { AMFValue($0) })
    case .joined, .left, .changed, .published, .unpublished, .takeStarted, .takeStopped, .takeFinished, .cue, .message,
      .warning, .closed:
      var members = json
      guard let name = members["event"]?.string else { return nil }
      members["event"] = nil
      return (name, [AMFValue(members)])
    }
  }
}

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
