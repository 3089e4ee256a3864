import NIOCore
import NIOSSL

/// Encryption of the listening ports.
extension Assembly {
  /// For TLS 1.2: forward secrecy and authenticated encryption (RFC 9325 section 4.2). Those of TLS 1.3 all are so.
  private static let ciphers: [NIOTLSCipher] = [
    .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
    .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
    .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
  ]

  /// The listener's keys, and what it agrees to.
  /// - Throws: `ConfigurationProblem` for files that cannot be used.
  static func tls(_ files: ServerConfiguration.TLSFiles) throws(ConfigurationProblem) -> TLSConfiguration {
    do {
      let chain = try NIOSSLCertificate.fromPEMFile(files.certificate)
      let key = try NIOSSLPrivateKey(file: files.key, format: .pem)
      var configuration = TLSConfiguration.makeServerConfiguration(
        certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
      configuration.minimumTLSVersion = .tlsv12
      configuration.cipherSuiteValues = Assembly.ciphers
      configuration.applicationProtocols = ["http/1.1"]
      // A client that does not say goodbye (RFC 8446 section 6.1) holds up neither its end nor ours.
      configuration.shutdownTimeout = .seconds(1)
      return configuration
    } catch {
      throw ConfigurationProblem(
        "the certificate \(files.certificate) with the key \(files.key) cannot be used (\(error)); both must be PEM files "
          + "that this user may read, the chain in the first, its private key in the second")
    }
  }
}
