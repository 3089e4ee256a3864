import Music

/// When a delivery is tried again, and when it is given up.
///
/// Pauses double from 5 seconds up to an hour, each a quarter shorter or longer by chance; after 24 hours a delivery is
/// given up. What the receiver calls its sender's mistake (4xx) does not get better: five attempts, so that one event
/// that it cannot take does not hold up the others.
struct WebhookSchedule: Hashable, Sendable {
  var firstPause = 5.0
  static let longestPause = 3_600.0
  /// From the event on.
  static let lifetime = Duration.seconds(86_400)
  static let attemptsAfterRefusal = 5

  /// What to do next.
  enum Decision: Hashable, Sendable {
    case done
    /// Try again, at that time.
    case retry(WallTime)
    case giveUp
    /// Nothing more for this endpoint until the service is started again.
    case end
  }

  /// - Parameters:
  ///   - attempts: how many there were, this one included.
  ///   - chance: 0 to 1.
  func decide(
    after outcome: WebhookOutcome, attempts: Int, created: WallTime, now: WallTime, chance: Double
  ) -> Decision {
    var asked: Int?
    switch outcome {
    case .delivered: return .done
    case .gone: return .end
    case .answered(let status, let retryAfter):
      asked = retryAfter
      // Too slow, too early, too many: these pass.
      let stays = ![408, 425, 429].contains(status) && (400..<500).contains(status)
      if stays, attempts >= WebhookSchedule.attemptsAfterRefusal { return .giveUp }
    case .failed: break
    }
    let pause = max(self.pause(after: attempts, chance: chance), min(WebhookSchedule.longestPause, Double(asked ?? 0)))
    let next = now + .seconds(pause)
    guard next - created <= WebhookSchedule.lifetime else { return .giveUp }
    return .retry(next)
  }

  /// How long a delivery still waits: no longer than the longest pause. A clock that was set wrong for a moment has given
  /// it a time of another century, and all others wait behind it.
  static func wait(until due: WallTime, at now: WallTime) -> Duration {
    min(max(.zero, due - now), .seconds(longestPause * 1.25))
  }

  /// The pause after so many attempts, in seconds.
  func pause(after attempts: Int, chance: Double) -> Double {
    // 2^10 is beyond the longest pause already.
    let doubled = firstPause * Double(1 << min(10, max(0, attempts - 1)))
    return min(WebhookSchedule.longestPause, doubled) * (0.75 + 0.5 * min(1, max(0, chance)))
  }
}

/// What came of one attempt to deliver.
enum WebhookOutcome: Hashable, Sendable {
  /// Answered by 2xx.
  case delivered
  /// Answered by another status; `retryAfter` is what the answer asked for, in seconds.
  case answered(status: Int, retryAfter: Int?)
  /// Answered by 410: nothing more is wanted.
  case gone
  /// No answer, for the reason that is given.
  case failed(String)

  /// A word for logs.
  var reason: String {
    switch self {
    case .delivered: "delivered"
    case .gone: "410, nothing more is wanted"
    case .answered(let status, _) where (300..<400).contains(status): "\(status), and redirects are not followed"
    case .answered(let status, _): "\(status)"
    case .failed(let reason): reason
    }
  }
}
