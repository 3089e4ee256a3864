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

  package init(_ method: String, _ result: JSONValue) throws(JSONRPCError) {
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

/// A musician in the list of joinRoom.
package struct KurentoMember: Hashable, Sendable {
  /// The form of "streams" in the list.
  package enum Streams: Hashable, Sendable {
    /// The key is omitted: Android's clients read even an empty list as "publishes".
    case absent
    case none
    /// One stream, "webcam", without video.
    case webcam
  }

  /// The user's name.
  package var id: String
  package var streams: Streams

  package init(id: String, streams: Streams) {
    self.id = id
    self.streams = streams
  }

  var json: JSONValue {
    switch streams {
    case .absent: ["id": .string(id)]
    case .none: ["id": .string(id), "streams": .array([])]
    // A page that reads "recvVideo" asks for audio only.
    case .webcam: ["id": .string(id), "streams": .array([["id": "webcam", "recvVideo": false]])]
    }
  }

  init(_ value: JSONValue) throws(ProtocolViolation) {
    guard let object = value.object, let id = object["id"]?.string else {
      throw ProtocolViolation("a member of the room has no \"id\"")
    }
    guard let streams = object["streams"] else {
      self.init(id: id, streams: .absent)
      return
    }
    guard let streams = streams.array, streams.allSatisfy({ $0.object?["id"] == "webcam" }) else {
      throw ProtocolViolation("\"streams\" of \(id) must be an array of {\"id\":\"webcam\"}")
    }
    self.init(id: id, streams: streams.isEmpty ? .none : .webcam)
  }
}
