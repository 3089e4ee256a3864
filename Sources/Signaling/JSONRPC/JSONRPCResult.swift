/// The result of a successful request.
package enum JSONRPCResult: Hashable, Sendable {
  /// The members of the result; "sessionId" is added.
  case members(JSONObject)
  /// An array or a scalar, sent as `{"value":…,"sessionId":…}`.
  case value(JSONValue)
  /// A plain string: only the result of closeSession.
  case bare(String)

  /// An empty result.
  static let done = JSONRPCResult.members([:])

  func json(sessionID: String) -> JSONValue {
    switch self {
    case .bare(let text): return .string(text)
    case .value(let value): return ["value": value, "sessionId": .string(sessionID)]
    case .members(var members):
      members["sessionId"] = .string(sessionID)
      return .object(members)
    }
  }
}
