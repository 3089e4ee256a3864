import Music

/// The vocabulary of rooms of Remote Monster: those of Jamjar, tokens, and what two clients of a mesh send each other.
package enum RemonWords: Vocabulary {
  package typealias Ticket = OperationNumber
  package typealias Reconnection = RemonReturn
  package typealias Entry = RemonEntry
  package typealias Welcome = Seating
  package typealias Scene = RoomSnapshot
  package typealias Command = RemonCommand
  package typealias Reply = RemonReply
  package typealias Refusal = RoomRefusal
  package typealias Event = RemonEvent

  package static func mustArrive(_ event: RemonEvent) -> Bool {
    if case .room(let event) = event { RemonRoomWords.mustArrive(event) } else { false }
  }
}

/// The seat below: a room of Jamjar.
package enum RemonRoomWords: RoomVocabulary {
  package static let door = Authorisation.Door.remon
  package typealias Ticket = OperationNumber
  package typealias Reconnection = Never
}

/// A client whose socket broke has shown its token on another one.
package struct RemonReturn: Hashable, Sendable {
  package init() {}
}

/// What a client is in its room.
package enum RemonPart: Hashable, Sendable {
  /// One of the two of a call.
  case caller
  /// The sender of a cast.
  case caster
  /// A musician of a conference, who sends a cast in it.
  case member
  /// The presence in a conference, before its own cast: it takes no musician's seat.
  case presence
  case viewer

  package var role: Role {
    switch self {
    case .caller, .caster, .member: .musician
    case .presence, .viewer: .listener
    }
  }
}

package struct RemonEntry: Hashable, Sendable {
  package var room: RoomName
  package var request: JoinRequest
  package var part: RemonPart

  package init(_ room: RoomName, _ request: JoinRequest, as part: RemonPart) {
    (self.room, self.request, self.part) = (room, request, part)
  }
}

/// What a token stands for.
package struct RemonPass: Hashable, Sendable {
  package var token: String
  package var serviceID: String
  /// The room of the account, if all its channels are one.
  package var bound: RoomName?
  /// The conference of the initialisation.
  package var conference: String?
  package var meta: String?
  /// The channel that the server proposes.
  package var proposal: String

  package init(
    token: String, serviceID: String, bound: RoomName? = nil, conference: String? = nil, meta: String? = nil,
    proposal: String
  ) {
    (self.token, self.serviceID, self.bound) = (token, serviceID, bound)
    (self.conference, self.meta, self.proposal) = (conference, meta, proposal)
  }
}

/// What a viewer's channel names.
package struct RemonSource: Hashable, Sendable {
  package var room: RoomName
  /// The musician whose cast it is; nil for a mix of everybody in the room.
  package var participant: ParticipantID?

  package init(room: RoomName, participant: ParticipantID?) {
    (self.room, self.participant) = (room, participant)
  }
}

package enum RemonCommand: Hashable, Sendable {
  case room(RoomCommand)
  /// Binds the socket to a token.
  case present(token: String, serviceID: String?)
  /// Looks for the cast that an identifier names.
  case find(String, bound: RoomName?)
  /// Lists calls, or casts, whose name contains the text.
  case search(RemonChannel.Kind, String)
  /// Passes a description or a candidate on to the other client of a direct call, unread.
  case relay(RemonFrame, to: ParticipantID)
  case health(RemonHealth)
}

package enum RemonReply: Hashable, Sendable {
  case room(RoomReply)
  case pass(RemonPass)
  /// The token's own session goes on elsewhere.
  case former(sessionID: String)
  case source(RemonSource)
  case list(JSONValue)
}

package enum RemonEvent: Sendable {
  case room(RoomEvent)
  /// A frame of the other client of a direct call.
  case relayed(RemonFrame, from: ParticipantID)
}
