import Music

/// A command of a client of Kurento Tree; a tree is the room of the same name.
package enum TreeCommand: Hashable, Sendable {
  /// Creates a tree, with a generated name if none is given; an existing tree is not an error.
  case create(RoomName?)
  case release(RoomName)
  /// Sets or replaces the source.
  case setSource(RoomName, TreeSource)
  case removeSource(RoomName)
  case addSink(RoomName, offer: String)
  case removeSink(RoomName, String)
  /// The client's candidate for a sink, or for the source if there is no sink.
  case candidate(RoomName, sink: String?, CandidateMessage)

  /// The tree of the command; nil to create an unnamed one.
  package var tree: RoomName? {
    switch self {
    case .create(let name): name
    case .release(let name), .setSource(let name, _), .removeSource(let name), .addSink(let name, _),
      .removeSink(let name, _), .candidate(let name, _, _):
      name
    }
  }

  /// True for commands that take a place in the room.
  package var enters: Bool {
    switch self {
    case .addSink, .setSource(_, .offer): true
    case .create, .release, .setSource(_, .musician), .setSource(_, .mix), .removeSource, .removeSink, .candidate: false
    }
  }

  /// What this is in the table of rights. The tree itself refuses what belongs to others.
  package var action: Authorisation.Action {
    switch self {
    case .create, .addSink: .hear
    case .removeSink, .candidate: .connect
    case .release, .setSource, .removeSource: .publish
    }
  }
}

/// The origin of a tree's audio.
package enum TreeSource: Hashable, Sendable {
  /// The session that sets the source sends the audio: its offer.
  case offer(String)
  /// A musician of the room of that name.
  case musician(DisplayName)
  /// The live mix of the room.
  case mix
}

/// A tree's reply to a command.
package enum TreeReply: Hashable, Sendable {
  case created(RoomName)
  case done
  /// The answer to the offer of a source.
  case answer(String)
  /// A new sink and the answer to its offer.
  case sink(String, answer: String)
}

/// An event of a tree for the session with its source or one of its sinks.
package enum TreeEvent: Hashable, Sendable {
  /// Our candidate for a sink, or for the source if there is no sink.
  case candidate(RoomName, sink: String?, CandidateMessage)
}

/// The reason for refusing a command to a tree.
package struct TreeRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// The code of the wire.
  package enum Code: Int64, Hashable, Sendable, CaseIterable {
    /// Kurento's TreeException: no such tree, no source, no room for another viewer.
    case tree = 2
    /// Anything else.
    case failure = -1
  }

  package var code: Code
  /// What was wrong and what is permitted.
  package var description: String

  package init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}
