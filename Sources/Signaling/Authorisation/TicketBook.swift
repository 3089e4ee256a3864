import Machines

/// The tickets that a door gives out: each for one client, for one use, for a short time.
///
/// The book's owner makes the tokens, at random. The memory is bounded, and nobody's ticket goes because somebody
/// else wants many: a full address loses its own ticket that would expire first, and a full book the first of all.
package struct TicketBook<Holder: Sendable>: Sendable {
  package enum Verdict: Sendable {
    /// The ticket was good, and is used up.
    case admitted(Holder)
    /// Nobody got this token, or it was used, or had to make room.
    case unknown
    case expired
    /// It is another's, and stays good for that one.
    case foreign

    package var holder: Holder? {
      if case .admitted(let holder) = self { holder } else { nil }
    }
  }

  private struct Ticket: Sendable {
    var holder: Holder
    /// Of the client that got it.
    var address: String?
    var expiry: MonotonicTime
    /// In the order of issue.
    var number: UInt64
  }

  /// Longest time that a client can wish for, in seconds.
  package static var longest: Int { 600 }

  private let most: Int
  private let mostOfAddress: Int
  private var tickets: [String: Ticket] = [:]
  private var last: UInt64 = 0

  /// - Parameters:
  ///   - most: most unused tickets at a time.
  ///   - mostOfAddress: the same of one address.
  package init(most: Int = 4_096, mostOfAddress: Int = 256) {
    self.most = most
    self.mostOfAddress = mostOfAddress
  }

  /// Number of tickets remembered.
  package var count: Int { tickets.count }

  /// - Parameters:
  ///   - token: new, and impossible to guess.
  ///   - seconds: the wished time to come; at least 1, at most `longest`.
  ///   - address: of the client.
  package mutating func issue(
    _ token: String, to holder: Holder, for seconds: Int, from address: String? = nil, at now: MonotonicTime
  ) {
    if tickets.count >= min(most, mostOfAddress) { makeRoom(for: address, at: now) }
    last &+= 1
    let life = min(max(seconds, 1), TicketBook.longest)
    tickets[token] = Ticket(
      holder: holder, address: address, expiry: now + .seconds(Int64(life)), number: last)
  }

  private mutating func makeRoom(for address: String?, at now: MonotonicTime) {
    tickets = tickets.filter { $0.value.expiry > now }
    let own = tickets.filter { $0.value.address == address }
    if own.count >= mostOfAddress {
      removeFirst(of: own)
    } else if tickets.count >= most {
      removeFirst(of: tickets)
    }
  }

  private mutating func removeFirst(of candidates: [String: Ticket]) {
    let first = candidates.min { ($0.value.expiry, $0.value.number) < ($1.value.expiry, $1.value.number) }
    if let first { tickets[first.key] = nil }
  }

  /// Uses a ticket up.
  /// - Parameter isRight: whether the client that shows it is the one that got it.
  package mutating func redeem(
    _ token: String, at now: MonotonicTime, if isRight: (Holder) -> Bool = { _ in true }
  ) -> Verdict {
    guard let ticket = tickets[token] else { return .unknown }
    guard ticket.expiry > now else {
      tickets[token] = nil
      return .expired
    }
    guard isRight(ticket.holder) else { return .foreign }
    tickets[token] = nil
    return .admitted(ticket.holder)
  }

  /// The client of a ticket that is still good; does not use it up.
  package func holder(of token: String, at now: MonotonicTime) -> Holder? {
    tickets[token].flatMap { $0.expiry > now ? $0.holder : nil }
  }
}
