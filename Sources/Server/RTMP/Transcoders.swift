import Signaling
import Synchronization

/// The places for child processes that convert AAC: each costs a process and a share of a processor, so neither one
/// client nor all together may have any number.
final class Transcoders: Sendable {
  /// Present and past use.
  struct Counts: Hashable, Sendable {
    var running = 0
    /// Streams that found no place.
    var refused = 0
  }

  let limit: Int
  private let limitPerConnection: Int
  private let counts = Mutex(Counts())

  init(limit: Int, perConnection: Int) {
    (self.limit, limitPerConnection) = (limit, perConnection)
  }

  var current: Counts { counts.withLock { $0 } }

  /// The share of one connection.
  func share() -> Share { Share(of: self) }

  /// The places that one connection holds. All are given up by those who took them.
  final class Share: Sendable {
    private let transcoders: Transcoders
    private let running = Mutex(0)

    fileprivate init(of transcoders: Transcoders) {
      self.transcoders = transcoders
    }

    /// Takes a place, for one child process at a time.
    /// - Throws: `RTMPCallError` with the reason for the client if there is none.
    func enter() throws(RTMPCallError) {
      let limit = transcoders.limitPerConnection
      let isOwn = running.withLock { running in
        guard running < limit else { return false }
        running += 1
        return true
      }
      guard isOwn else {
        transcoders.counts.withLock { $0.refused += 1 }
        throw RTMPCallError(
          .invocationException,
          "\(limit) streams of this connection are converted from or to AAC, the most that one may have; use Opus")
      }
      let isFree = transcoders.counts.withLock { counts in
        guard counts.running < transcoders.limit else {
          counts.refused += 1
          return false
        }
        counts.running += 1
        return true
      }
      guard !isFree else { return }
      running.withLock { $0 -= 1 }
      throw RTMPCallError(
        .invocationException,
        "\(transcoders.limit) streams are converted from or to AAC, the most of this service; use Opus, or try again "
          + "later")
    }

    /// Gives a place up.
    func leave() {
      running.withLock { $0 -= 1 }
      transcoders.counts.withLock { $0.running -= 1 }
    }
  }
}
