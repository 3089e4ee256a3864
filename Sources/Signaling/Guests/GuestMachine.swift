import Machines
import Music

/// A protocol by which a bot listens in a room elsewhere: texts and descriptions in, texts and guests out.
///
/// A *guest* is somebody who is heard there. The shell gives every guest a seat in a room of this service and carries
/// descriptions between the two; a machine knows neither the seats nor the socket. Every machine keeps its link alive,
/// and reports a server that does not answer.
package protocol GuestMachine: Machine, ~Copyable where Input == GuestInput, Output == GuestOutput {
  /// What is the same in every protocol.
  var visit: GuestVisit { get set }

  /// Begins the conversation on a link that has just opened.
  mutating func begin(at now: MonotonicTime)

  /// Sends something that the server has to answer, or notes that the link itself is asked.
  mutating func giveSign(at now: MonotonicTime)

  /// Gives up a guest's connection for a while.
  mutating func lose(_ key: GuestKey, at now: MonotonicTime)

  /// Begins another connection for a guest who was lost.
  mutating func invite(_ key: GuestKey, name: String, at now: MonotonicTime)
}

/// Somebody who is heard elsewhere, by the other server's identifier.
package struct GuestKey: Hashable, Sendable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}

/// What a machine is told.
package enum GuestInput: Sendable {
  /// A text message of the server.
  case text(String)
  /// Our offer for a guest, after `invited`.
  case offer(GuestKey, sdp: String)
  /// Our answer to a guest's offer, after `offered` or `reoffered`.
  case answer(GuestKey, sdp: String)
  /// A candidate of ours.
  case candidate(GuestKey, CandidateMessage)
  /// The guest has no seat, or the media connection is gone; the machine tries again after a while.
  case lost(GuestKey)
  /// Text for everybody there; machines without a chat drop it.
  case say(String)
  /// The bot leaves: the last texts, then `over`.
  case leave
}

/// What a machine asks for.
package enum GuestOutput: Hashable, Sendable {
  /// A text message for the server.
  case send(String)
  /// The bot is in the room.
  case joined
  /// Somebody is heard: make an offer.
  case invited(GuestKey, name: String)
  /// Somebody is heard: answer this offer.
  case offered(GuestKey, name: String, sdp: String)
  /// A guest's connection is negotiated anew: answer this offer on it.
  case reoffered(GuestKey, sdp: String)
  /// The answer to our offer.
  case answered(GuestKey, sdp: String)
  /// A candidate of theirs.
  case candidate(GuestKey, CandidateMessage)
  /// The guest is no longer heard, because they have left or stopped sending.
  case left(GuestKey)
  /// The guest's connection is gone; they are invited again in a while.
  case lost(GuestKey)
  /// A message in the room's chat.
  case said(GuestKey, text: String)
  /// The conversation is over; nothing follows.
  case over(GuestFault)
}

/// The reason why a visit ended.
package struct GuestFault: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Kind: String, Hashable, Sendable {
    /// The bot left by itself.
    case left
    /// The server or the network failed: worth another attempt soon.
    case lost
    /// Nobody is heard there yet.
    case empty
    /// The room has no place: worth another attempt later.
    case full
    /// The server does not accept the bot (unknown room, wrong secret): another attempt seldom helps.
    case refused
    /// What the server says is not its protocol.
    case nonsense
  }

  package var kind: Kind
  /// A sentence for people.
  package var description: String

  private static let longestDescription = 500

  package init(_ kind: Kind, _ description: String) {
    self.kind = kind
    // What a server says must not look like another line of a log.
    let line = description.unicodeScalars.prefix(2 * GuestFault.longestDescription).map { scalar in
      scalar.properties.generalCategory == .control ? " " : Character(scalar)
    }
    self.description = String(line).shortened(to: GuestFault.longestDescription)
  }

  package static let left = GuestFault(.left, "the bot has left")
}
