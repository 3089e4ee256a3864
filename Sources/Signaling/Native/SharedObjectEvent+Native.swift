extension SharedObjectEvent {
  var json: JSONObject {
    let (member, value): (String, JSONValue) =
      switch content {
      case .slots(let slots): ("slots", .object(SharedObjectEvent.json(slots)))
      case .outcomes(let outcomes): ("changes", .array(outcomes.map { .object($0.json) }))
      }
    return [
      "object": .string(name.description), "version": .integer(Int64(version)), "persistent": .bool(isPersistent),
      member: value,
    ]
  }

  package static func json(_ slots: [Slot]) -> JSONObject {
    JSONObject(distinct: slots.map { .init(name: $0.key, value: $0.value.json) })
  }

  init(_ fields: NativeFields) throws(RoomRefusal) {
    let content: Content
    if fields.has("slots") {
      content = .slots(try SharedObjectEvent.slots(fields))
    } else {
      var outcomes: [SharedOutcome] = []
      for outcome in try fields.objects("changes") { outcomes.append(try SharedOutcome(outcome)) }
      content = .outcomes(outcomes)
    }
    self.init(
      name: try SharedObjectName(checking: try fields.string("object")),
      version: try fields.integer("version", in: 0...Int.max), isPersistent: try fields.bool("persistent"),
      content: content)
  }

  /// Reads the member "slots".
  static func slots(_ fields: NativeFields) throws(RoomRefusal) -> [Slot] {
    var slots: [Slot] = []
    for member in try fields.optionalMembers("slots") ?? [] {
      slots.append(Slot(member.name, try SharedValue(member.value)))
    }
    return slots
  }
}

extension SharedOutcome {
  /// The values of the member "kind".
  private enum Kind: String, CaseIterable {
    case confirmed, changed, removed, cleared, sent, denied
  }

  var json: JSONObject {
    func object(_ kind: Kind, _ members: JSONObject) -> JSONObject {
      JSONObject(distinct: [.init(name: "kind", value: .string(kind.rawValue))] + members.members)
    }
    return switch self {
    case .confirmed(let key, let value): object(.confirmed, ["key": .string(key), "value": value.json])
    case .changed(let key, let value): object(.changed, ["key": .string(key), "value": value.json])
    case .removed(let key): object(.removed, ["key": .string(key)])
    case .cleared: object(.cleared, [:])
    case .sent(let handler, let arguments):
      object(.sent, ["handler": .string(handler), "arguments": .array(arguments.map(\.json))])
    case .denied(let key, let refusal):
      object(.denied, SharedObjectReceipt.Denial(key: key, refusal: refusal).json)
    }
  }

  init(_ fields: NativeFields) throws(RoomRefusal) {
    switch try fields.word("kind", among: Kind.allCases) {
    case .confirmed: self = .confirmed(try fields.string("key"), try fields.sharedValue("value"))
    case .changed: self = .changed(try fields.string("key"), try fields.sharedValue("value"))
    case .removed: self = .removed(try fields.string("key"))
    case .cleared: self = .cleared
    case .sent:
      self = .sent(
        handler: try fields.string("handler"), try SharedValue.all(try fields.optionalArray("arguments") ?? []))
    case .denied:
      let denial = try SharedObjectReceipt.Denial(fields)
      self = .denied(denial.key, denial.refusal)
    }
  }
}

extension SharedObjectReceipt {
  /// "denied" is present only if a change was denied.
  var json: JSONObject {
    var object: JSONObject = ["object": .string(name.description), "version": .integer(Int64(version))]
    if !denials.isEmpty { object["denied"] = .array(denials.map { .object($0.json) }) }
    return object
  }

  init(_ fields: NativeFields) throws(RoomRefusal) {
    self.init(
      name: try SharedObjectName(checking: try fields.string("object")),
      version: try fields.integer("version", in: 0...Int.max))
    guard fields.value("denied") != nil else { return }
    for denial in try fields.objects("denied") { denials.append(try Denial(denial)) }
  }
}

extension SharedObjectReceipt.Denial {
  var json: JSONObject {
    JSONObject(distinct: (key.map { [.init(name: "key", value: .string($0))] } ?? []) + refusal.json.members)
  }

  init(_ fields: NativeFields) throws(RoomRefusal) {
    self.init(key: try fields.optionalString("key"), refusal: try RoomRefusal(fields))
  }
}

extension SharedChange {
  /// `{"set": {key: value}}`, `{"remove": key}`, `{"clear": true}` or `{"send": handler, "arguments": […]}`.
  var json: JSONObject {
    switch self {
    case .set(let key, let value): ["set": .object([key: value.json])]
    case .remove(let key): ["remove": .string(key)]
    case .clear: ["clear": true]
    case .send(let handler, let arguments):
      ["send": .string(handler), "arguments": .array(arguments.map(\.json))]
    }
  }

  /// Reads the member "changes"; a set with several slots gives one change per slot.
  static func all(_ fields: NativeFields) throws(RoomRefusal) -> [SharedChange] {
    var changes: [SharedChange] = []
    for step in try fields.objects("changes") {
      if let slots = try step.optionalMembers("set") {
        for slot in slots { changes.append(.set(slot.name, try SharedValue(slot.value))) }
      } else if let key = try step.optionalString("remove") {
        changes.append(.remove(key))
      } else if try step.optionalBool("clear") == true {
        changes.append(.clear)
      } else if let handler = try step.optionalString("send") {
        changes.append(.send(handler: handler, try SharedValue.all(try step.optionalArray("arguments") ?? [])))
      } else {
        throw RoomRefusal(
          .malformed, "a change must have one of \"set\", \"remove\", \"clear\" and \"send\"; this one has none")
      }
    }
    return changes
  }
}
