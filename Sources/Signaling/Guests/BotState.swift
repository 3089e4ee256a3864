import Machines

/// What a bot is doing: the words of Pectin's state line (pectin-xirsys.md, section 1.1), for REST, events and people.
package enum BotState: String, Hashable, Sendable, CaseIterable, Codable {
  /// The bot waits for its time.
  case ready
  /// It connects to the other server.
  case joining
  /// It is in the room, and nobody is heard.
  case waiting
  /// Somebody is heard, and no media connection is up yet.
  case connecting
  /// At least one musician's packets arrive.
  case recording
  /// The other server or the network is gone; the bot comes back by itself.
  case rejoining
  /// The room there, or ours here, has no place.
  case full
  /// The bot has been sent away and says goodbye.
  case leaving
  /// It has left and does not come back.
  case ended
}

/// When a bot tries again: quickly after a loss, seldom after a refusal, and never in step with others.
package struct BotPace: Sendable {
  /// Longest pause after the loss of a server, in seconds.
  package static let longestLoss = 30.0
  /// Pause while there is no place.
  package static let full = 15.0
  /// First and longest pause after a refusal, which seldom changes.
  package static let firstRefusal = 30.0
  package static let longestRefusal = 600.0
  /// A visit of this length counts as a success: the next attempt is quick again.
  package static let success = MonotonicTime.Span.seconds(60)

  private var losses = 0
  private var refusals = 0

  package init() {}

  /// Notes that a visit lasted.
  package mutating func succeeded() { (losses, refusals) = (0, 0) }

  /// The pause before the next attempt, in seconds.
  /// - Parameter chance: 0 to 1, spreads attempts by a quarter.
  package mutating func pause(after fault: GuestFault.Kind, chance: Double) -> Double {
    let spread = 0.75 + 0.5 * min(max(chance, 0), 1)
    switch fault {
    case .left: return 0
    case .full: return BotPace.full * spread
    case .lost, .empty:
      losses = min(losses &+ 1, 8)
      return min(BotPace.power(losses), BotPace.longestLoss) * spread
    case .refused, .nonsense:
      refusals = min(refusals &+ 1, 8)
      return min(BotPace.firstRefusal * BotPace.power(refusals), BotPace.longestRefusal) * spread
    }
  }

  /// 1, 2, 4, 8 …
  private static func power(_ count: Int) -> Double { Double(1 << min(max(count &- 1, 0), 16)) }
}
