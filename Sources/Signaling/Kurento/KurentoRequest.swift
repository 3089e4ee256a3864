import Music

/// One request of Kurento Room with its parameters.
package enum KurentoRequest: Hashable, Sendable {
  /// Enters a room, and creates it if it does not exist; the token proves the permission.
  case joinRoom(RoomName, JoinRequest, token: String?)
  case publishVideo(offer: String, loopsBack: Bool)
  case unpublishVideo
  /// `sender` is `<user>_webcam`, the bare name of a user, or "mix" or "mix-minus".
  case receiveVideoFrom(sender: String, offer: String)
  case unsubscribeFromVideo(sender: String)
  /// `endpointName` is the bare name of the user whose audio the connection carries.
  case onIceCandidate(endpointName: String, CandidateMessage)
  case sendMessage(String, user: String, room: String)
  case customRequest(JSONObject)
  case leaveRoom

  package var method: KurentoMethod {
    switch self {
    case .joinRoom: .joinRoom
    case .publishVideo: .publishVideo
    case .unpublishVideo: .unpublishVideo
    case .receiveVideoFrom: .receiveVideoFrom
    case .unsubscribeFromVideo: .unsubscribeFromVideo
    case .onIceCandidate: .onIceCandidate
    case .sendMessage: .sendMessage
    case .customRequest: .customRequest
    case .leaveRoom: .leaveRoom
    }
  }

  /// The member "params"; nil without parameters.
  var parameters: JSONObject? {
    switch self {
    case .joinRoom(let room, let request, let token): return KurentoRequest.parameters(room, request, token)
    case .publishVideo(let offer, let loopsBack):
      return ["sdpOffer": .string(offer), "doLoopback": .bool(loopsBack)]
    case .receiveVideoFrom(let sender, let offer):
      return ["sender": .string(sender), "sdpOffer": .string(offer)]
    case .unsubscribeFromVideo(let sender): return ["sender": .string(sender)]
    case .onIceCandidate(let name, let candidate):
      var parameters: JSONObject = ["endpointName": .string(name)]
      for member in candidate.rpcMembers.members { parameters[member.name] = member.value }
      return parameters
    case .sendMessage(let text, let user, let room):
      return ["message": .string(text), "userMessage": .string(user), "roomMessage": .string(room)]
    case .customRequest(let parameters): return parameters
    case .unpublishVideo, .leaveRoom: return nil
    }
  }

  private static func parameters(_ room: RoomName, _ request: JoinRequest, _ token: String?) -> JSONObject {
    var parameters: JSONObject = ["user": .string(request.name.description), "room": .string(room.description)]
    if let part = request.part { parameters["part"] = .string(part) }
    if !request.consents { parameters["consent"] = false }
    if let token { parameters["token"] = .string(token) }
    return parameters
  }
}

/// The requests of Kurento Room that run one after another.
package enum KurentoMethod: String, Hashable, Sendable, CaseIterable {
  case joinRoom, publishVideo, unpublishVideo, receiveVideoFrom, unsubscribeFromVideo, onIceCandidate, sendMessage
  case customRequest, leaveRoom
}

extension KurentoRequest {
  /// Reads the parameters of a request; unknown ones are ignored.
  /// - Throws: -32602 naming the key, or the domain's code for a wrong name or size.
  package init(_ method: KurentoMethod, _ parameters: JSONObject) throws(JSONRPCError) {
    let fields = JSONRPCFields(parameters, of: "the parameters of \(method.rawValue)")
    switch method {
    case .joinRoom: self = try KurentoRequest.joinRoom(fields)
    case .publishVideo:
      self = .publishVideo(
        offer: try KurentoRequest.offer(fields), loopsBack: try fields.optionalFlag("doLoopback") ?? false)
    case .unpublishVideo: self = .unpublishVideo
    case .receiveVideoFrom:
      self = .receiveVideoFrom(sender: try fields.string("sender"), offer: try KurentoRequest.offer(fields))
    case .unsubscribeFromVideo: self = .unsubscribeFromVideo(sender: try fields.string("sender"))
    case .onIceCandidate:
      self = .onIceCandidate(
        endpointName: try fields.string("endpointName"),
        try fields.candidate(tooLong: KurentoErrorCode.mediaCandidate.rawValue))
    case .sendMessage:
      self = .sendMessage(
        try fields.string("message"), user: try fields.string("userMessage"), room: try fields.string("roomMessage"))
    case .customRequest: self = .customRequest(parameters)
    case .leaveRoom: self = .leaveRoom
    }
  }

  private static func offer(_ fields: JSONRPCFields) throws(JSONRPCError) -> String {
    try fields.description("sdpOffer", tooLong: KurentoErrorCode.mediaDescription.rawValue)
  }

  /// `token`, `part` and `consent` are extensions; Kurento calls them extra parameters.
  private static func joinRoom(_ fields: JSONRPCFields) throws(JSONRPCError) -> KurentoRequest {
    let user = try name(try fields.string("user"), of: "the user's name")
    let roomText = try fields.string("room")
    let room: RoomName
    do {
      room = try RoomName(checking: roomText)
    } catch {
      throw JSONRPCError(.roomCannotBeCreated, error.description)
    }
    var request = JoinRequest(name: user, consents: try fields.optionalFlag("consent") ?? true)
    if let part = try fields.optionalString("part"), !part.isEmpty {
      // A part is shown beside names, so it follows the same rules.
      request.part = try name(part, of: "the part").description
    }
    return .joinRoom(room, request, token: try fields.optionalString("token"))
  }

  private static func name(_ text: String, of what: String) throws(JSONRPCError) -> DisplayName {
    do {
      return try DisplayName(checking: text)
    } catch {
      throw JSONRPCError(.generic, "\(what) is not taken: \(error)")
    }
  }
}
