import Logging
import Machines
import NIOCore
import Recording
import Rooms
import Synchronization

/// The places for connections that all listeners of the service share, so that descriptors are left for what is recorded.
final class ConnectionPlaces: Sendable {
  typealias ID = ObjectIdentifier

  /// What has happened since the start.
  struct Counts {
    var closedIdle = 0
    /// Times that all places were taken by connections in use, and new ones had to wait.
    var pauses = 0
    /// Times that the system had no descriptor for a connection.
    var failures = 0
  }

  private struct State {
    var book: PlaceBook<ID>
    var channels: [ID: any Channel] = [:]
    var gates: [ID: @Sendable () -> Void] = [:]
    var counts = Counts()
    /// When each line was said last.
    var said: [String: MonotonicTime] = [:]
  }

  /// A line is not said again for so long.
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

  /// Counts a connection until its channel closes; the one that was idle longest goes for it where there is no place.
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

  /// The connection is in use: nobody takes its place.
  func begin(_ channel: any Channel) { state.withLock { $0.book.begin(ObjectIdentifier(channel)) } }

  /// It is not any more.
  func rest(_ channel: any Channel) {
    let wakes = state.withLock { state in
      state.book.rest(ObjectIdentifier(channel))
      return state.book.count >= limit ? Array(state.gates.values) : []
    }
    for wake in wakes { wake() }
  }

  // MARK: Gates

  /// Has a listener woken when somebody may come in again.
  func add(_ gate: ID, wake: @escaping @Sendable () -> Void) { state.withLock { $0.gates[gate] = wake } }
  func remove(_ gate: ID) { state.withLock { $0.gates[gate] = nil } }

  /// A listener accepts nobody until a place is free.
  func paused() {
    let isLong = state.withLock { state in
      // Else it is a matter of the moment that a close needs.
      guard !state.book.isLeaving else { return false }
      state.counts.pauses += 1
      return true
    }
    if isLong { say("all connections that there are descriptors for are in use; others wait", [:]) }
  }

  /// The system has no descriptor for a connection; one that is idle goes.
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
