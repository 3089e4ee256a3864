import NIOCore
import Synchronization

/// Counts connections by address, so that no address takes all of them.
final class ConnectionCensus: Sendable {
  private let limit: Int
  private let counts = Mutex<[String: Int]>([:])

  init(limit: Int) {
    self.limit = limit
  }

  /// Counts a connection until its channel closes; false if its address has too many.
  ///
  /// Loopback is not counted: all clients of a proxy, and all tests, share that address.
  func admit(_ channel: any Channel) -> Bool {
    guard let client = ClientAddress(channel), !client.isLoopback else { return true }
    let address = client.party
    let admitted = counts.withLock { counts in
      let count = counts[address, default: 0]
      guard count < limit else { return false }
      counts[address] = count + 1
      return true
    }
    if admitted {
      channel.closeFuture.whenComplete { [self] _ in leave(address) }
    }
    return admitted
  }

  private func leave(_ address: String) {
    counts.withLock { counts in
      guard let count = counts[address] else { return }
      counts[address] = count > 1 ? count - 1 : nil
    }
  }
}
