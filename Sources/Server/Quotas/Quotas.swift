import Machines
import Music
import NIOCore
import Recording
import Rooms
import Signaling
import Synchronization

/// Counts the work that clients begin, and refuses what is over the limits of the table.
final class Quotas: Sendable {
  typealias Parties = [QuotaScope: String]

  /// A limit that was reached.
  struct Reached: Hashable, Sendable {
    var work: MeteredWork
    var scope: QuotaScope
  }

  private struct State {
    var book: QuotaBook<MeteredWork, QuotaScope>
    var refusals: [Reached: Int] = [:]
  }

  let table: QuotaTable
  /// Their connections are those of many clients.
  private let proxies: TrustedProxies
  /// Of the table's lines, for each kind of work.
  private let scopes: [MeteredWork: [QuotaScope]]
  private let state: Mutex<State>
  private let now: @Sendable () -> MonotonicTime

  init(
    _ table: QuotaTable, proxies: TrustedProxies = .none,
    now: @escaping @Sendable () -> MonotonicTime = { MonotonicClock.now }
  ) {
    self.table = table
    self.proxies = proxies
    self.now = now
    scopes = Dictionary(grouping: table.lines, by: \.work).mapValues { $0.map(\.scope) }
    state = Mutex(State(book: QuotaBook(table.lines)))
  }

  /// False if the table has no line for any of the parties: there is nothing to count.
  private func isLimited(_ work: MeteredWork, by parties: Parties) -> Bool {
    scopes[work]?.contains { parties[$0] != nil } ?? false
  }

  /// Counts work that begins now.
  /// - Throws: `RoomRefusal` `.rateLimited`, with the time to try again.
  func begin(_ work: MeteredWork, _ caller: Caller, room: RoomName? = nil) throws(RoomRefusal) {
    try begin(work, caller.parties(room: room), isPrivileged: caller.isPrivileged)
  }

  /// True if work could begin now; counts nothing.
  func permits(_ work: MeteredWork, _ caller: Caller) -> Bool {
    let parties = caller.parties(room: nil)
    guard isLimited(work, by: parties) else { return true }
    let now = now()
    return state.withLock {
      $0.book.refusal(of: work, by: parties, isPrivileged: caller.isPrivileged, at: now) == nil
    }
  }

  /// Counts work that begins now; false if it is over a limit, and then neither it nor the refusal is counted.
  func beginIfPermitted(_ work: MeteredWork, _ caller: Caller) -> Bool {
    let parties = caller.parties(room: nil)
    guard isLimited(work, by: parties) else { return true }
    let now = now()
    return state.withLock {
      $0.book.begin(work, by: parties, isPrivileged: caller.isPrivileged, at: now) == .admitted
    }
  }

  /// Counts work that begins now and goes on until the hold is released.
  /// - Throws: `RoomRefusal` `.rateLimited`, with the time to try again.
  func hold(_ work: MeteredWork, _ caller: Caller, room: RoomName? = nil) throws(RoomRefusal) -> QuotaHold {
    let parties = caller.parties(room: room)
    try begin(work, parties, isPrivileged: caller.isPrivileged)
    return QuotaHold { [self] in state.withLock { $0.book.end(work, by: parties) } }
  }

  /// Counts a connection until its channel closes; false if its address has too many.
  func admit(_ channel: any Channel) -> Bool {
    guard !proxies.contains(channel) else { return true }
    guard let hold = try? connect(from: ClientAddress(channel)) else { return false }
    channel.closeFuture.whenComplete { _ in hold.release() }
    return true
  }

  /// Counts a connection, which has proved nothing yet.
  /// - Throws: `RoomRefusal` `.rateLimited`.
  func connect(from address: ClientAddress?) throws(RoomRefusal) -> QuotaHold {
    try hold(.connection, Caller(address: address, credential: .open))
  }

  /// Counts a wrong secret from `address`.
  /// - Throws: `RoomRefusal` `.rateLimited` if there were too many.
  func countWrongSecret(from address: ClientAddress?) throws(RoomRefusal) {
    try begin(.wrongSecret, [.address: address?.party ?? ""], isPrivileged: false)
  }

  /// Counts a secret from `address` that nobody has proved yet; free unless there were too many wrong ones.
  /// - Throws: `RoomRefusal` `.rateLimited` if it is not even to be looked at.
  func countUnknownSecret(from address: ClientAddress?) throws(RoomRefusal) {
    guard countsUnknownSecrets(from: address) else { return }
    try begin(.guess, [.address: address?.party ?? ""], isPrivileged: false)
  }

  /// True if there were too many wrong secrets from `address`.
  func countsUnknownSecrets(from address: ClientAddress?) -> Bool {
    let now = now()
    return state.withLock { $0.book.refusal(of: .wrongSecret, by: [.address: address?.party ?? ""], at: now) != nil }
  }

  private func begin(_ work: MeteredWork, _ parties: Parties, isPrivileged: Bool) throws(RoomRefusal) {
    guard isLimited(work, by: parties) else { return }
    let now = now()
    let verdict = state.withLock { state in
      let verdict = state.book.begin(work, by: parties, isPrivileged: isPrivileged, at: now)
      if case .refused(let scope, _) = verdict { state.refusals[Reached(work: work, scope: scope), default: 0] += 1 }
      return verdict
    }
    guard case .refused(let scope, let wait) = verdict else { return }
    // Rounded up: nobody comes back too early.
    let seconds = max(1, Int((wait.nanoseconds &+ 999_999_999) / 1_000_000_000))
    throw RoomRefusal(
      .rateLimited, table.sentence(work, per: scope, retryAfter: seconds), retryAfter: seconds)
  }

  /// In the text format of Prometheus; the labels are those of the table.
  func metricLines() -> [String] {
    let refusals = state.withLock { $0.refusals }
    func labels(_ line: QuotaTable.Line) -> String {
      "{work=\"\(line.work.rawValue)\",scope=\"\(line.scope.rawValue)\"}"
    }
    var lines = ["# TYPE jamjar_quota_limit gauge"]
    for line in table.lines {
      let figure =
        switch line.measure {
        case .rate(let count, _), .held(let count, _): count
        }
      lines.append("jamjar_quota_limit\(labels(line)) \(figure)")
    }
    lines.append("# TYPE jamjar_quota_refusals_total counter")
    for line in table.lines {
      let count = refusals[Reached(work: line.work, scope: line.scope), default: 0]
      lines.append("jamjar_quota_refusals_total\(labels(line)) \(count)")
    }
    return lines
  }
}

/// Work that goes on: counts until it is released, at the latest when nothing refers to it any more.
final class QuotaHold: Sendable {
  private let end: Mutex<(@Sendable () -> Void)?>

  fileprivate init(_ end: @escaping @Sendable () -> Void) {
    self.end = Mutex(end)
  }

  deinit { release() }

  func release() {
    let end = end.withLock { end in
      defer { end = nil }
      return end
    }
    end?()
  }
}

/// A client with what it has proved, as quotas see it.
struct Caller: Hashable, Sendable {
  var address: ClientAddress?
  var credential: Credential

  /// The parties that its work counts for.
  func parties(room: RoomName?) -> Quotas.Parties {
    // The operator's own work is limited by the service alone.
    var parties: Quotas.Parties = [.service: ""]
    guard credential != .key else { return parties }
    if let address, !address.isLoopback { parties[.address] = address.party }
    if case .token(let print) = credential {
      parties[.credential] = room.map { "\(print) \($0)" } ?? print
      if let room { parties[.room] = room.description }
    }
    return parties
  }

  /// True if the reserves are open to it. An open service has no operator to keep a reserve for.
  var isPrivileged: Bool { credential == .key || credential == .open }
}

/// What a client has proved.
enum Credential: Hashable, Sendable {
  /// The service has no keys, so there is nothing to prove.
  case open
  /// An API key: the operator.
  case key
  /// A join token, by a fingerprint that is only good in this process.
  case token(String)

  /// - Parameter shown: a valid join token.
  init(token shown: String) {
    var hasher = Hasher()
    hasher.combine(shown)
    self = .token(String(hasher.finalize(), radix: 36))
  }
}
