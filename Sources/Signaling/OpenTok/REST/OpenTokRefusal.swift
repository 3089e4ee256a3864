import Music

/// A refused request of OpenTok's interfaces, with the vendor's status and code.
package struct OpenTokRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// The HTTP status, which the SDKs look at.
  package var status: Int
  /// The vendor's code where one is known, otherwise -1.
  package var code: Int
  /// A sentence for people: what was wrong, and what would be right.
  package var message: String
  /// Whole seconds after which to try again, if that is known.
  package var retryAfter: Int?

  /// Most scalars of a sentence, which may repeat texts from outside.
  private static let longest = 1_000

  package init(status: Int, code: Int = unknownCode, _ message: String, retryAfter: Int? = nil) {
    self.status = status
    self.code = code
    self.message = message.shortened(to: OpenTokRefusal.longest)
    self.retryAfter = retryAfter
  }

  package static let unknownCode = -1

  package var description: String { message }

  /// The body of an answer in JSON.
  package var json: JSONValue {
    ["code": .integer(Int64(code)), "message": .string(message), "description": .string(message)]
  }
}

extension OpenTokRefusal {
  package static func badRequest(_ message: String) -> OpenTokRefusal { OpenTokRefusal(status: 400, message) }
  package static func forbidden(_ message: String) -> OpenTokRefusal { OpenTokRefusal(status: 403, message) }
  package static func notFound(_ message: String) -> OpenTokRefusal { OpenTokRefusal(status: 404, message) }
  package static func conflict(_ message: String) -> OpenTokRefusal { OpenTokRefusal(status: 409, message) }

  /// The session id is of no project here, or of another one.
  package static let unknownSession = notFound(
    "Session not found: this session id was not made for this project; create one with POST /session/create")
  /// The session id is right, and nobody is in the session.
  package static let nobodyConnected = notFound(
    "Nobody is connected to this session; a client has to connect first, and then this request works")
  /// Archives need the sound at the service.
  package static let needsRouted = OpenTokRefusal(
    status: 409, code: 15_008,
    "Only routed sessions are allowed to initiate archives. This one is relayed; create it with p2p.preference=disabled"
  )

  /// A room's refusal in OpenTok's words.
  package init(_ refusal: RoomRefusal) {
    let status =
      switch refusal.code {
      case .unauthorized, .forbidden: 403
      case .notJoined, .unknownPeer, .unknownParticipant, .unknownObject, .unknownMethod, .noTake: 404
      case .roomFull, .nameTaken, .alreadyJoined, .alreadyPublishing, .wrongState, .takeRolling, .notPublishing,
        .objectPersistence:
        409
      case .tooLarge: 413
      case .rateLimited, .tooMany: 429
      case .unavailable, .storage: 503
      case .invalidName, .invalidDescription, .invalidCandidate, .invalidText, .malformed: 400
      case .callFailed: 500
      }
    self.init(status: status, refusal.description, retryAfter: refusal.retryAfter)
  }
}

/// An answer of OpenTok's REST interface.
package struct OpenTokAnswer: Hashable, Sendable {
  package enum Body: Hashable, Sendable {
    case none
    /// Sent as exactly `application/json`: a parameter behind it makes the Python SDK parse XML.
    case json(JSONValue)
    /// Sent as `text/xml`.
    case xml(String)
  }

  package var status: Int
  package var body: Body

  package init(status: Int = 200, _ body: Body = .none) {
    (self.status, self.body) = (status, body)
  }

  package static func json(_ value: JSONValue, status: Int = 200) -> OpenTokAnswer {
    OpenTokAnswer(status: status, .json(value))
  }

  /// 204 without a body.
  package static let done = OpenTokAnswer(status: 204)

  /// - Parameter readsJSON: whether the request's `Accept` names JSON.
  package init(_ refusal: OpenTokRefusal, readsJSON: Bool) {
    let code = "<code>\(refusal.code)</code>"
    let message = "<message>\(OpenTokAnswer.escaped(refusal.message))</message>"
    self.init(
      status: refusal.status,
      readsJSON ? .json(refusal.json) : .xml("<errorPayload>\(code)\(message)</errorPayload>"))
  }

  /// Text as the content of an XML element.
  static func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      default: result.append(character)
      }
    }
  }
}
