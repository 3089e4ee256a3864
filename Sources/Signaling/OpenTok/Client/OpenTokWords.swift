import Machines
import Music

/// The vocabulary of OpenTok's client wire: the session, and the room below it.
package enum OpenTokWords: Vocabulary {
  package typealias Ticket = OperationNumber
  package typealias Reconnection = OpenTokReturn
  package typealias Entry = OpenTokEntry
  package typealias Welcome = OpenTokWelcome
  package typealias Scene = OpenTokScene
  package typealias Command = OpenTokCommand
  package typealias Reply = RoomReply
  package typealias Refusal = OpenTokRefusal
  // No event has to arrive by the session's letters: the machine keeps what its client has not acknowledged.
  package typealias Event = OpenTokNotice
}

/// The seat below: a room of Jamjar.
package enum OpenTokRoomWords: RoomVocabulary {
  package static let door = Authorisation.Door.opentok
  package typealias Ticket = OperationNumber
  package typealias Reconnection = Never
}

/// A client whose socket broke comes back, on a socket of the same name.
package struct OpenTokReturn: Hashable, Sendable {
  package init() {}
}

/// How a socket's session begins: decided by the query of its address.
package enum OpenTokOpening: Hashable, Sendable {
  /// Of a client that never comes back: it names no socket.
  case fresh
  /// Of a client that may come back by the socket's name.
  case named
  /// The client wants to continue a session that is not known; it may begin anew.
  case unknown
}

/// What a client shows to come into a session.
package struct OpenTokEntry: Hashable, Sendable {
  /// The project's key and the session's id, as the client names them.
  package var key: String
  package var session: String
  /// Chosen by the client.
  package var connection: OpenTokConnectionID
  package var token: String

  package init(key: String, session: String, connection: OpenTokConnectionID, token: String) {
    (self.key, self.session, self.connection, self.token) = (key, session, connection, token)
  }
}

/// What a client gets that has come in.
package struct OpenTokWelcome: Sendable {
  package var role: OpenTokToken.Role
  package var me: OpenTokConnection
  package var scene: OpenTokScene
  package var iceServers: [ICEServer]

  package init(
    role: OpenTokToken.Role, me: OpenTokConnection, scene: OpenTokScene, iceServers: [ICEServer] = []
  ) {
    (self.role, self.me, self.scene, self.iceServers) = (role, me, scene, iceServers)
  }
}

package enum OpenTokCommand: Hashable, Sendable {
  case room(RoomCommand)
  /// Of a stream's own connection: to publish, restart, pass on a candidate, be silent, end.
  case media(OpenTokStreamID, RoomCommand)
  /// The client is about to publish: it takes a musician's seat, and one more for each further stream.
  case beginStream(OpenTokStreamID, OpenTokLedger.StreamDescription)
  case describe(OpenTokStreamID, OpenTokLedger.StreamDescription)
  /// The client gives the stream's seat up.
  case endStream(OpenTokStreamID)
  case signal(OpenTokSignal)
  case forceDisconnect(OpenTokConnectionID)
  case forceUnpublish(OpenTokStreamID)
  case forceMute(OpenTokStreamID)
  /// The client lifts the mute that a moderator has put on its stream.
  case unmute(OpenTokStreamID)
}

package enum OpenTokNotice: Sendable {
  /// To the client's own membership of the room.
  case room(RoomEvent)
  case session(OpenTokEvent)
  /// The present state, after events were lost.
  case scene(OpenTokScene)
}

/// The state of things, for a client that missed some of it.
package struct OpenTokScene: Sendable {
  package var state: OpenTokSessionState
  package var take: RoomSnapshot.RollingTake?

  package init(_ state: OpenTokSessionState, take: RoomSnapshot.RollingTake?) {
    (self.state, self.take) = (state, take)
  }
}

/// What a recording looks like to clients: an archive, or a take of the room.
package struct OpenTokArchiveNotice: Hashable, Sendable {
  package var id: String
  package var name: String
  /// `started`, `paused`, `stopped` and so on.
  package var status: String

  package init(id: String, name: String, status: String) {
    (self.id, self.name, self.status) = (id, name, status)
  }

  package init(_ archive: OpenTokArchive) {
    self.init(id: archive.id, name: archive.wish.name ?? "", status: archive.status.rawValue)
  }

  /// True while it records, or would if somebody played.
  package var isActive: Bool { status == "started" || status == "paused" }

  var json: JSONValue { ["id": .string(id), "name": .string(name), "status": .string(status)] }
}
