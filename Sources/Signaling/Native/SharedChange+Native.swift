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
