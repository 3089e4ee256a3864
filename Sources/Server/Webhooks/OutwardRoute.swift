import AsyncHTTPClient
import NIOCore
import NIOSSL
import Realtime

/// The way to a receiver outside: looks up its host, checks all addresses, and connects only to a checked one.
struct OutwardRoute: Sendable {
  /// Permits this machine and private networks.
  let allowsPrivate: Bool
  /// As `WebhookConfiguration.trust`.
  let trust: String?
  let resolver: WebhookResolver

  /// Time for the connection alone.
  static let connectLimit = TimeAmount.seconds(5)

  struct Refusal: Error {
    var reason: String
  }

  /// The addresses of a host, all of them checked, best first; at least one.
  func addresses(of url: WebhookURL) async throws(Refusal) -> [String] {
    let found: [String]
    do {
      found = url.address == nil ? try await resolver.addresses(url.host) : [url.host]
    } catch {
      throw Refusal(reason: "the host could not be looked up")
    }
    guard !found.isEmpty else { throw Refusal(reason: "the host has no address") }
    guard !allowsPrivate else { return found }
    for text in found {
      guard let address = IPAddress(parsing: text), WebhookAddress.isPublic(address) else {
        throw Refusal(
          reason: "the host leads to \(text), which is no address of the internet; --webhook-private allows it")
      }
    }
    return found
  }

  /// The settings of a client that connects to this address only. Host and server name stay those of `url`.
  func settings(to url: WebhookURL, at address: String, timeLimit: TimeAmount) throws -> HTTPClient.Configuration {
    var settings = HTTPClient.Configuration(
      tlsConfiguration: try tls(), redirectConfiguration: .disallow,
      timeout: .init(connect: OutwardRoute.connectLimit, read: timeLimit), decompression: .disabled)
    if url.address == nil { settings.dnsOverride = [url.host: address] }
    settings.httpVersion = .http1Only
    // The caller decides about repetitions.
    settings.connectionPool.retryConnectionEstablishment = false
    return settings
  }

  /// - Throws: `NIOSSLError` if `trust` is no certificate.
  func tls() throws -> TLSConfiguration {
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.minimumTLSVersion = .tlsv12
    if let trust { tls.additionalTrustRoots = [.certificates(try NIOSSLCertificate.fromPEMFile(trust))] }
    return tls
  }
}

extension WebhookURL {
  /// Refuses what can be seen to be unsuitable without a look-up.
  /// - Parameter what: what is sent there, for the sentence.
  func check(allowsPrivate: Bool, of what: String) throws(ConfigurationProblem) {
    guard !allowsPrivate else { return }
    guard isSecure else {
      throw ConfigurationProblem(
        "the \(what) \(origin) has no TLS; use https://, or say --webhook-private where the network is your own")
    }
    if let address, !WebhookAddress.isPublic(address) {
      throw ConfigurationProblem(
        "the \(what) \(origin) is in a private network or on this machine; say --webhook-private where that is meant")
    }
  }
}
