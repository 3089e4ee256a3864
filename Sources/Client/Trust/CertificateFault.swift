import COpenSSL
import Music

/// A reason for which a client does not trust a server's certificate.
package enum CertificateFault: Hashable, Sendable {
  case expired(WallTime)
  case notYetValid(WallTime)
  /// It is for other names than the one that it was asked by.
  case foreignName(asked: String, names: [String])
  /// It is its own authority, and nobody vouches for it.
  case selfSigned
  /// Its authority is none that this machine trusts, or a certificate between both is missing.
  case unknownAuthority(String)
  /// OpenSSL's words for everything else.
  case other(String)

  /// Everything that is wrong with a chain for a client that asks for `host`; empty if nothing is.
  ///
  /// - Parameters:
  ///   - chain: the server's certificate and those that it sent with it, in DER.
  ///   - host: the name or address by which the client knows the server.
  ///   - trust: path of a PEM file with authorities to trust beside the system's.
  package static func all(
    of chain: [[UInt8]], host: String, at now: WallTime, trust: String? = nil
  ) -> [CertificateFault] {
    OpenSSLChain.read(chain) { faults(of: $0, $1, host: host, at: now, trust: trust) }
      ?? [.other("the server sent no certificate")]
  }

  private static func faults(
    of certificates: [OpaquePointer], _ leaf: OpaquePointer, host: String, at now: WallTime, trust: String?
  ) -> [CertificateFault] {
    var faults: [CertificateFault] = []
    let facts = certificates.map { ServerCertificate($0) }
    if let ended = facts.map(\.notAfter).filter({ $0 < now }).min() { faults.append(.expired(ended)) }
    if let begins = facts.map(\.notBefore).filter({ $0 > now }).max() { faults.append(.notYetValid(begins)) }
    if !CertificateFault.names(host, leaf) {
      faults.append(.foreignName(asked: host, names: facts.first?.names ?? []))
    }
    let pointers: [OpaquePointer?] = certificates
    switch copenssl_judge_chain(pointers, Int32(pointers.count), trust) {
    case X509_V_OK: break
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT: faults.append(.selfSigned)
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
      X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
      faults.append(.unknownAuthority(facts.last?.issuer ?? ""))
    case let code: faults.append(.other(String(cString: X509_verify_cert_error_string(Int(code)))))
    }
    return faults
  }

  /// True if the certificate is for this name or address.
  private static func names(_ host: String, _ certificate: OpaquePointer) -> Bool {
    if X509_check_ip_asc(certificate, host, 0) == 1 { return true }
    return X509_check_host(certificate, host, host.utf8.count, UInt32(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT), nil) == 1
  }

  /// "its certificate expired on 2026-11-01".
  package var sentence: String {
    switch self {
    case .expired(let time): "its certificate expired on \(time.day)"
    case .notYetValid(let time): "its certificate holds only from \(time.description) on"
    case .foreignName(let asked, let names):
      "its certificate is for \(CertificateFault.list(names)) and not for \(asked)"
    case .selfSigned: "its certificate is signed by itself alone"
    case .unknownAuthority(let name):
      "its certificate was signed by \(name.isEmpty ? "an authority" : "\"\(name)\""), which this machine does not trust"
    case .other(let words): "its certificate cannot be trusted (\(words))"
    }
  }

  private static func list(_ names: [String]) -> String {
    guard !names.isEmpty else { return "no name at all" }
    return names.prefix(5).joined(separator: ", ") + (names.count > 5 ? " and \(names.count - 5) more" : "")
  }
}

extension WallTime {
  /// "2026-11-21".
  package var day: String { String(description.prefix(10)) }
}
