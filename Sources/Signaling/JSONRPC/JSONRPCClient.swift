import Machines

/// The client's half of one of Kurento's dialects, which differ in what is asked, answered and told.
///
/// It reads as strictly as the strictest of the old clients: texts unreadable to them are violations here.
package protocol JSONRPCClient: ClientDialect
where Number == JSONRPCID, Question == JSONRPCCall, Refusal == JSONRPCError, Answer: JSONRPCAnswer, News: JSONRPCNews {}

/// A request for a server.
package struct JSONRPCCall: Hashable, Sendable {
  var method: String
  /// The member "params"; nil leaves it out.
  var parameters: JSONObject?

  /// A sign of life; `interval` in milliseconds, sent with a link's first one.
  package static func ping(interval: Int64? = nil) -> JSONRPCCall {
    JSONRPCCall(method: JSONRPCControl.ping.rawValue, parameters: interval.map { ["interval": .integer($0)] })
  }

  /// Names the session to continue; nil requests a new one.
  package static func connect(sessionID: String? = nil) -> JSONRPCCall {
    JSONRPCCall(
      method: JSONRPCControl.connect.rawValue, parameters: sessionID.map { ["sessionId": .string($0)] })
  }

  package static let closeSession = JSONRPCCall(method: JSONRPCControl.closeSession.rawValue)
}

/// What a server answers in one of Kurento's dialects.
package protocol JSONRPCAnswer {
  /// Reads the result of a request for `method`.
  /// - Throws: `JSONRPCError` with what is wrong.
  init(_ method: String, _ result: JSONValue) throws(JSONRPCError)
}

/// What a server says by itself in one of Kurento's dialects.
package protocol JSONRPCNews {
  /// Reads a notification.
  /// - Throws: `JSONRPCError` with what is wrong.
  init(_ method: String, _ parameters: JSONObject) throws(JSONRPCError)
}

extension JSONRPCClient {
  /// Kurento's clients count from 0.
  package static func number(_ count: Int64) -> JSONRPCID { JSONRPCID(count) }

  package static func text(of call: JSONRPCCall, _ number: JSONRPCID, at now: MonotonicTime) -> String {
    JSONRPCText.request(number, call.method, call.parameters)
  }

  package static func read(_ object: JSONObject) throws -> ServerMessage<Self>? {
    guard object["jsonrpc"] == "2.0" else { throw ProtocolViolation("\"jsonrpc\" must be \"2.0\"") }
    if let method = object["method"] { return .news(try news(method, object)) }
    guard let given = object["id"] else { throw ProtocolViolation("a response without \"id\"") }
    switch (object["result"], object["error"]) {
    case (let result?, nil): return .result(JSONRPCID(given), result)
    case (nil, let error?):
      guard let code = error.object?["code"]?.integer, let message = error.object?["message"]?.string else {
        throw ProtocolViolation("an error must have an integer \"code\" and a string \"message\"")
      }
      return .refused(JSONRPCID(given), JSONRPCError(code: code, message))
    default: throw ProtocolViolation("a response must have \"result\" or \"error\", not both and not neither")
    }
  }

  private static func news(_ method: JSONValue, _ object: JSONObject) throws -> News {
    guard let method = method.string else { throw ProtocolViolation("\"method\" is no string") }
    guard object["id"] == nil else { throw ProtocolViolation("the notification \(method) has an \"id\"") }
    guard let parameters = object["params"]?.object else {
      throw ProtocolViolation("the notification \(method) has no \"params\"")
    }
    return try News(method, parameters)
  }

  package static func answer(
    _ result: JSONValue, to call: JSONRPCCall, askedAt: MonotonicTime, at now: MonotonicTime
  ) throws -> Answer {
    if let members = result.object {
      guard members["sessionId"]?.string != nil else {
        throw ProtocolViolation("the result of \(call.method) has no \"sessionId\"")
      }
    } else if call.method != JSONRPCControl.closeSession.rawValue {
      throw ProtocolViolation("the result of \(call.method) is \(result.kind), not an object")
    }
    return try Answer(call.method, result)
  }
}
