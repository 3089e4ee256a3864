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

  init(_ value: JSONValue) throws(JSONRPCViolation) {
    guard let object = value.object, let id = object["id"]?.string else {
      throw JSONRPCViolation("a member of the room has no \"id\"")
    }
    guard let streams = object["streams"] else {
      self.init(id: id, streams: .absent)
      return
    }
    guard let streams = streams.array, streams.allSatisfy({ $0.object?["id"] == "webcam" }) else {
      throw JSONRPCViolation("\"streams\" of \(id) must be an array of {\"id\":\"webcam\"}")
    }
    self.init(id: id, streams: streams.isEmpty ? .none : .webcam)
  }
}
