import HTTPTypes
import Music
import Signaling

extension Problem {
  static func notFound(_ detail: String) -> Problem {
    Problem(.notFound, "not-found", "There is no such thing", detail)
  }

  static func unknownTake(_ id: String) -> Problem {
    notFound("there is no take \"\(id.prefix(64))\"; GET /v1/takes lists them")
  }

  /// A member of a body, or a parameter of a query, that is not what it must be.
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
      .unsupportedMediaType, "unsupported-media-type", "The body has another type than is taken here",
      "the body is \(found.map { "\"\($0.prefix(64))\"" } ?? "of no stated type"); send Content-Type: \(accepted)",
      field: "Content-Type", value: found, permitted: [accepted],
      headers: [method == .patch ? .acceptPatch : .acceptPost: accepted])
  }

  static func notAcceptable(_ accept: String, offered: String) -> Problem {
    Problem(
      .notAcceptable, "not-acceptable", "The answer has another type than is accepted",
      "the answer is \(offered), which the header Accept leaves out", field: "Accept", value: accept,
      permitted: [offered])
  }

  static func tooLarge(_ what: String, limit: Int) -> Problem {
    Problem(
      .contentTooLarge, "too-large", "The body is too large", "\(what) may have \(limit) bytes at most",
      members: ["limit": .integer(Int64(limit))])
  }

  static func preconditionFailed(_ detail: String) -> Problem {
    Problem(.preconditionFailed, "precondition-failed", "The thing has changed", detail)
  }

  static let preconditionRequired = Problem(
    .preconditionRequired, "precondition-required", "The header If-Match is missing",
    "send If-Match with the ETag of this session, or If-Match: * to restart ICE (RFC 9725 section 4.3)",
    field: "If-Match")

  /// A take whose files are not there yet (or never came).
  static func notReady(_ take: Take) -> Problem {
    let detail =
      switch take.state {
      case .failed: "the take could not be rendered; its journal is kept: jamjar render \(take.id)"
      default: "the take is \(take.state.rawValue); its files are there once it is ready"
      }
    return Problem(
      .conflict, "take-not-ready", "The take's files are not there", detail,
      permitted: [TakeState.ready.rawValue, TakeState.incomplete.rawValue],
      members: ["state": .string(take.state.rawValue)])
  }

  /// The index is locked, slow or damaged; what is recorded does not need it.
  static func indexUnavailable(_ detail: String) -> Problem {
    Problem(
      .serviceUnavailable, "index-unavailable", "The index does not answer",
      "\(detail); what is recorded goes on without it, and is listed once it answers",
      // Somebody's lock: a backup, or a tool that is open.
      headers: [.retryAfter: "5"])
  }

  /// Something failed on our side; what it was is in the log, under the request's identifier.
  static let internalError = Problem(
    .internalServerError, "internal", "The service failed",
    "the service could not do this; its log has more under the X-Request-ID of this answer")
}

extension HTTPField.Name {
  // Constant names are valid tokens, so the alternatives are never taken.
  static let acceptPost = HTTPField.Name("Accept-Post") ?? .accept
  static let acceptPatch = HTTPField.Name("Accept-Patch") ?? .accept
  static let link = HTTPField.Name("Link") ?? .location
  static let requestID = HTTPField.Name("X-Request-ID") ?? .via
}
