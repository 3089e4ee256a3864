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
