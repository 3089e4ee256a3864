import COpenSSL
import Glibc
import Music
import NIOSSL

/// What a server's certificate says about itself.
package struct ServerCertificate: Hashable, Sendable {
  /// The common name of its owner, or the organisation; empty if it has neither.
  package var subject: String
  /// The same of the authority that signed it.
  package var issuer: String
  /// DNS names and addresses that it is for. Clients no longer look at the common name (RFC 9525 section 6.2).
  package var names: [String]
  package var notBefore: WallTime
  package var notAfter: WallTime
  /// True if owner and signer have the same name.
  package var isSelfIssued: Bool

  /// The most bytes of all names together: more than any authority signs.
  private static let mostNames = 16_384

  /// - Parameter bytes: the certificate in DER; nil is returned for anything else.
  package init?(_ bytes: [UInt8]) {
    guard let facts = OpenSSLChain.read([bytes], { ServerCertificate($1) }) else { return nil }
    self = facts
  }

  /// The certificates of a PEM file in DER, the server's own first; nil if there are none that can be read.
  package static func chain(inFile path: String) -> [[UInt8]]? {
    guard let chain = try? NIOSSLCertificate.fromPEMFile(path).map({ try $0.toDERBytes() }) else { return nil }
    return chain.isEmpty ? nil : chain
  }

  /// Why a server cannot use these files; nil if it can.
  package static func problem(certificate: String, key: String) -> String? {
    do {
      let chain = try NIOSSLCertificate.fromPEMFile(certificate)
      let secret = try NIOSSLPrivateKey(file: key, format: .pem)
      guard !chain.isEmpty else { return "there is no certificate" }
      // OpenSSL's words for a key of another certificate say nothing to people.
      let configuration = TLSConfiguration.makeServerConfiguration(
        certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(secret))
      guard (try? NIOSSLContext(configuration: configuration)) != nil else {
        return "the key is not the one of this certificate"
      }
      return nil
    } catch {
      for path in [certificate, key] where access(path, R_OK) != 0 {
        return "\(path) cannot be read (\(String(cString: strerror(errno))))"
      }
      return "one of both is no PEM file of its kind"
    }
  }

  init(_ certificate: OpaquePointer) {
    subject = ServerCertificate.name(X509_get_subject_name(certificate))
    issuer = ServerCertificate.name(X509_get_issuer_name(certificate))
    isSelfIssued = X509_NAME_cmp(X509_get_subject_name(certificate), X509_get_issuer_name(certificate)) == 0
    notBefore = ServerCertificate.time(X509_get0_notBefore(certificate))
    notAfter = ServerCertificate.time(X509_get0_notAfter(certificate))
    let list = [UInt8](unsafeUninitializedCapacity: ServerCertificate.mostNames) { buffer, count in
      count = buffer.withMemoryRebound(to: CChar.self) { copenssl_names(certificate, $0.baseAddress, $0.count) }
    }
    names = String(decoding: list, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  private static func time(_ time: UnsafePointer<ASN1_TIME>?) -> WallTime {
    let (milliseconds, overflow) = copenssl_seconds(time).multipliedReportingOverflow(by: 1_000)
    return WallTime(milliseconds: overflow ? 0 : milliseconds)
  }

  private static func name(_ name: OpaquePointer?) -> String {
    for kind in [NID_commonName, NID_organizationName] {
      var text = [CChar](repeating: 0, count: 256)
      guard X509_NAME_get_text_by_NID(name, kind, &text, Int32(text.count)) > 0 else { continue }
      return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
    return ""
  }
}

/// OpenSSL's own form of a server's certificates, while they are looked at.
enum OpenSSLChain {
  /// Longest chain that is looked at.
  private static let longest = 16

  /// Passes the certificates of a chain to `body`, the server's own first; they end with it.
  /// - Parameter chain: in DER; nil is returned without any, and if one is none.
  static func read<Result>(_ chain: [[UInt8]], _ body: ([OpaquePointer], OpaquePointer) -> Result) -> Result? {
    let certificates = chain.prefix(longest).compactMap { bytes in
      bytes.withUnsafeBufferPointer { buffer in
        var start = buffer.baseAddress
        return d2i_X509(nil, &start, buffer.count)
      }
    }
    defer { for certificate in certificates { X509_free(certificate) } }
    ERR_clear_error()
    guard let first = certificates.first, certificates.count == min(chain.count, longest) else { return nil }
    return body(certificates, first)
  }
}
