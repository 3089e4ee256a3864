import Logging
import Machines
import NIOCore
import Recording
import Rooms
import Synchronization

/// The places for connections, shared by all listeners of the service, so that descriptors remain for recording.
final class ConnectionPlaces: Sendable {
  typealias ID = ObjectIdentifier

  /// Counts since the start.
  struct Counts {
    var closedIdle = 0
    /// Connections closed because their address had many that had proved nothing.
    var closedStrangers = 0
    /// How often all places were taken by connections in use and new ones had to wait.
    var pauses = 0
    /// How often the system had no descriptor for a connection.
    var failures = 0
  }

  private struct State {
    var book: PlaceBook<ID>
    var channels: [ID: any Channel] = [:]
    var gates: [ID: @Sendable () -> Void] = [:]
    var counts = Counts()
    /// Last time of each log line.
    var said: [String: MonotonicTime] = [:]
  }

  /// Fraction (one nth) of the places that one join token keeps at most, that loopback (a proxy) may use without having
  /// proved anything, and that all tokens together leave to the operator.
  private static let (partyShare, proxyShare, reserveShare) = (4, 2, 16)
  /// Least numbers of these, however few places there are.
  private static let (leastForParty, leastForStrangers, leastReserve) = (6, 4, 2)

  /// How long a new connection keeps its place in any case. Without this, one of a hundred that come at once is closed
  /// before its request is read, and its client sees a reset.
  private static let hearing = TimeAmount.milliseconds(100)

  /// Minimum interval between repetitions of a log line.
  private static let lineInterval = MonotonicTime.Span.seconds(60)

  let limit: Int
  /// Whether connections have to prove a right to keep their places: the service has keys.
  private let needsProof: Bool
  /// Most connections of one address that have proved nothing.
  private let strangersPerAddress: Int
  /// Their connections are those of many clients.
  private let proxies: TrustedProxies
  private let state: Mutex<State>
  private let logger: Logger

  init(limit: Int, needsProof: Bool, strangersPerAddress: Int, proxies: TrustedProxies = .none, logger: Logger) {
    self.limit = limit
    self.proxies = proxies
    self.needsProof = needsProof
    self.strangersPerAddress = max(
      ConnectionPlaces.leastForStrangers, min(strangersPerAddress, limit / ConnectionPlaces.proxyShare))
    self.logger = logger
    let shares = PlaceBook<ID>.Shares(
      perParty: max(ConnectionPlaces.leastForParty, limit / ConnectionPlaces.partyShare),
      reserve: max(ConnectionPlaces.leastReserve, limit / ConnectionPlaces.reserveShare))
    state = Mutex(State(book: PlaceBook(limit: limit, shares: shares)))
  }

  var isOpen: Bool { state.withLock { $0.book.isOpen } }
  var count: Int { state.withLock { $0.book.count } }
  var counts: Counts { state.withLock { $0.counts } }

  /// Counts a connection until its channel closes. If there is no place, the one that needs its place least is closed;
  /// so is the oldest of an address that has proved nothing, if the address has many of them.
  func enter(_ channel: any Channel) {
    let id = ObjectIdentifier(channel)
    let address = ClientAddress(channel)
    let most =
      address?.isLoopback ?? true || proxies.contains(channel)
      ? max(ConnectionPlaces.leastForStrangers, limit / ConnectionPlaces.proxyShare) : strangersPerAddress
    let leaving = state.withLock { state in
      let isFull = state.book.count >= limit
      let oldest = state.book.enter(
        id, from: address?.party, most: most, owner: needsProof ? .nobody : .trusted, isHeard: false)
      state.channels[id] = channel
      if oldest != nil { if isFull { state.counts.closedIdle += 1 } else { state.counts.closedStrangers += 1 } }
      return oldest.flatMap { state.channels[$0] }
    }
    let hearing = channel.eventLoop.scheduleTask(in: ConnectionPlaces.hearing) { [self] in
      change { $0.hear(id) }
    }
    channel.closeFuture.whenComplete { [self] _ in
      hearing.cancel()
      leave(id)
    }
    guard let leaving else { return }
    leaving.close(promise: nil)
    guard count >= limit else {
      return say("an address has many connections without a key or token; its oldest go for new ones", [:])
    }
    say("all connections that there are descriptors for are taken; those that are idle go for new ones", [:])
  }

  private func leave(_ id: ID) {
    let wakes = state.withLock { state in
      state.book.leave(id)
      state.channels[id] = nil
      return Array(state.gates.values)
    }
    for wake in wakes { wake() }
  }

  /// Marks the connection's client as entitled to be here, so that it keeps its place while in use.
  func prove(_ channel: any Channel, as credential: Credential) {
    let owner: PlaceBook<ID>.Owner =
      switch credential {
      case .open, .key: .trusted
      case .token(let print): .party(print)
      }
    state.withLock { $0.book.prove(ObjectIdentifier(channel), by: owner) }
  }

  /// True if the connection's client has proved its right to be here, or need not.
  func isProven(_ channel: any Channel) -> Bool {
    !needsProof || state.withLock { $0.book.isProven(ObjectIdentifier(channel)) }
  }

  /// Marks the connection as in use: it keeps its place, if its client has proved its right to it.
  func begin(_ channel: any Channel) { state.withLock { $0.book.begin(ObjectIdentifier(channel)) } }

  /// Marks the connection as idle.
  func rest(_ channel: any Channel) { change { $0.rest(ObjectIdentifier(channel)) } }

  /// Changes the book, and wakes the listeners if all places are taken: one may be for them now.
  private func change(_ change: (inout PlaceBook<ID>) -> Void) {
    let wakes = state.withLock { state in
      change(&state.book)
      return state.book.count >= limit ? Array(state.gates.values) : []
    }
    for wake in wakes { wake() }
  }

  // MARK: Gates

  /// Wakes a listener when it may accept again.
  func add(_ gate: ID, wake: @escaping @Sendable () -> Void) { state.withLock { $0.gates[gate] = wake } }
  func remove(_ gate: ID) { state.withLock { $0.gates[gate] = nil } }

  /// Pauses a listener until a place is free.
  func paused() {
    let isLong = state.withLock { state in
      // Otherwise a close is already under way and takes only a moment.
      guard !state.book.isLeaving else { return false }
      state.counts.pauses += 1
      return true
    }
    if isLong { say("all connections that there are descriptors for are in use; others wait", [:]) }
  }

  /// Closes an idle connection because the system has no descriptor left.
  func failed(_ error: IOError) {
    let leaving = state.withLock { state in
      state.counts.failures += 1
      let oldest = state.book.makeRoom()
      if oldest != nil { state.counts.closedIdle += 1 }
      return oldest.flatMap { state.channels[$0] }
    }
    leaving?.close(promise: nil)
    say("no connection can be taken; raise the limit of open files (ulimit -n)", ["error": "\(error)"])
  }

  private func say(_ line: String, _ metadata: Logger.Metadata) {
    let now = MonotonicClock.now
    let isDue = state.withLock { state in
      if let last = state.said[line], now - last < ConnectionPlaces.lineInterval { return false }
      state.said[line] = now
      return true
    }
    guard isDue else { return }
    logger.warning("\(line)", metadata: metadata.merging(["limit": "\(limit)"]) { first, _ in first })
  }
}
