import Library
import Recording
import Rooms
import ServiceLifecycle
import Synchronization

/// The links of SockJS by the session identifiers that their clients chose.
final class SockJSLinks: NamedService {
  private struct State {
    var links: [String: SockJSLink] = [:]
    var counts: [String: Int] = [:]
  }

  /// Interval between two checks of the time, in milliseconds.
  private static let interval: Int64 = 250
  /// Most links of one address other than loopback: they need no connections that would be counted.
  private static let mostPerAddress = 128

  private let limit: Int
  private let state = Mutex(State())

  init(limits: ServerLimits) {
    limit = limits.connections
  }

  var count: Int { state.withLock { $0.links.count } }

  /// The link of that identifier, once its session is there.
  func find(_ id: String) -> SockJSLink? {
    state.withLock { $0.links[id] }.flatMap { $0.hasSession ? $0 : nil }
  }

  /// The link of that identifier, or a new one for a client at `address`; nil if there are too many.
  func open(
    _ id: String, from address: ClientAddress?, _ make: () -> SockJSLink
  ) -> (link: SockJSLink, isNew: Bool)? {
    state.withLock { state in
      if let link = state.links[id] { return (link, false) }
      let party = SockJSLinks.party(address)
      guard state.links.count < limit, state.counts[party, default: 0] < SockJSLinks.mostPerAddress else { return nil }
      let link = make()
      state.links[id] = link
      if !party.isEmpty { state.counts[party, default: 0] += 1 }
      return (link, true)
    }
  }

  func remove(_ id: String) {
    state.withLock { state in
      guard let link = state.links.removeValue(forKey: id) else { return }
      let party = SockJSLinks.party(link.origin.address)
      guard let count = state.counts[party] else { return }
      state.counts[party] = count > 1 ? count - 1 : nil
    }
  }

  /// Empty for loopback, where all clients of a proxy are.
  private static func party(_ address: ClientAddress?) -> String {
    address.map { $0.isLoopback ? "" : $0.party } ?? ""
  }

  /// Watches the time of all links until the shutdown, at which their responses end by themselves.
  func run() async throws {
    await cancelWhenGracefulShutdown {
      while (try? await Task.sleep(for: .milliseconds(SockJSLinks.interval))) != nil {
        let now = MonotonicClock.now
        for (id, link) in self.state.withLock({ $0.links }) where await link.tick(at: now) { self.remove(id) }
      }
    }
  }
}
