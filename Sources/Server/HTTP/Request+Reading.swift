import HTTPTypes
import Hummingbird
import Music
import NIOCore
import Signaling

extension Request {
  /// Scheme, host and port of this service's WebSockets, by the name under which the client called.
  func socketBase(isSecure: Bool) -> String {
    let forwarded = HTTPField.Name("X-Forwarded-Proto").flatMap { headers[$0] }
    let scheme = isSecure || forwarded?.lowercased() == "https" ? "wss" : "ws"
    return "\(scheme)://\(head.authority ?? "localhost")"
  }

  /// The body as text of `type`.
  /// - Throws: `Problem` 415, 413, or 400 if it is not UTF-8.
  func text(of type: String, limit: Int) async throws -> String {
    let found = headers[.contentType]
    guard found.map(MediaTypeName.essence) == type else {
      throw Problem.unsupportedMediaType(found, accepted: type, for: method)
    }
    let bytes = try await bytes(limit: limit)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Problem(.badRequest, "malformed", "The body cannot be read", "the body is not UTF-8 text")
    }
    return text
  }

  /// The body as bytes of `type`.
  func binary(of type: String, limit: Int) async throws -> [UInt8] {
    let found = headers[.contentType]
    guard found.map(MediaTypeName.essence) == type else {
      throw Problem.unsupportedMediaType(found, accepted: type, for: method)
    }
    return try await bytes(limit: limit)
  }

  /// The members of the body, a JSON object with no members other than `fields`; an empty body is an empty object.
  func fields(
    _ fields: [String], limit: Int, types: [String] = [MediaTypeName.json]
  ) async throws -> BodyFields {
    let found = headers[.contentType]
    let bytes = try await bytes(limit: limit)
    if bytes.isEmpty { return try BodyFields(JSONObject(), permitted: fields) }
    guard let found, types.contains(MediaTypeName.essence(of: found)) else {
      throw Problem.unsupportedMediaType(found, accepted: types[0], for: method)
    }
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue(parsing: bytes, limits: JSONLimits(bytes: limit))
    } catch {
      throw Problem(.badRequest, "malformed", "The body is not acceptable JSON", error.description)
    }
    guard let object = value.object else {
      throw Problem(
        .badRequest, "malformed", "The body is not a JSON object", "the body is \(value.kind); it must be an object")
    }
    return try BodyFields(object, permitted: fields)
  }

  /// The body, whatever its type.
  /// - Throws: `Problem` 413.
  func bytes(limit: Int) async throws -> [UInt8] {
    // Refused unread if its length is declared.
    if let length = headers[.contentLength].flatMap(Int.init), length > limit {
      throw Problem.tooLarge("the body", limit: limit)
    }
    do {
      return Array(try await body.collect(upTo: limit).readableBytesView)
    } catch is NIOTooManyBytesError {
      throw Problem.tooLarge("the body", limit: limit)
    }
  }

  /// The parameters of the query in order, decoded as forms are: `+` is a blank, `%2B` a plus.
  var parameters: [(name: String, value: String)] {
    guard let query = uri.query else { return [] }
    return query.utf8.split(separator: UInt8(ascii: "&")).map { pair in
      let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      return (parts.first.map(Request.decoded) ?? "", parts.count > 1 ? Request.decoded(parts[1]) : "")
    }
  }

  private static func decoded(_ part: Substring.UTF8View) -> String {
    let bytes = part.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
    let text = String(decoding: bytes, as: UTF8.self)
    return text.percentDecoded ?? text
  }

  /// The first parameter `name` of the query, or nil.
  func query(_ name: String) -> String? {
    parameters.first { $0.name == name }?.value
  }

  /// All parameters of the query.
  /// - Throws: `Problem` for a parameter in neither list of names: a mistyped filter must not list everything.
  @discardableResult
  func checkQuery(
    only names: [String], _ further: [String] = []
  ) throws(Problem) -> [(name: String, value: String)] {
    let parameters = parameters
    for (name, value) in parameters where !names.contains(name) && !further.contains(name) {
      throw Problem.invalid(
        name, value: value, "there is no parameter \"\(name.prefix(64))\" here", permitted: names + further)
    }
    return parameters
  }
}

extension ExchangeContext {
  /// The part `name` of the path, percent-decoded.
  func part(_ name: String) throws(Problem) -> String {
    guard let text = parameters.get(name)?.percentDecoded else {
      throw Problem(
        .badRequest, "malformed", "The path cannot be read",
        "\"\(name)\" in the path is not percent-encoded UTF-8 (RFC 3986)", field: name, value: parameters.get(name))
    }
    return text
  }

  func room() throws(Problem) -> RoomName {
    let text = try part("room")
    do throws(NameError) {
      return try RoomName(checking: text)
    } catch {
      throw Problem.invalid("room", value: text, error.description)
    }
  }

  /// The identifier `name`; a malformed one gets the same response as an unknown one.
  func identifier<Entity>(_ name: String) throws(Problem) -> Identifier<Entity> {
    let text = try part(name)
    guard let identifier = Identifier<Entity>(text) else {
      throw Problem.notFound("\"\(text.prefix(64))\" is not an identifier of 26 characters")
    }
    return identifier
  }
}
