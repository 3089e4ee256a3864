import Machines

/// Measures the round trip of an ICE path by Binding requests of its own (RFC 8445 section 7.2.2, RFC 8489).
///
/// Every ICE agent answers at once a request that is signed with its password, whatever its media does. So nothing rests on a claim
/// about holding something, as it does with RTCP; and no answer comes too early, since it repeats 96 random bits.
///
/// ```swift
/// var checks = PathChecks()
/// checks.start(at: now)
/// let request = checks.request(at: now, from: ours, to: theirs, isControlling: false, using: &random)
/// let roundTrip = checks.answer(datagram, arrival: arrival)
/// ```
package struct PathChecks: Sendable {
  /// The first requests follow each other quickly, so that a take's first seconds know the way.
  static let quickInterval = MonotonicTime.Span.milliseconds(100)
  static let quickCount = 20
  static let interval = MonotonicTime.Span.seconds(1)
  /// Requests whose answers are awaited; an older one is lost.
  private static let mostAwaited = 16
  /// Longest round trip, as of RTCP.
  private static let longest = MonotonicTime.Span.seconds(10)

  private struct Request: Sendable {
    var transaction: [UInt8]
    var key: [UInt8]
    var sent: MonotonicTime
  }

  private var awaited: [Request] = []
  private var sent = 0
  /// When the next request is due; nil while the path is down.
  package private(set) var deadline: MonotonicTime?

  package init() {}

  /// The path is up.
  package mutating func start(at now: MonotonicTime) {
    if deadline == nil { deadline = now }
  }

  /// The path is down: nothing is due until it is up again.
  package mutating func stop() { deadline = nil }

  /// The path has nothing to check now: the next request is due an interval later.
  package mutating func postpone(at now: MonotonicTime) {
    // in range: times saturate
    if deadline != nil { deadline = now + PathChecks.interval }
  }

  /// True while an answer may come.
  package var isAwaiting: Bool { !awaited.isEmpty }

  /// The next request if it is due, to be sent at once.
  ///
  /// - Parameters:
  ///   - isControlling: our role, which a request has to name.
  ///   - random: where the transaction comes from.
  package mutating func request(
    at now: MonotonicTime, from local: NegotiatedSession.ICECredentials, to remote: NegotiatedSession.ICECredentials,
    isControlling: Bool, using random: inout some RandomNumberGenerator
  ) -> [UInt8]? {
    guard let due = deadline, due <= now else { return nil }
    sent = min(sent &+ 1, PathChecks.quickCount)
    // in range: times saturate
    deadline = now + (sent < PathChecks.quickCount ? PathChecks.quickInterval : PathChecks.interval)
    var transaction: [UInt8] = []
    transaction.appendBigEndian32(random.next())
    transaction.appendBigEndian64(random.next())
    let key = Array(remote.password.utf8)
    awaited.append(Request(transaction: transaction, key: key, sent: now))
    if awaited.count > PathChecks.mostAwaited { awaited.removeFirst() }
    let user = "\(remote.usernameFragment):\(local.usernameFragment)"
    let message = STUNMessage(
      .bindingRequest, transaction: transaction,
      [
        .init(STUNMessage.AttributeKind.username, Array(user.utf8)),
        .init(STUNMessage.AttributeKind.priority, PathChecks.priority),
        PathChecks.role(isControlling: isControlling),
      ])
    return message.signed(with: key).fingerprinted().bytes
  }

  /// True for the beginning of a datagram that may be an answer to a request of ours.
  package func isAnswer(beginning bytes: [UInt8]) -> Bool {
    guard bytes.count >= STUNMessage.headerLength else { return false }
    let transaction = bytes[8..<STUNMessage.headerLength]
    return awaited.contains { $0.transaction.elementsEqual(transaction) }
  }

  /// Bytes of a datagram that `isAnswer` looks at.
  package static let beginning = STUNMessage.headerLength

  /// The round trip of a request of ours, by its answer; nil for anything else, and for an answer without the other end's signature.
  package mutating func answer(_ datagram: [UInt8], arrival: MonotonicTime) -> MonotonicTime.Span? {
    guard let message = try? STUNMessage(parsing: datagram),
      let index = awaited.firstIndex(where: { $0.transaction == message.transaction })
    else { return nil }
    let request = awaited[index]
    guard message.kind == .bindingSuccess, STUNMessage.isSigned(datagram, with: request.key) else { return nil }
    awaited.remove(at: index)
    // in range: times saturate
    let trip = arrival - request.sent
    return trip >= .zero && trip < PathChecks.longest ? trip : nil
  }

  /// That of a peer-reflexive candidate (RFC 8445 section 5.1.2.1), which nobody uses: the pair is known.
  private static let priority: [UInt8] = [0x6E, 0x7F, 0xFF, 0xFF]

  /// A role with a tie-breaker that never wins, so that a conflict changes nobody's role (RFC 8445 section 7.3.1.1).
  private static func role(isControlling: Bool) -> STUNMessage.Attribute {
    isControlling
      ? .init(STUNMessage.AttributeKind.iceControlling, [UInt8](repeating: 0, count: 8))
      : .init(STUNMessage.AttributeKind.iceControlled, [UInt8](repeating: 0xFF, count: 8))
  }
}
