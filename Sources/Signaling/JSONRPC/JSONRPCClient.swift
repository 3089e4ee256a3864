/// The client's bookkeeping: identifiers that count up from 0, and the request of each response.
struct JSONRPCClient {
  /// A parsed text of the server.
  enum Reading: Hashable, Sendable {
    /// The result of one of our requests.
    case result(JSONRPCID, method: String, JSONValue)
    /// An error; without an identifier the server could not read our text.
    case refused(JSONRPCID?, JSONRPCError)
    case notification(method: String, JSONObject)
  }

  private let limits: JSONLimits
  private var nextNumber: Int64 = 0
  private var pending: [JSONRPCID: String] = [:]
  /// The last session named by the server.
  private(set) var sessionID: String?

  init(limits: JSONLimits) {
    self.limits = limits
  }

  /// Writes a request.
  mutating func ask(_ method: String, _ parameters: JSONObject?) -> (id: JSONRPCID, text: String) {
    let id = JSONRPCID(nextNumber)
    nextNumber &+= 1
    pending[id] = method
    return (id, JSONRPCText.request(id, method, parameters))
  }

  /// Reads a text as strictly as the strictest of Kurento's clients.
  mutating func read(_ text: String) throws(JSONRPCViolation) -> Reading {
    let value: JSONValue
    do {
      value = try JSONValue(parsing: text, limits: limits)
    } catch {
      throw JSONRPCViolation("the message is no JSON: \(error)")
    }
    guard let object = value.object else { throw JSONRPCViolation("a message is \(value.kind), not an object") }
    guard object["jsonrpc"] == "2.0" else { throw JSONRPCViolation("\"jsonrpc\" must be \"2.0\"") }
    if let method = object["method"] { return try notification(method, object) }
    guard let given = object["id"] else { throw JSONRPCViolation("a response without \"id\"") }
    let id = JSONRPCID(given)
    switch (object["result"], object["error"]) {
    case (let result?, nil): return try self.result(result, of: id)
    case (nil, let error?): return .refused(id, try refusal(error, of: id))
    default: throw JSONRPCViolation("a response must have \"result\" or \"error\", not both and not neither")
    }
  }

  private func notification(_ method: JSONValue, _ object: JSONObject) throws(JSONRPCViolation) -> Reading {
    guard let method = method.string else { throw JSONRPCViolation("\"method\" is no string") }
    guard object["id"] == nil else { throw JSONRPCViolation("the notification \(method) has an \"id\"") }
    guard let parameters = object["params"]?.object else {
      throw JSONRPCViolation("the notification \(method) has no \"params\"")
    }
    return .notification(method: method, parameters)
  }

  private mutating func result(_ result: JSONValue, of id: JSONRPCID?) throws(JSONRPCViolation) -> Reading {
    guard let id, let method = pending.removeValue(forKey: id) else {
      throw JSONRPCViolation("an answer belongs to no request of ours")
    }
    if let members = result.object {
      guard let session = members["sessionId"]?.string else {
        throw JSONRPCViolation("the result of \(method) has no \"sessionId\"")
      }
      sessionID = session
    } else if method != JSONRPCControl.closeSession.rawValue {
      throw JSONRPCViolation("the result of \(method) is \(result.kind), not an object")
    }
    return .result(id, method: method, result)
  }

  private mutating func refusal(_ error: JSONValue, of id: JSONRPCID?) throws(JSONRPCViolation) -> JSONRPCError {
    guard let code = error.object?["code"]?.integer, let message = error.object?["message"]?.string else {
      throw JSONRPCViolation("an error must have an integer \"code\" and a string \"message\"")
    }
    if let id { pending[id] = nil }
    return JSONRPCError(code: code, message)
  }
}
