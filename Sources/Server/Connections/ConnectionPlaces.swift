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

  /// Minimum interval between repetitions of a log line.
  private static let lineInterval = MonotonicTime.Span.seconds(60)

  let limit: Int
  private let state: Mutex<State>
  private let logger: Logger

  init(limit: Int, logger: Logger) {
    self.limit = limit
    self.logger = logger
    state = Mutex(State(book: PlaceBook(limit: limit)))
  }

  var isOpen: Bool { state.withLock { $0.book.isOpen } }
  var count: Int { state.withLock { $0.book.count } }
  var counts: Counts { state.withLock { $0.counts } }

  /// Counts a connection until its channel closes; if there is no place, the longest idle connection is closed.
  func enter(_ channel: any Channel) {
    let id = ObjectIdentifier(channel)
    let leaving = state.withLock { state in
      let oldest = state.book.enter(id)
      state.channels[id] = channel
      if oldest != nil { state.counts.closedIdle += 1 }
      return oldest.flatMap { state.channels[$0] }
    }
    channel.closeFuture.whenComplete { [self] _ in leave(id) }
    guard let leaving else { return }
    leaving.close(promise: nil)
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

  /// Marks the connection as in use: it keeps its place.
  func begin(_ channel: any Channel) { state.withLock { $0.book.begin(ObjectIdentifier(channel)) } }

  /// Marks the connection as idle.
  func rest(_ channel: any Channel) {
    let wakes = state.withLock { state in
      state.book.rest(ObjectIdentifier(channel))
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
