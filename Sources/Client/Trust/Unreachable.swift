import AsyncHTTPClient
import Glibc
import Music
import NIOCore
import NIOPosix
import NIOSSL

/// Why a service cannot be reached, in words that say what helps.
package struct Unreachable: Sendable {
  package var endpoint: ServiceEndpoint
  /// The address as its user wrote it.
  package var place: String

  package init(_ endpoint: ServiceEndpoint, place: String) {
    self.endpoint = endpoint
    self.place = place
  }

  /// One sentence about a failed connection. An untrusted certificate is looked at once more, to say what is wrong with it.
  package func sentence(_ error: any Error, at now: WallTime) async -> String {
    if let problem = error as? TrustFileProblem { return problem.description }
    if let reason = Unreachable.connection(error) { return "the service at \(place) cannot be reached: \(reason)" }
    guard endpoint.isSecure else {
      if case .certificates = await TLSProbe(endpoint).run() {
        return "the service at \(place) speaks TLS, and was asked without; write https:// instead of http://"
      }
      return "the service at \(place) cannot be reached: \(error)"
    }
    let answer = await TLSProbe(endpoint).run()
    switch answer {
    case .noTLS:
      return "the service at \(place) speaks no TLS; write http:// instead of https:// if that is what you expect"
    case .certificates:
      let faults = faults(in: answer, at: now)
      guard !faults.isEmpty else { return "the service at \(place) cannot be reached: \(error)" }
      return Unreachable.sentence(faults, place: place)
    case .silent: return "the service at \(place) cannot be reached: \(error)"
    }
  }

  /// What is wrong with the certificate that the service shows now, in words between commas; nil if it shows none, or a
  /// trusted one.
  package func distrust(at now: WallTime) async -> String? {
    guard endpoint.isSecure else { return nil }
    let faults = faults(in: await TLSProbe(endpoint).run(), at: now)
    return faults.isEmpty ? nil : Unreachable.reasons(faults)
  }

  private func faults(in answer: TLSProbe.Outcome, at now: WallTime) -> [CertificateFault] {
    guard case .certificates(let chain) = answer else { return [] }
    return CertificateFault.all(of: chain, host: endpoint.host, at: now, trust: endpoint.trust)
  }

  private static func reasons(_ faults: [CertificateFault]) -> String {
    faults.map(\.sentence).joined(separator: ", and ")
  }

  /// One sentence about a certificate that is not trusted, and which option helps.
  package static func sentence(_ faults: [CertificateFault], place: String) -> String {
    "the service at \(place) is not trusted: \(reasons(faults)); \(remedy(faults))"
  }

  private static func remedy(_ faults: [CertificateFault]) -> String {
    let unchecked = "--insecure-tls goes on without any check"
    for fault in faults {
      switch fault {
      case .expired: return "it has to be renewed there (or is this machine's clock wrong?); \(unchecked)"
      case .notYetValid: return "this machine's clock is wrong, or that one's was; \(unchecked)"
      case .foreignName(_, let names):
        return names.isEmpty ? unchecked : "use a name that it is for; \(unchecked)"
      case .selfSigned, .unknownAuthority, .other: break
      }
    }
    let known = faults.contains(.selfSigned) ? "it" : "its authority's certificate"
    return "if you know whose it is, name \(known) with --ca-file FILE or JAMJAR_CA_FILE; " + unchecked
  }

  /// What kept the connection from being made at all; nil if it was made.
  private static func connection(_ error: any Error) -> String? {
    if let error = error as? NIOConnectionError {
      if let single = error.connectionErrors.first { return connection(single.error) }
      if error.dnsAError ?? error.dnsAAAAError != nil { return "the name \(error.host) is not known (DNS)" }
    }
    if let error = error as? HTTPClientError, error == .connectTimeout {
      return "nothing answers there; is the port forwarded, and open in the firewall?"
    }
    if let error = error as? ChannelError, case .connectTimeout = error {
      return "nothing answers there; is the port forwarded, and open in the firewall?"
    }
    if let error = error as? IOError {
      switch error.errnoCode {
      case ECONNREFUSED: return "nothing listens on this port; does the service run, and is this its port?"
      case EHOSTUNREACH, ENETUNREACH: return "there is no way to it in the network"
      default: return nil
      }
    }
    return nil
  }
}
