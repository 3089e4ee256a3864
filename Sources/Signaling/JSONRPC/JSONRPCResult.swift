/// What a request is answered where it succeeded.
package enum JSONRPCResult: Hashable, Sendable {
  /// The members of the result; "sessionId" is added.
  case members(JSONObject)
  /// An array or a scalar, which goes out as `{"value":…,"sessionId":…}`.
  case value(JSONValue)
  /// A result that is a string and nothing else: only that of closeSession.
  case bare(String)

  /// Nothing to say but that it was done.
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
