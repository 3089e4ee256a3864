import Signaling

/// Holds a value against the part of JSON Schema (2020-12) that our document uses.
struct SchemaCheck {
  let document: OpenAPIDocument

  /// The first thing that is wrong, nil where nothing is.
  func objection(to value: JSONValue, _ schema: JSONValue, at place: String) -> String? {
    guard let schema = document.resolve(schema) else { return "\(place): there is no such schema" }
    if let types = schema["type"], !matches(value, types) { return "\(place): \(value.text) is no \(types.text)" }
    if let permitted = schema["enum"]?.array, !permitted.contains(value) {
      return "\(place): \(value.text) is none of \(schema["enum"]?.text ?? "")"
    }
    if let only = schema["const"], only != value { return "\(place): \(value.text) is not \(only.text)" }
    if let number = value.double {
      if let least = schema["minimum"]?.double, number < least { return "\(place): \(number) is below \(least)" }
      if let most = schema["maximum"]?.double, number > most { return "\(place): \(number) is above \(most)" }
    }
    if let pattern = schema["pattern"]?.string, let text = value.string,
      (try? Regex(pattern).wholeMatch(in: text)) == nil
    {
      return "\(place): \(value.text) does not match \(pattern)"
    }
    if let choices = schema["oneOf"]?.array {
      let objections = choices.map { objection(to: value, $0, at: place) }
      if objections.count(where: { $0 == nil }) != 1 { return objections.compactMap(\.self).joined(separator: "; ") }
    }
    if let choices = schema["anyOf"]?.array {
      let objections = choices.map { objection(to: value, $0, at: place) }
      if !objections.contains(nil) { return objections.compactMap(\.self).joined(separator: "; ") }
    }
    if let object = value.object { return objection(to: object, schema, at: place) }
    if let items = schema["items"], let elements = value.array {
      return elements.enumerated().lazy.compactMap { objection(to: $1, items, at: "\(place)/\($0)") }.first
    }
    return nil
  }

  private func objection(to object: JSONObject, _ schema: JSONObject, at place: String) -> String? {
    for name in schema["required"]?.array?.compactMap(\.string) ?? [] where object[name] == nil {
      return "\(place): \"\(name)\" is missing"
    }
    let properties = schema["properties"]?.object
    for member in object.members {
      if let property = properties?[member.name] {
        if let wrong = objection(to: member.value, property, at: "\(place)/\(member.name)") { return wrong }
      } else if schema["additionalProperties"] == .bool(false) {
        return "\(place): \"\(member.name)\" is not described"
      }
    }
    return nil
  }

  private func matches(_ value: JSONValue, _ types: JSONValue) -> Bool {
    let names = types.array?.compactMap(\.string) ?? [types.string].compactMap(\.self)
    return names.contains { name in
      switch (name, value) {
      case ("null", .null), ("boolean", .bool), ("string", .string), ("array", .array), ("object", .object),
        ("integer", .integer), ("number", .integer), ("number", .number):
        true
      default: false
      }
    }
  }
}
