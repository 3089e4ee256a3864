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
