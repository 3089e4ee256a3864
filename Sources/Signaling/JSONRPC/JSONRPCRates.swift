import Machines

/// How many requests one session of a JSON-RPC dialect may send. Those beyond are refused by an error under their
/// identifiers, and the link stays.
package struct JSONRPCRates: Hashable, Sendable {
  package struct Rate: Hashable, Sendable {
    package var perSecond: Int
    /// Most at once.
    package var burst: Int

    package init(perSecond: Int, burst: Int) {
      self.perSecond = perSecond
      self.burst = burst
    }
  }

  /// Everything but candidates.
  package var requests: Rate
  /// Candidates come by the dozen for every connection, and cost little.
  package var candidates: Rate

  package init(requests: Rate, candidates: Rate) {
    self.requests = requests
    self.candidates = candidates
  }
}

/// Counts the requests of one session.
struct JSONRPCMeter {
  /// Longest text that can be a candidate, in bytes. A longer one counts before it is parsed, which costs more than what
  /// it asks for.
  static let candidateBytes = 4_096

  private let rates: JSONRPCRates
  private var requests: RateLimit
  private var candidates: RateLimit

  init(_ rates: JSONRPCRates) {
    self.rates = rates
    requests = RateLimit(perSecond: rates.requests.perSecond, burst: rates.requests.burst)
    candidates = RateLimit(perSecond: rates.candidates.perSecond, burst: rates.candidates.burst)
  }

  /// Counts a request; returns the error if there were too many.
  mutating func refusal(isCandidate: Bool, at now: MonotonicTime) -> JSONRPCError? {
    let isAdmitted = isCandidate ? candidates.admit(at: now) : requests.admit(at: now)
    guard !isAdmitted else { return nil }
    let rate = isCandidate ? rates.candidates : rates.requests
    return JSONRPCError(
      code: JSONRPCError.serverError,
      "more than \(rate.perSecond) \(isCandidate ? "candidates" : "requests") a second (and \(rate.burst) at once); "
        + "send this again in a moment")
  }
}
