/// The error that answers a request: a code of JSON-RPC 2.0 section 5.1 or of the dialect, and a sentence for people.
///
/// No code is 0, which the iOS client takes for a parse error of its own.
package struct JSONRPCError: Error, Hashable, Sendable, CustomStringConvertible {
  package var code: Int64
  /// What was wrong and what would be right.
  package var description: String

  package init(code: Int64, _ description: String) {
    self.code = code
    self.description = description
  }

  /// The text is no JSON.
  static let parseError: Int64 = -32_700
  /// The JSON is no request.
  static let invalidRequest: Int64 = -32_600
  /// There is no such method.
  static let unknownMethod: Int64 = -32_601
  /// A parameter is missing or of the wrong kind.
  static let invalidParameters: Int64 = -32_602
  /// The service contradicted itself.
  static let internalError: Int64 = -32_603
  /// The server takes no more at present.
  static let serverError: Int64 = -32_000
  /// `connect` named a session that is not known; Java's client then connects anew.
  static let unknownSession: Int64 = 40_007

  /// The member "error"; the sentence stands in `data` too, because Android shows its apps nothing else.
  func json(sessionID: String) -> JSONValue {
    [
      "code": .integer(code), "message": .string(description), "data": .string(description),
      "sessionId": .string(sessionID),
    ]
  }
}
