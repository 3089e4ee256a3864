import Machines

/// Keeps a client's link alive, and notices a server that does not answer.
struct LinkWatch: Sendable {
  /// Time for the server to answer.
  static let patience = MonotonicTime.Span.seconds(12)
  /// Interval between signs of life; Janus forgets a silent session after 60 s.
  static let interval = MonotonicTime.Span.seconds(20)

  private(set) var nextSign: MonotonicTime?
  /// By when the server must have said something; nil while nothing is awaited.
  private(set) var answerDue: MonotonicTime?

  var deadline: MonotonicTime? {
    guard let nextSign else { return answerDue }
    return min(nextSign, answerDue ?? nextSign)
  }

  /// Notes that something was sent that the server has to answer.
  mutating func asked(at now: MonotonicTime) {
    answerDue = answerDue ?? now + LinkWatch.patience
    nextSign = now + LinkWatch.interval
  }

  /// Notes a sign of life that no text answers.
  mutating func signed(at now: MonotonicTime) { nextSign = now + LinkWatch.interval }

  /// Notes that the server has said something.
  mutating func heard(at now: MonotonicTime) {
    answerDue = nil
    nextSign = nextSign ?? now + LinkWatch.interval
  }

  /// True if a sign of life is due; the caller sends it and calls `asked`.
  func isSignDue(at now: MonotonicTime) -> Bool { nextSign.map { $0 <= now } ?? false }

  /// True if the server has kept silent for too long.
  func isSilent(at now: MonotonicTime) -> Bool { answerDue.map { $0 <= now } ?? false }
}

extension GuestFault {
  static let silent = GuestFault(
    .lost, "the server has not answered for \(Int(LinkWatch.patience.seconds)) s")
}
