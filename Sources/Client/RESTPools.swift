import AsyncHTTPClient
import NIOCore
import Synchronization

/// The connections of all REST clients of this process, by whom they trust.
///
/// Never shut down: they live as long as the process. `HTTPClient.shared` would do the same, but keeps retrying refused
/// connections, and users would wait half a minute for the error.
enum RESTPools {
  private struct Kind: Hashable {
    var trust: String?
    var isUnverified: Bool
    var isStream: Bool
  }

  private static let pools = Mutex<[Kind: HTTPClient]>([:])

  /// - Parameter isStream: true for streams, on which the service says something every 15 s.
  /// - Throws: `TrustFileProblem`.
  static func client(of endpoint: ServiceEndpoint, isStream: Bool = false) throws(TrustFileProblem) -> HTTPClient {
    let kind = Kind(trust: endpoint.trust, isUnverified: endpoint.isUnverified, isStream: isStream)
    if let pool = pools.withLock({ $0[kind] }) { return pool }
    var settings = HTTPClient.Configuration(
      tlsConfiguration: try endpoint.tlsConfiguration(),
      timeout: .init(connect: .seconds(5), read: isStream ? .seconds(30) : nil))
    settings.connectionPool.retryConnectionEstablishment = false
    let made = HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: settings)
    // Of two made at the same moment one is kept; the other, never used, is shut down.
    let kept = pools.withLock { pools in
      let kept = pools[kind] ?? made
      pools[kind] = kept
      return kept
    }
    if kept !== made { made.shutdown { _ in } }
    return kept
  }
}
