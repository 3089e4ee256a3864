/// A notification from the server to a client of Kurento Room.
package enum KurentoNotification: Hashable, Sendable {
  case participantJoined(String)
  case participantPublished(String)
  case participantUnpublished(String)
  case participantLeft(String)
  case participantEvicted
  case sendMessage(room: String, user: String, message: String)
  /// Our candidate for the connection that carries this user's audio.
  case iceCandidate(endpointName: String, CandidateMessage)
  case mediaError(String)
  case roomClosed(String)
  /// An event of the recorder, for sessions that subscribed; the misspelling is the wire's.
  case custonNotification(JSONObject)

  /// The names of the notifications.
  package enum Method: String, Hashable, Sendable, CaseIterable {
    case participantJoined, participantPublished, participantUnpublished, participantLeft, participantEvicted
    case sendMessage, iceCandidate, mediaError, roomClosed, custonNotification
  }

  var method: Method {
    switch self {
    case .participantJoined: .participantJoined
    case .participantPublished: .participantPublished
    case .participantUnpublished: .participantUnpublished
    case .participantLeft: .participantLeft
    case .participantEvicted: .participantEvicted
    case .sendMessage: .sendMessage
    case .iceCandidate: .iceCandidate
    case .mediaError: .mediaError
    case .roomClosed: .roomClosed
    case .custonNotification: .custonNotification
    }
  }

  /// Joined and published use "id", left and unpublished use "name".
  private var parameters: JSONObject {
    switch self {
    case .participantJoined(let user): ["id": .string(user)]
    case .participantPublished(let user): ["id": .string(user), "streams": .array([["id": "webcam"]])]
    case .participantUnpublished(let user), .participantLeft(let user): ["name": .string(user)]
    case .participantEvicted: [:]
    case .sendMessage(let room, let user, let message):
      ["room": .string(room), "user": .string(user), "message": .string(message)]
    case .iceCandidate(let name, let candidate):
      JSONObject([("endpointName", .string(name))] + candidate.rpcMembers.members.map { ($0.name, $0.value) })
    case .mediaError(let error): ["error": .string(error)]
    case .roomClosed(let room): ["room": .string(room)]
    case .custonNotification(let parameters): parameters
    }
  }

  /// The message, without "id" and always with "params".
  var text: String { JSONRPCText.notification(method.rawValue, parameters) }
}

extension KurentoNotification {
  /// Reads a notification as the iOS client does: every key must be there and have its type.
  package init(_ method: String, _ parameters: JSONObject) throws(JSONRPCError) {
    let fields = JSONRPCFields(parameters, of: "the parameters of \(method)")
    guard let known = Method(rawValue: method) else {
      throw JSONRPCError(code: JSONRPCError.unknownMethod, "there is no notification \"\(method)\"")
    }
    switch known {
    case .participantJoined: self = .participantJoined(try fields.string("id"))
    case .participantPublished:
      guard try fields.array("streams") == [["id": "webcam"]] else {
        throw fields.error("streams", mustBe: "[{\"id\":\"webcam\"}]")
      }
      self = .participantPublished(try fields.string("id"))
    case .participantUnpublished: self = .participantUnpublished(try fields.string("name"))
    case .participantLeft: self = .participantLeft(try fields.string("name"))
    case .participantEvicted: self = .participantEvicted
    case .sendMessage:
      self = .sendMessage(
        room: try fields.string("room"), user: try fields.string("user"), message: try fields.string("message"))
    case .iceCandidate:
      self = .iceCandidate(
        endpointName: try fields.string("endpointName"),
        CandidateMessage(
          candidate: try fields.string("candidate"), mid: try fields.string("sdpMid"),
          mLineIndex: Int(exactly: try fields.integer("sdpMLineIndex"))))
    case .mediaError: self = .mediaError(try fields.string("error"))
    case .roomClosed: self = .roomClosed(try fields.string("room"))
    case .custonNotification: self = .custonNotification(parameters)
    }
  }
}
