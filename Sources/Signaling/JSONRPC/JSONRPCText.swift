/// Writes JSON-RPC 2.0 texts that clients of Kurento can read.
///
/// A response has "result" or "error" and never both, a notification has no "id" and always "params": iOS and Android
/// drop anything else.
enum JSONRPCText {
  /// The response to a request; without an identifier, the response to an unreadable text.
  static func response(
    _ id: JSONRPCID?, _ outcome: Result<JSONRPCResult, JSONRPCError>, sessionID: String
  ) -> String {
    let id = id?.json ?? .null
    let response: JSONValue =
      switch outcome {
      case .success(let result): ["jsonrpc": "2.0", "id": id, "result": result.json(sessionID: sessionID)]
      case .failure(let error): ["jsonrpc": "2.0", "id": id, "error": error.json(sessionID: sessionID)]
      }
    return response.text
  }

  static func notification(_ method: String, _ parameters: JSONObject) -> String {
    let notification: JSONValue = [
      "jsonrpc": "2.0", "method": .string(method), "params": .object(parameters),
    ]
    return notification.text
  }

  /// A request of our client; without parameters it has no "params", as in Kurento's clients.
  static func request(_ id: JSONRPCID, _ method: String, _ parameters: JSONObject?) -> String {
    var request: JSONObject = ["jsonrpc": "2.0", "id": id.json, "method": .string(method)]
    if let parameters { request["params"] = .object(parameters) }
    return JSONValue.object(request).text
  }
}

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

/// The error in a response: a code of JSON-RPC 2.0 section 5.1 or of the dialect, and a sentence for people.
///
/// No code is 0: the iOS client would take it for its own parse error.
package struct JSONRPCError: Error, Hashable, Sendable, CustomStringConvertible {
  package var code: Int64
  /// What was wrong and what is permitted.
  package var description: String

  package init(code: Int64, _ description: String) {
    self.code = code
    self.description = description
  }

  /// The text is not JSON.
  static let parseError: Int64 = -32_700
  /// The JSON is not a request.
  static let invalidRequest: Int64 = -32_600
  /// The method is unknown.
  static let unknownMethod: Int64 = -32_601
  /// A parameter is missing or has the wrong type.
  static let invalidParameters: Int64 = -32_602
  /// An internal error of the service.
  static let internalError: Int64 = -32_603
  /// The server is at its limits.
  static let serverError: Int64 = -32_000
  /// `connect` named an unknown session; Java's client then starts a new one.
  static let unknownSession: Int64 = 40_007

  /// The member "error"; `data` repeats the sentence, because Android shows its apps nothing else.
  func json(sessionID: String) -> JSONValue {
    [
      "code": .integer(code), "message": .string(description), "data": .string(description),
      "sessionId": .string(sessionID),
    ]
  }
}
