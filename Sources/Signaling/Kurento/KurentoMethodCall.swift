/// A customRequest to the band's own application: the key "method" with its name, and its arguments.
struct KurentoMethodCall {
  var method: String
  var arguments: [SharedValue]

  /// Nil for other custom requests.
  ///
  /// "arguments" is a list, or a text with one in JSON, because the clients of iOS and Android send only strings.
  /// - Throws: -32602 if the arguments are something else.
  init?(_ parameters: JSONObject) throws(JSONRPCError) {
    guard parameters["recorder"] == nil, let method = parameters["method"]?.string else { return nil }
    self.method = method
    arguments = try KurentoMethodCall.read(parameters["arguments"] ?? .null)
  }

  private static func read(_ json: JSONValue) throws(JSONRPCError) -> [SharedValue] {
    let value = json.string.flatMap { try? JSONValue(parsing: $0, limits: .signaling) } ?? json
    guard value != .null else { return [] }
    guard let elements = value.array else {
      throw JSONRPCError(
        code: JSONRPCError.invalidParameters,
        "\"arguments\" in the parameters of customRequest must be a list, or a text with one in JSON: \"[12]\"")
    }
    do throws(RoomRefusal) {
      return try SharedValue.all(elements)
    } catch {
      throw JSONRPCError(code: JSONRPCError.invalidParameters, error.description)
    }
  }
}
