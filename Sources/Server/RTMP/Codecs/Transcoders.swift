import Signaling
import Synchronization

/// The places for codec workers: each costs a process and a share of a processor, so neither one client nor all together
/// may have any number.
final class Transcoders: Sendable {
  /// Present and past use.
  struct Counts: Hashable, Sendable {
    var running = 0
    /// Streams that found no place.
    var refused = 0
  }

  let limit: Int
  /// The service's own executable, which the workers run; nil has them work in this process.
  let program: String?
  private let limitPerConnection: Int
  private let counts = Mutex(Counts())

  init(limit: Int, perConnection: Int, program: String? = nil) {
    self.program = program
    (self.limit, limitPerConnection) = (limit, perConnection)
  }

  var current: Counts { counts.withLock { $0 } }

  /// The share of one connection.
  func share() -> Share { Share(of: self) }

  /// Takes a place, for one worker at a time.
  /// - Throws: `RTMPCallError` with the reason for the client if there is none.
  func enter() throws(RTMPCallError) {
    let isFree = counts.withLock { counts in
      guard counts.running < limit else {
        counts.refused += 1
        return false
      }
      counts.running += 1
      return true
    }
    guard !isFree else { return }
    throw RTMPCallError(
      .invocationException,
      "\(limit) streams are converted to or from other codecs, the most of this service; use Opus, or try again later")
  }

  /// Gives a place up.
  func leave() { counts.withLock { $0.running -= 1 } }

  /// What one connection has converted. All is given up by those who took it.
  final class Share: Sendable {
    private let transcoders: Transcoders
    private let running = Mutex(0)

    var program: String? { transcoders.program }

    fileprivate init(of transcoders: Transcoders) {
      self.transcoders = transcoders
    }

    /// Takes a place of the connection, for a stream that is converted by itself or with others.
    /// - Throws: `RTMPCallError` with the reason for the client if there is none.
    func enter() throws(RTMPCallError) {
      let limit = transcoders.limitPerConnection
      let isOwn = running.withLock { running in
        guard running < limit else { return false }
        running += 1
        return true
      }
      guard !isOwn else { return }
      transcoders.counts.withLock { $0.refused += 1 }
      throw RTMPCallError(
        .invocationException,
        "\(limit) streams of this connection are converted to or from other codecs, the most that one may have; use Opus"
      )
    }

    /// Gives a place of the connection up.
    func leave() { running.withLock { $0 -= 1 } }

    /// Takes a place of the connection and one of the service, for a worker of its own.
    /// - Throws: as `enter`.
    func enterWithWorker() throws(RTMPCallError) {
      try enter()
      do {
        try transcoders.enter()
      } catch {
        leave()
        throw error
      }
    }

    /// Gives both places up.
    func leaveWithWorker() {
      transcoders.leave()
      leave()
    }
  }
}
