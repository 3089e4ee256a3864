extension RoomEvent {
  /// The call that informs an RTMP client of this event: the native event's name, and its members as one object.
  ///
  /// Nil for events with their own RTMP form (shared objects), those that only concern WebRTC connections, and those
  /// too frequent to be useful.
  package var rtmpPush: (name: String, arguments: [AMFValue])? {
    switch self {
    case .sharedObject, .candidate, .peer, .journaled, .relayed, .backing, .quality: return nil
    case .push(let name, let arguments): return (name, arguments.map { AMFValue($0) })
    case .joined, .left, .changed, .published, .unpublished, .muted, .takeStarted, .takeStopped, .takeFinished, .cue,
      .message, .missed, .warning, .closed, .pair, .topology, .state:
      var members = json
      guard let name = members["event"]?.string else { return nil }
      members["event"] = nil
      return (name, [AMFValue(members)])
    }
  }
}

extension RoomEvent {
  /// True for what happens in the room, which only a client gets that asked for it. Shared objects that it uses and
  /// calls of the operator are meant for this client.
  package var isNews: Bool {
    switch self {
    case .sharedObject, .push: false
    default: true
    }
  }

  /// Bytes of memory that a queued event takes, estimated: those of its values, which alone can be large.
  package var footprint: Int {
    let small = 512
    switch self {
    case .sharedObject(let event): return small &+ event.footprint
    case .push(_, let values): return values.reduce(small) { $0 &+ $1.size }
    case .message(_, let text, _), .missed(_, let text, _): return small &+ text.utf8.count
    default: return small
    }
  }
}

extension SharedObjectEvent {
  fileprivate var footprint: Int {
    switch content {
    case .slots(let slots): return slots.reduce(0) { $0 &+ $1.key.utf8.count &+ $1.value.size }
    case .outcomes(let outcomes):
      return outcomes.reduce(0) { sum, outcome in
        switch outcome {
        case .confirmed(let key, let value), .changed(let key, let value): sum &+ key.utf8.count &+ value.size
        case .sent(let handler, let values): values.reduce(sum &+ handler.utf8.count) { $0 &+ $1.size }
        case .removed, .cleared, .denied: sum &+ 256
        }
      }
    }
  }
}

extension AMFValue {
  /// Converts JSON to an AMF value.
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
  /// Converts a shared object's value to AMF, without references.
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

  /// Converts this value to the form common to all dialects. Undefined becomes null, and XML becomes text. An array
  /// with a named part becomes an object, with numbers as names of its ordered part.
  ///
  /// The reader has limited the depth of values, and therefore of this recursion.
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
