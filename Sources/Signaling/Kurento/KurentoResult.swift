/// The server's result for one of our requests.
package enum KurentoResult: Hashable, Sendable {
  /// The other musicians, of joinRoom.
  case members([KurentoMember])
  /// The answer to an offer; empty for an unsubscription.
  case sdpAnswer(String)
  case done
  /// The result of customRequest, without "sessionId".
  case custom(JSONObject)
  /// The word in the result of ping, connect or closeSession.
  case word(String)

  init(_ method: String, _ result: JSONValue) throws(JSONRPCError) {
    if let word = result.string {
      self = .word(word)
      return
    }
    var object = result.object ?? [:]
    object["sessionId"] = nil
    let fields = JSONRPCFields(object, of: "the result of \(method)")
    guard let method = KurentoMethod(rawValue: method) else {
      self = .word(try fields.string("value"))
      return
    }
    switch method {
    case .joinRoom:
      var members: [KurentoMember] = []
      for value in try fields.array("value") {
        do {
          members.append(try KurentoMember(value))
        } catch {
          throw JSONRPCError(code: JSONRPCError.invalidParameters, error.description)
        }
      }
      self = .members(members)
    case .publishVideo, .receiveVideoFrom, .unsubscribeFromVideo: self = .sdpAnswer(try fields.string("sdpAnswer"))
    case .customRequest: self = .custom(object)
    case .unpublishVideo, .onIceCandidate, .sendMessage, .leaveRoom: self = .done
    }
  }
}
