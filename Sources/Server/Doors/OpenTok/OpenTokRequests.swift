import HTTPTypes
import Hummingbird
import Signaling

/// Requests by the servers of applications, as archives and broadcasts have them.
typealias OpenTokHandler = @Sendable (Request, ExchangeContext, OpenTokProject) async throws -> Response

extension OpenTokDesk {
  /// A path of a project: the project's proof is checked, and refusals are in JSON, or in XML for those who read only
  /// that.
  func resource(_ path: String, _ handlers: [(HTTPRequest.Method, OpenTokHandler)]) -> Resource {
    handlers.reduce(Resource(path, door: .opentok)) { resource, entry in
      resource.on(entry.0, .knock) { request, context in
        let readsJSON = OpenTokResource.accepts(request, "json") || !OpenTokResource.accepts(request, "xml")
        do {
          let project = try authenticated(request, context, key: try context.part("key"))
          return try await entry.1(request, context, project)
        } catch let refusal as OpenTokRefusal {
          return Response(OpenTokAnswer(refusal, readsJSON: readsJSON))
        }
      }
    }
  }

  /// The session that a body names.
  /// - Throws: `OpenTokRefusal` 400, 404.
  func session(in body: JSONObject, of project: OpenTokProject) async throws(OpenTokRefusal) -> OpenTokSessionID {
    guard let text = body["sessionId"]?.string, !text.isEmpty else {
      throw .badRequest("\"sessionId\" is missing: the id of a session of this project")
    }
    let session = try session(text, of: project)
    await sessions.note(session)
    return session
  }
}

/// What a list is asked for.
struct OpenTokPage {
  private static let usual = 50
  private static let longest = 1_000

  var session: String?
  var offset: Int
  var count: Int

  /// - Throws: `OpenTokRefusal` 400.
  init(_ request: Request) throws(OpenTokRefusal) {
    session = request.query("sessionId").flatMap { $0.isEmpty ? nil : $0 }
    offset = try OpenTokPage.number("offset", of: request, in: 0...Int(Int32.max)) ?? 0
    count = try OpenTokPage.number("count", of: request, in: 0...OpenTokPage.longest) ?? OpenTokPage.usual
  }

  private static func number(
    _ name: String, of request: Request, in range: ClosedRange<Int>
  ) throws(OpenTokRefusal) -> Int? {
    guard let text = request.query(name), !text.isEmpty else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw .badRequest("\"\(name)\" is a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }
}

extension Request {
  /// Largest body of archives and broadcasts, in bytes: a stylesheet of 8 KiB, and some.
  private static let openTokBody = 65_536

  /// - Throws: `OpenTokRefusal` 413.
  func openTokBytes() async throws(OpenTokRefusal) -> [UInt8] {
    try await OpenTokResource.bytes(of: self, limit: Request.openTokBody)
  }

  /// - Throws: `OpenTokRefusal` 400, 413.
  func openTokObject() async throws(OpenTokRefusal) -> JSONObject { try OpenTokBodies.object(try await openTokBytes()) }

  /// Scheme and host by which the client has reached the service.
  func openTokOrigin(isSecure: Bool) -> String {
    let forwarded = HTTPField.Name("X-Forwarded-Proto").flatMap { headers[$0] }
    let scheme = isSecure || forwarded?.lowercased() == "https" ? "https" : "http"
    return "\(scheme)://\(head.authority ?? "localhost")"
  }
}
