import Machines

/// The transactions of one client's socket, and of those that replace it: what was answered, what was not acknowledged.
struct RumorExchange: Sendable {
  /// How long a client that comes back may be silent: it pings every 5 s, and gives a silent service up after as long.
  static let patience = MonotonicTime.Span.milliseconds(9_900)
  /// How long a client that does not come back may be silent.
  static let longPatience = MonotonicTime.Span.milliseconds(49_900)
  /// Most answers that are kept for repeated requests.
  private static let mostAnswers = 512
  /// Most bytes of their payloads: an answer may be the state of a full session.
  private static let mostAnswerBytes = 1 << 18
  /// Most messages that wait for their acknowledgement, and their bytes.
  static let mostUnacknowledged = 1_024
  static let mostBytes = 1 << 20
  /// Longest transaction id, in bytes.
  static let longestID = 128

  /// True if the client acknowledges messages, and gets those again that it has not when it comes back.
  let acknowledges: Bool
  /// The answers by the transactions' ids; nil while an answer is not known.
  private var answers: [String: RumorFrame?] = [:]
  private var order: [String] = []
  private var answerBytes = 0
  private var unacknowledged: [RumorFrame] = []
  private var bytes = 0
  private var lastNumber: UInt64 = 0
  /// When the client was last heard on its present socket; nil without one.
  private(set) var lastHeard: MonotonicTime?

  init(acknowledges: Bool, at now: MonotonicTime) {
    self.acknowledges = acknowledges
    lastHeard = now
  }

  mutating func heard(at now: MonotonicTime) { lastHeard = now }

  mutating func unlink() { lastHeard = nil }

  /// When a silent client counts as gone.
  var deadline: MonotonicTime? {
    lastHeard.map { $0 + (acknowledges ? RumorExchange.patience : RumorExchange.longPatience) }
  }

  enum Arrival: Equatable {
    case new
    /// It was received before; the answer is given again if it is known.
    case repeated(RumorFrame?)
  }

  /// Notes a request of the client.
  mutating func arrived(_ transaction: String) -> Arrival {
    if let answer = answers[transaction] { return .repeated(answer) }
    if order.count >= RumorExchange.mostAnswers { forgetOldest() }
    order.append(transaction)
    answers[transaction] = .some(nil)
    return .new
  }

  /// Notes the answer to a request.
  mutating func answered(_ transaction: String, by frame: RumorFrame) {
    guard let former = answers[transaction] else { return }
    answers[transaction] = .some(frame)
    // in range: the bytes of what is kept
    answerBytes &+= frame.payload.utf8.count &- (former?.payload.utf8.count ?? 0)
    while answerBytes > RumorExchange.mostAnswerBytes, order.first != transaction { forgetOldest() }
  }

  private mutating func forgetOldest() {
    guard let oldest = order.first else { return }
    order.removeFirst()
    // in range: what was added
    if let answer = answers.removeValue(forKey: oldest) { answerBytes &-= answer?.payload.utf8.count ?? 0 }
  }

  /// An id for a message of ours.
  mutating func newTransaction() -> String {
    lastNumber &+= 1
    return "jamjar-\(lastNumber)"
  }

  /// Keeps a message until it is acknowledged; false if the client acknowledges too little.
  mutating func keep(_ frame: RumorFrame) -> Bool {
    guard acknowledges else { return true }
    unacknowledged.append(frame)
    // in range: fewer bytes than memory
    bytes &+= frame.payload.utf8.count
    return unacknowledged.count <= RumorExchange.mostUnacknowledged && bytes <= RumorExchange.mostBytes
  }

  /// The client has received a message.
  mutating func acknowledged(_ transaction: String) {
    guard let index = unacknowledged.firstIndex(where: { $0[RumorHeader.transaction] == transaction }) else { return }
    // in range: what was added
    bytes &-= unacknowledged.remove(at: index).payload.utf8.count
  }

  /// What a client that has come back may not have received, in order.
  var missed: [RumorFrame] { unacknowledged }
}
