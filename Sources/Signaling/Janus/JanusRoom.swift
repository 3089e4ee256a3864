/// A room of a Janus server, and what its operator asks of those who come in.
package struct JanusRoom: Hashable, Sendable {
  package enum Plugin: String, Hashable, Sendable {
    /// Every publisher is a stream of their own.
    case videoRoom = "janus.plugin.videoroom"
    /// The server mixes everybody.
    case audioBridge = "janus.plugin.audiobridge"
  }

  package var plugin: Plugin
  /// The room's number, or its name on servers with `string_ids`.
  package var room: String
  /// The name that the room shows.
  package var display: String
  package var pin: String?
  /// Janus' `token` (of a room or of the server), and the secret of its API.
  package var token: String?
  package var secret: String?

  package init(
    _ plugin: Plugin, room: String, display: String, pin: String? = nil, token: String? = nil, secret: String? = nil
  ) {
    self.plugin = plugin
    self.room = room
    self.display = display
    self.pin = pin
    self.token = token
    self.secret = secret
  }

  /// The room as it stands in requests: numbers are numbers unless the server counts in names.
  var identifier: JSONValue { Int64(room).map(JSONValue.integer) ?? .string(room) }
}
