import Music

/// An address that an application's server has registered for what happens: `POST /v2/project/KEY/callback`.
package struct OpenTokCallback: Hashable, Sendable, Codable {
  package enum Group: String, Hashable, Sendable, Codable, CaseIterable {
    case archive, broadcast, session, connection, stream
  }

  package enum Moment: String, Hashable, Sendable, Codable, CaseIterable {
    /// Everything of the group; of sessions, connections and streams too.
    case status
    case created, destroyed
  }

  /// A UUID.
  package let id: String
  /// The project's key.
  package let project: String
  package let group: Group
  package let event: Moment
  package let url: String
  /// Milliseconds since 1970.
  package let createdAt: Int64

  private static let longestURL = 2_048

  /// Reads `{group, event, url}`.
  /// - Throws: `OpenTokRefusal` 400; 404 for an event that there is not.
  package init(_ body: JSONObject, id: String, project: String, at time: WallTime) throws(OpenTokRefusal) {
    guard let group = body["group"]?.string.flatMap(Group.init(rawValue:)),
      let event = body["event"]?.string.flatMap(Moment.init(rawValue:)),
      event == .status || (group != .archive && group != .broadcast)
    else {
      throw .notFound(
        "Callback event not found: \"group\" is one of \(Group.allCases.map(\.rawValue).joined(separator: ", ")), and "
          + "\"event\" is status, or of sessions, connections and streams also created or destroyed")
    }
    guard let url = body["url"]?.string, !url.isEmpty, url.utf8.count <= OpenTokCallback.longestURL else {
      throw .badRequest("\"url\" is missing: an address of at most \(OpenTokCallback.longestURL) bytes")
    }
    (self.id, self.project, self.group, self.event, self.url) = (id, project, group, event, url)
    createdAt = time.milliseconds
  }

  /// True if it wants what happens.
  /// - Parameter name: the member `event` of the callback: `archive`, `streamCreated`.
  package func wants(_ name: String) -> Bool {
    switch (group, event) {
    case (.archive, _), (.broadcast, _): name == group.rawValue
    case (.session, .status): name != Group.archive.rawValue && name != Group.broadcast.rawValue
    case (_, .status): name.hasPrefix(group.rawValue)
    case (_, .created): name == "\(group.rawValue)Created"
    case (_, .destroyed): name == "\(group.rawValue)Destroyed"
    }
  }

  /// `uri` as the older interface has it, `url` as the later one.
  package var json: JSONValue {
    [
      "id": .string(id), "group": .string(group.rawValue), "event": .string(event.rawValue), "url": .string(url),
      "uri": .string(url), "createdAt": .integer(createdAt),
    ]
  }
}
