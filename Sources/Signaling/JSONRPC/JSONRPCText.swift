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
