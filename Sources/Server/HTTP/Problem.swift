import HTTPTypes
import Hummingbird
import NIOCore
import Signaling

/// A refusal as HTTP tells it: `application/problem+json` (RFC 9457).
///
/// `code` is stable and ends the `type`; `detail` says what was wrong and what would be right.
struct Problem: Error, Sendable {
  var status: HTTPResponse.Status
  var code: String
  /// The same for every problem of this code.
  var title: String
  var detail: String
  /// The member of the body, the parameter or the header field that was wrong.
  var field: String?
  /// What stood there, shortened.
  var value: String?
  /// What may stand there.
  var permitted: [String]
  /// Header fields of the answer (Allow, Accept-Post, WWW-Authenticate …).
  var headers: HTTPFields
  /// Further members of the body.
  var members: JSONObject

  /// What every `type` begins with: a name, not an address, because these problems need no page.
  static let typePrefix = "urn:jamjar:problem:"
  /// Characters of a wrong value that are shown again.
  private static let shownCharacters = 64

  init(
    _ status: HTTPResponse.Status, _ code: String, _ title: String, _ detail: String, field: String? = nil,
    value: String? = nil, permitted: [String] = [], headers: HTTPFields = [:], members: JSONObject = [:]
  ) {
    self.status = status
    self.code = code
    self.title = title
    self.detail = detail
    self.field = field
    self.value = value.map { String($0.prefix(Problem.shownCharacters)) }
    self.permitted = permitted
    self.headers = headers
    self.members = members
  }

  /// The body; `instance` is the path that was asked for, without its query, which may hold a token.
  func json(instance: String) -> JSONObject {
    var object: JSONObject = [
      "type": .string(Problem.typePrefix + code), "title": .string(title), "status": .integer(Int64(status.code)),
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
