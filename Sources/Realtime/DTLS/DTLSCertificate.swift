import COpenSSL

/// Our self-signed certificate and its key, with the OpenSSL context shared by all DTLS sessions of the process.
///
/// ECDSA on P-256 (RFC 8827 §6.5), created once at start. The fingerprint in the SDP binds it to the signaling (RFC
/// 8122), so name and dates are meaningless and the same everywhere.
///
/// `@unchecked Sendable` holds because the object is immutable after `init`. `SSL_new` on a context that is no longer
/// configured is documented as safe from any thread (the context's reference count is atomic).
package final class DTLSCertificate: @unchecked Sendable {
  /// SHA-256 over the certificate's DER form.
  package let fingerprint: Fingerprint

  /// `SSL_CTX *`, owned.
  let context: OpaquePointer

  /// Creates a new key and certificate. Throws `DTLSError` if OpenSSL refuses, which means that it is broken.
  package init() throws(DTLSError) {
    ERR_clear_error()
    guard let key = copenssl_generate_p256() else { throw .take(step: "creating a P-256 key") }
    defer { EVP_PKEY_free(key) }
    guard let certificate = X509_new() else { throw .take(step: "making a certificate") }
    defer { X509_free(certificate) }
    try Self.fill(certificate, key: key)
    guard let fingerprint = Fingerprint(of: certificate, algorithm: .sha256) else {
      throw .take(step: "hashing the certificate")
    }
    guard let context = SSL_CTX_new(DTLS_method()) else { throw .take(step: "creating a DTLS context") }
    do throws(DTLSError) {
      try Self.configure(context, certificate: certificate, key: key)
    } catch {
      SSL_CTX_free(context)
      throw error
    }
    self.fingerprint = fingerprint
    self.context = context
  }

  deinit {
    SSL_CTX_free(context)
  }

  /// A fixed validity that outlasts the software: WebRTC endpoints ignore the dates, and no clock is needed.
  private static let notBefore = "20200101000000Z"
  private static let notAfter = "20491231235959Z"

  /// Only cipher suites with forward secrecy and authenticated encryption; RSA because some peers (GStreamer) use RSA
  /// certificates.
  private static let ciphers = "ECDHE+AESGCM:ECDHE+CHACHA20"

  private static func fill(_ certificate: OpaquePointer, key: OpaquePointer) throws(DTLSError) {
    let versionThree = 2
    var serial: UInt64 = 0
    let random = withUnsafeMutableBytes(of: &serial) { bytes in
      RAND_bytes(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(bytes.count))
    }
    // RFC 5280 §4.1.2.2: positive, so the top bit stays clear.
    serial &= UInt64.max >> 1
    let name = X509_get_subject_name(certificate)
    guard random == 1,
      X509_set_version(certificate, versionThree) == 1,
      ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial) == 1,
      ASN1_TIME_set_string(X509_getm_notBefore(certificate), notBefore) == 1,
      ASN1_TIME_set_string(X509_getm_notAfter(certificate), notAfter) == 1,
      X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, "jamjar", -1, -1, 0) == 1,
      X509_set_issuer_name(certificate, name) == 1,
      X509_set_pubkey(certificate, key) == 1,
      X509_sign(certificate, key, EVP_sha256()) > 0
    else { throw .take(step: "signing the certificate") }
  }

  private static func configure(
    _ context: OpaquePointer, certificate: OpaquePointer, key: OpaquePointer
  ) throws(DTLSError) {
    guard copenssl_harden(context) == 1 else { throw .take(step: "requiring DTLS 1.2") }
    guard SSL_CTX_set_cipher_list(context, ciphers) == 1 else { throw .take(step: "choosing ciphers") }
    guard SSL_CTX_use_certificate(context, certificate) == 1, SSL_CTX_use_PrivateKey(context, key) == 1 else {
      throw .take(step: "installing the certificate")
    }
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
    SSL_CTX_set_cert_verify_callback(context, { verification, _ in DatagramPipe.verify(verification) }, nil)
  }
}
