import NIOSSL

extension ServiceEndpoint {
  /// What a client agrees to, and whom it trusts.
  /// - Throws: `TrustFileProblem`.
  func tlsConfiguration() throws(TrustFileProblem) -> TLSConfiguration {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.minimumTLSVersion = .tlsv12
    if isUnverified { configuration.certificateVerification = .none }
    guard let trust else { return configuration }
    do {
      configuration.additionalTrustRoots = [.certificates(try NIOSSLCertificate.fromPEMFile(trust))]
    } catch {
      throw TrustFileProblem(path: trust)
    }
    return configuration
  }

  /// Refuses a file of trusted certificates that cannot be used, before anything is sent.
  package func checkTrust() throws(TrustFileProblem) { _ = try tlsConfiguration() }
}

/// A file of trusted certificates that cannot be used.
package struct TrustFileProblem: Error, Hashable, Sendable, CustomStringConvertible {
  package var path: String

  package var description: String {
    "\(path) has no certificates that can be read; permitted: a PEM file (-----BEGIN CERTIFICATE-----) that this user may read"
  }
}
