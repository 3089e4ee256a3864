import Music

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
