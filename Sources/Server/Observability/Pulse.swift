import NIOCore
import NIOPosix
import Rooms

/// Whether the service works, as far as its own threads show it.
package enum Pulse {
  /// Returns once every thread that carries packets, live mixes, requests or links has responded; called again and again
  /// for a watchdog. Does not return while one of them hangs.
  /// - Throws: `EventLoopError` if the threads of HTTP have ended.
  package static func take(of broker: Broker) async throws {
    await broker.respond()
    for loop in Array(MultiThreadedEventLoopGroup.singleton.makeIterator()) { try await loop.submit {}.get() }
  }
}
