import Music

/// A room's reply to a command.
package enum RoomReply: Hashable, Sendable {
  case done
  /// The answer to the member's offer.
  case answer(PeerLabel, sdp: String)
  /// An offer for the member to answer.
  case offer(PeerLabel, sdp: String)
  /// The take begun or ended by a command.
  case take(TakeID, number: Int)
  /// The cue that was set.
  case cue(Cue)
  case snapshot(RoomSnapshot)
  /// The value of a method; methods without one are `done`.
  case returned(SharedValue)
  /// The result of a use or a change; the event `sharedObject` has the rest.
  case sharedObject(SharedObjectReceipt)
}

/// A refused command: a stable code, and a sentence with the reason and the permitted alternative.
package struct RoomRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// The closed set of reasons; each dialect maps every one of them.
  package enum Code: String, Hashable, Sendable, CaseIterable {
    case roomFull = "room-full"
    case nameTaken = "name-taken"
    case invalidName = "invalid-name"
    case unauthorized
    case forbidden
    case notJoined = "not-joined"
    case alreadyJoined = "already-joined"
    case unknownPeer = "unknown-peer"
    case unknownParticipant = "unknown-participant"
    case notPublishing = "not-publishing"
    case alreadyPublishing = "already-publishing"
    case invalidDescription = "invalid-sdp"
    case invalidCandidate = "invalid-candidate"
    case tooMany = "too-many"
    case wrongState = "wrong-state"
    case noTake = "no-take"
    case takeRolling = "take-rolling"
    case invalidText = "invalid-text"
    case unknownObject = "unknown-object"
    case objectPersistence = "object-persistence"
    case unknownMethod = "unknown-method"
    /// A method of the band's own application refused, or did not answer.
    case callFailed = "call-failed"
    case malformed
    case tooLarge = "too-large"
    /// Too much in too short a time; `retryAfter` says when to try again.
    case rateLimited = "rate-limited"
    case storage
    case unavailable
  }

  package var code: Code
  /// A sentence for people: what was wrong and what is permitted.
  package var description: String

  /// Whole seconds after which to try again, if that is known.
  package var retryAfter: Int?

  /// Most scalars of a sentence, which may repeat texts from outside.
  private static let longestDescription = 1_000

  package init(_ code: Code, _ description: String, retryAfter: Int? = nil) {
    self.code = code
    self.description = description.shortened(to: RoomRefusal.longestDescription)
    self.retryAfter = retryAfter
  }
}
