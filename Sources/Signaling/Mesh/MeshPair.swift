import Music

/// Two musicians of a mesh room and the direct connection between their clients.
///
/// Everybody in the room sees it (event `pair`, snapshot, REST): both ends know from it what each has to do, and which way
/// they hear each other.
package struct MeshPair: Hashable, Sendable {
  /// The progress of a direct connection.
  package enum State: String, Hashable, Sendable, CaseIterable {
    /// Descriptions are exchanged, or the path is being looked for.
    case connecting
    /// Both ends have said that their path stands.
    case connected
    /// One end has lost the path: a restart is under way.
    case lost
    /// Given up: this pair stays connected through the service until one of them enters the mesh again.
    case failed
  }

  /// Which way two musicians hear each other.
  package enum Route: String, Hashable, Sendable, CaseIterable {
    case direct
    /// Through the service, as in a routed room.
    case routed
  }

  /// Counts up within the room. A musician who enters again has new pairs, and messages of an older one are refused.
  package var number: Int
  /// The musician present first, and so the end that makes every offer of the pair, restarts included.
  package var offers: ParticipantID
  /// The newcomer, who only answers.
  package var answers: ParticipantID
  package var state: State
  /// Counts the offers that are due: 0 the first one, then restarts. The offering end makes an offer whenever it rises.
  package var attempt: Int
  /// True while a moderator has silenced one of them.
  package var hasMuted = false

  package init(number: Int, offers: ParticipantID, answers: ParticipantID, state: State = .connecting, attempt: Int = 0)
  {
    (self.number, self.offers, self.answers) = (number, offers, answers)
    (self.state, self.attempt) = (state, attempt)
  }

  /// Both ends listen this way: to each other once the path stands; to the service before, whenever it does not, and
  /// while it has to keep one of them silent.
  package var route: Route { state == .connected && !hasMuted ? .direct : .routed }

  package func joins(_ one: ParticipantID, _ other: ParticipantID) -> Bool { has(one) && has(other) && one != other }

  package func has(_ participant: ParticipantID) -> Bool { offers == participant || answers == participant }

  package func other(than participant: ParticipantID) -> ParticipantID { participant == offers ? answers : offers }
}
