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
