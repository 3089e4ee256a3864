import HTTPTypes
import Hummingbird
import Music
import NIOCore
import Signaling

/// A refusal in HTTP: `application/problem+json` (RFC 9457).
///
/// `code` is stable and ends the `type`; `detail` says what was wrong and what is permitted.
struct Problem: Error, Sendable {
  var status: HTTPResponse.Status
  var code: String
  /// The title, the same for every problem of this code.
  var title: String
  var detail: String
  /// The offending member of the body, parameter or header field.
  var field: String?
  /// The offending value, shortened.
  var value: String?
  /// The permitted values.
  var permitted: [String]
  /// Header fields of the response (Allow, Accept-Post, WWW-Authenticate …).
  var headers: HTTPFields
  /// Further members of the body.
  var members: JSONObject

  /// Most scalars of a wrong value to repeat, and of a sentence that may hold one.
  private static let shownValue = 64
  private static let shownDetail = 2_000

  init(
    _ status: HTTPResponse.Status, _ code: String, _ title: String, _ detail: String, field: String? = nil,
    value: String? = nil, permitted: [String] = [], headers: HTTPFields = [:], members: JSONObject = [:]
  ) {
    self.status = status
    self.code = code
    self.title = title
    self.detail = detail.shortened(to: Problem.shownDetail)
    self.field = field?.shortened(to: Problem.shownDetail)
    self.value = value?.shortened(to: Problem.shownValue)
    self.permitted = permitted
    self.headers = headers
    self.members = members
  }

  /// The body; `instance` is the requested path without its query, which may hold a token.
  func json(instance: String) -> JSONObject {
    var object: JSONObject = [
      "type": .string(RESTNames.problemPrefix + code), "title": .string(title), "status": .integer(Int64(status.code)),
      "detail": .string(detail), "instance": .string(instance),
    ]
    if let field { object["field"] = .string(field) }
    if let value { object["value"] = .string(value) }
    if !permitted.isEmpty { object["permitted"] = .array(permitted.map(JSONValue.string)) }
    for member in members.members { object[member.name] = member.value }
    return object
  }

  func response(to request: Request) -> Response {
    var response = Response(json: .object(json(instance: request.uri.path)), status: status)
    response.headers[.contentType] = MediaTypeName.problem
    response.headers.append(contentsOf: headers)
    return response
  }
}

extension Problem {
  static func notFound(_ detail: String) -> Problem {
    Problem(.notFound, "not-found", "This does not exist", detail)
  }

  static func unknownSession(_ id: String) -> Problem {
    notFound("there is no session \"\(id.prefix(64))\"; a take's \"session\" names its own")
  }

  static func unknownTake(_ id: String) -> Problem {
    notFound("there is no take \"\(id.prefix(64))\"; GET /v1/takes lists them")
  }

  /// An invalid member of a body or parameter of a query.
  static func invalid(_ field: String, value: String?, _ detail: String, permitted: [String] = []) -> Problem {
    Problem(
      .badRequest, "invalid-field", "A value is not allowed", detail, field: field, value: value, permitted: permitted)
  }

  static func methodNotAllowed(_ method: HTTPRequest.Method, allowed: [HTTPRequest.Method]) -> Problem {
    let names = allowed.map(\.rawValue)
    return Problem(
      .methodNotAllowed, "method-not-allowed", "The method is not allowed here",
      "\(method.rawValue) is not allowed here; \(names.joined(separator: ", ")) are", permitted: names,
      headers: [.allow: names.joined(separator: ", ")])
  }

  static func unsupportedMediaType(_ found: String?, accepted: String, for method: HTTPRequest.Method) -> Problem {
    Problem(
      .unsupportedMediaType, "unsupported-media-type", "The type of the body is not supported",
      "the body is \(found.map { "\"\($0.prefix(64))\"" } ?? "of no stated type"); send Content-Type: \(accepted)",
      field: "Content-Type", value: found, permitted: [accepted],
      headers: [method == .patch ? .acceptPatch : .acceptPost: accepted])
  }

  static func notAcceptable(_ accept: String, offered: String) -> Problem {
    Problem(
      .notAcceptable, "not-acceptable", "The type of the response is not acceptable",
      "the response is \(offered), which the header Accept excludes", field: "Accept", value: accept,
      permitted: [offered])
  }

  static func tooLarge(_ what: String, limit: Int) -> Problem {
    Problem(
      .contentTooLarge, "too-large", "The body is too large", "\(what) may have at most \(limit) bytes",
      members: ["limit": .integer(Int64(limit))])
  }

  static func preconditionFailed(_ detail: String) -> Problem {
    Problem(.preconditionFailed, "precondition-failed", "This has changed", detail)
  }

  static let preconditionRequired = Problem(
    .preconditionRequired, "precondition-required", "The header If-Match is missing",
    "send If-Match with the ETag of this session, or If-Match: * to restart ICE (RFC 9725 section 4.3)",
    field: "If-Match")

  /// A take without files (yet).
  static func notReady(_ take: Take) -> Problem {
    let detail =
      switch take.state {
      case .failed: "the take could not be rendered; its journal is kept: jamjar render \(take.id)"
      default: "the take is \(take.state.rawValue); its files are available once it is ready"
      }
    return Problem(
      .conflict, "take-not-ready", "The take has no files", detail,
      permitted: [TakeState.ready.rawValue, TakeState.incomplete.rawValue],
      members: ["state": .string(take.state.rawValue)])
  }

  /// The index is locked, slow or damaged; recording does not need it.
  static func indexUnavailable(_ detail: String) -> Problem {
    Problem(
      .serviceUnavailable, "index-unavailable", "The index does not answer",
      "\(detail); recording goes on without it, and lists are complete again once it answers",
      // Locked by another process: a backup, or an open tool.
      headers: [.retryAfter: "5"])
  }

  /// An internal failure; the log has the cause under the request's identifier.
  static let internalError = Problem(
    .internalServerError, "internal", "The service failed",
    "the service could not do this; its log has details under the X-Request-ID of this response")
}

extension HTTPField.Name {
  // Constant names are valid tokens, so the alternatives are never taken.
  static let acceptPost = HTTPField.Name("Accept-Post") ?? .accept
  static let acceptPatch = HTTPField.Name("Accept-Patch") ?? .accept
  static let link = HTTPField.Name("Link") ?? .location
  static let requestID = HTTPField.Name("X-Request-ID") ?? .via
}

extension RESTFailure {
  /// What a request of this process would have been answered.
  init(_ problem: Problem) {
    self.init(status: problem.status.code, code: problem.code, detail: problem.detail)
  }
}
