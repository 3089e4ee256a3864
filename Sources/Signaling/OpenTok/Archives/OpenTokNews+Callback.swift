import Music

extension OpenTokNews {
  /// The body of a callback; nil for what no application is told.
  package var callback: JSONObject? {
    let key: JSONValue = Int64(session.key).map { .integer($0) } ?? .string(session.key)
    var body: JSONObject = ["sessionId": .string(session.description), "projectId": key]
    func event(_ name: String, _ reason: OpenTokReason? = nil) {
      body["event"] = .string(name)
      if let reason { body["reason"] = .string(reason.rawValue) }
      body["timestamp"] = .integer(time.milliseconds)
    }
    switch self.event {
    case .sessionCreated: event("sessionCreated")
    case .sessionDestroyed: event("sessionDestroyed")
    case .connectionCreated(let connection):
      event("connectionCreated")
      body["connection"] = .object(connection.callback)
    case .connectionDestroyed(let connection, let reason):
      event("connectionDestroyed", reason)
      body["connection"] = .object(connection.callback)
    case .streamCreated(let stream):
      event("streamCreated")
      body["stream"] = .object(stream.callback)
    case .streamDestroyed(let stream, let reason):
      event("streamDestroyed", reason)
      body["stream"] = .object(stream.callback)
    case .streamChanged, .signal, .muteForced, .mutesNewStreams, .archive, .room: return nil
    }
    return body
  }
}

extension OpenTokConnection {
  fileprivate var callback: JSONObject {
    ["id": .string(id.description), "createdAt": .integer(createdAt.milliseconds), "data": .string(data)]
  }
}

extension OpenTokStream {
  fileprivate var callback: JSONObject {
    let type: JSONValue = hasVideo ? .string(videoType) : .null
    return [
      "id": .string(id.description), "connection": ["id": .string(connection.description)],
      "createdAt": .integer(createdAt.milliseconds), "name": .string(name), "videoType": type,
    ]
  }
}
