import Music

/// Decides when a delivery is retried and when it is given up.
///
/// Pauses double from 5 seconds up to an hour, each randomly up to a quarter shorter or longer; after 24 hours a
/// delivery is given up. A client error (4xx) rarely goes away: it gets five attempts, so that one rejected event does
/// not delay the others.
struct WebhookSchedule: Hashable, Sendable {
  var firstPause = 5.0
  static let longestPause = 3_600.0
  /// Counted from the event.
  static let lifetime = Duration.seconds(86_400)
  static let attemptsAfterRefusal = 5

  /// The next step.
  enum Decision: Hashable, Sendable {
    case done
    /// Try again, at that time.
    case retry(WallTime)
    case giveUp
    /// No more deliveries to this endpoint until the service restarts.
    case end
  }

  /// - Parameters:
  ///   - attempts: number of attempts including this one.
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
      // Too slow, too early, too many: these are temporary.
      let stays = ![408, 425, 429].contains(status) && (400..<500).contains(status)
      if stays, attempts >= WebhookSchedule.attemptsAfterRefusal { return .giveUp }
    case .failed: break
    }
    let pause = max(self.pause(after: attempts, chance: chance), min(WebhookSchedule.longestPause, Double(asked ?? 0)))
    let next = now + .seconds(pause)
    guard next - created <= WebhookSchedule.lifetime else { return .giveUp }
    return .retry(next)
  }

  /// The remaining wait of a delivery, at most the longest pause: a clock that was briefly wrong may have given it a
  /// time in another century, and all others wait behind it.
  static func wait(until due: WallTime, at now: WallTime) -> Duration {
    min(max(.zero, due - now), .seconds(longestPause * 1.25))
  }

  /// The pause after `attempts` attempts, in seconds.
  func pause(after attempts: Int, chance: Double) -> Double {
    // 2^10 already exceeds the longest pause.
    let doubled = firstPause * Double(1 << min(10, max(0, attempts - 1)))
    return min(WebhookSchedule.longestPause, doubled) * (0.75 + 0.5 * min(1, max(0, chance)))
  }
}

/// The result of one attempt to deliver.
enum WebhookOutcome: Hashable, Sendable {
  /// Answered by 2xx.
  case delivered
  /// Answered by another status; `retryAfter` is the requested pause in seconds.
  case answered(status: Int, retryAfter: Int?)
  /// Answered by 410: the receiver wants no more events.
  case gone
  /// No response, for the given reason.
  case failed(String)

  /// A word for logs.
  var reason: String {
    switch self {
    case .delivered: "delivered"
    case .gone: "410, the receiver wants no more events"
    case .answered(let status, _) where (300..<400).contains(status): "\(status), and redirects are not followed"
    case .answered(let status, _): "\(status)"
    case .failed(let reason): reason
    }
  }
}
