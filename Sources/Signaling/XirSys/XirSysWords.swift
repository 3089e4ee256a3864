import Music

/// The vocabulary of rooms of XirSys: those of Jamjar, and what clients send to each other.
package enum XirSysWords: Vocabulary {
  package typealias Ticket = OperationNumber
  package typealias Reconnection = XirSysReturn
  package typealias Entry = RoomEntry
  package typealias Welcome = Seating
  package typealias Scene = RoomSnapshot
  package typealias Command = XirSysCommand
  package typealias Reply = RoomReply
  package typealias Refusal = RoomRefusal
  package typealias Event = XirSysEvent
}

/// The seat below: a room of Jamjar.
package enum XirSysRoomWords: RoomVocabulary {
  package static let door = Authorisation.Door.xirsys
  package typealias Ticket = OperationNumber
  package typealias Reconnection = Never
}

/// A client whose socket broke comes back under its name: its session goes on.
package struct XirSysReturn: Hashable, Sendable {
  /// As whom the new socket wants to be written to.
  package var listener: XirSysListener

  package init(_ listener: XirSysListener) {
    self.listener = listener
  }
}

package enum XirSysCommand: Hashable, Sendable {
  case room(RoomCommand)
  /// Passes a message on to one user of the room, or to all others; it is dropped if the user is not there.
  case relay(XirSysMessage, to: String?)
  /// Tells the others that this client has come back.
  case announceReturn
}

package enum XirSysEvent: Sendable {
  case room(RoomEvent)
  /// Another user's message.
  case relayed(XirSysMessage, from: String)
  /// A user whose socket had broken has a new one.
  case returned(String)
}

/// How a socket's session begins: decided by its token.
package enum XirSysOpening: Hashable, Sendable {
  case enter(RoomEntry)
  /// The session of the same user that lost its socket; if it is over, the client enters anew.
  case resume(sessionID: String, RoomEntry)
  /// The token is unknown, used up, or too old.
  case invalidToken
  /// The token was right, and what it is for has become impossible since.
  case refused(RoomRefusal)
}
