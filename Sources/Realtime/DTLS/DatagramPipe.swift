import COpenSSL
import Machines

/// A BIO between one OpenSSL session and the network that preserves datagram boundaries, which memory BIOs do not.
///
/// OpenSSL calls back into this object only during a call made by `DTLSSession`, on the same thread. The object must
/// outlive the BIO; `DTLSSession` owns both and frees the BIO first.
final class DatagramPipe {
  /// The current incoming datagram; set only while `DTLSSession` feeds it, so the pointer never outlives its memory.
  var incoming: UnsafeRawBufferPointer?
  /// Complete datagrams written by OpenSSL, in order.
  var outgoing: [[UInt8]] = []
  /// Fingerprints announced by the peer; its certificate must match one of them.
  let acceptable: [Fingerprint]
  /// Result of the comparison; nil until the certificate has been seen.
  private(set) var fingerprintMatched: Bool?

  private let firstRetransmission: MonotonicTime.Span
  private let longestRetransmission: MonotonicTime.Span

  init(
    acceptable: [Fingerprint], firstRetransmission: MonotonicTime.Span, longestRetransmission: MonotonicTime.Span
  ) {
    self.acceptable = acceptable
    self.firstRetransmission = firstRetransmission
    self.longestRetransmission = longestRetransmission
  }

  /// Creates a BIO over this pipe; nil if OpenSSL runs out of memory. It does not retain the pipe.
  func makeBIO() -> OpaquePointer? {
    guard let method = Self.method, let bio = BIO_new(method) else { return nil }
    BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
    BIO_set_init(bio, 1)
    return bio
  }

  private static func of(_ bio: OpaquePointer?) -> DatagramPipe? {
    guard let bio, let pointer = BIO_get_data(bio) else { return nil }
    return Unmanaged<DatagramPipe>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// `BIO_METHOD *`, created once and never changed.
  ///
  /// `nonisolated(unsafe)` holds because the table is written only inside this initializer, which Swift runs once.
  nonisolated(unsafe) private static let method: OpaquePointer? = {
    let kind = BIO_get_new_index()
    guard kind > 0, let method = BIO_meth_new(kind | BIO_TYPE_SOURCE_SINK, "datagram pipe") else { return nil }
    BIO_meth_set_write(method) { bio, bytes, count in
      copenssl_clear_retry(bio)
      guard let pipe = DatagramPipe.of(bio), let bytes, count > 0 else { return -1 }
      pipe.outgoing.append([UInt8](UnsafeRawBufferPointer(start: bytes, count: Int(count))))
      return count
    }
    BIO_meth_set_read(method) { bio, bytes, capacity in
      copenssl_clear_retry(bio)
      guard let pipe = DatagramPipe.of(bio), let bytes, capacity > 0, let datagram = pipe.incoming,
        let start = datagram.baseAddress, !datagram.isEmpty
      else {
        copenssl_say_retry(bio)
        return -1
      }
      pipe.incoming = nil
      // Like recv(2): a datagram that is too long is truncated, and the length check of its record detects that.
      let count = min(Int(capacity), datagram.count)
      bytes.withMemoryRebound(to: UInt8.self, capacity: count) { target in
        UnsafeMutableRawPointer(target).copyMemory(from: start, byteCount: count)
      }
      return Int32(count)
    }
    BIO_meth_set_ctrl(method) { _, command, _, _ in
      // Flushing always succeeds, and no layer below adds overhead. The other datagram controls (MTU discovery,
      // socket time-outs) do not apply.
      command == BIO_CTRL_FLUSH ? 1 : 0
    }
    return method
  }()

  /// OpenSSL's wait for the answer to a flight. It passes 0 for a new flight, otherwise the time that has just
  /// elapsed; all in microseconds.
  static func retransmissionTime(of session: OpaquePointer?, after last: UInt32) -> UInt32 {
    let usual: UInt32 = 1_000_000
    guard let session, let pipe = DatagramPipe.of(SSL_get_rbio(session)) else { return usual }
    return pipe.retransmissionTime(after: last)
  }

  func retransmissionTime(after last: UInt32) -> UInt32 {
    let longest = UInt32(clamping: longestRetransmission.nanoseconds / 1_000)
    guard last > 0 else { return min(UInt32(clamping: firstRetransmission.nanoseconds / 1_000), longest) }
    let (doubled, overflow) = last.multipliedReportingOverflow(by: 2)
    return overflow ? longest : min(doubled, longest)
  }

  /// Compares the certificate of the session in `verification` (`X509_STORE_CTX *`) with the announced fingerprints;
  /// 1 continues the handshake, 0 ends it with an alert to the peer.
  ///
  /// The certificate chain is ignored: RFC 8827 §6.5 relies on the fingerprint alone.
  static func verify(_ verification: OpaquePointer?) -> Int32 {
    guard let verification,
      let pointer = X509_STORE_CTX_get_ex_data(verification, SSL_get_ex_data_X509_STORE_CTX_idx()),
      let pipe = DatagramPipe.of(SSL_get_rbio(OpaquePointer(pointer)))
    else { return 0 }
    let matched = X509_STORE_CTX_get0_cert(verification).map { pipe.accepts($0) } ?? false
    pipe.fingerprintMatched = matched
    X509_STORE_CTX_set_error(verification, matched ? X509_V_OK : X509_V_ERR_CERT_REJECTED)
    return matched ? 1 : 0
  }

  private func accepts(_ certificate: OpaquePointer) -> Bool {
    acceptable.contains { announced in
      Fingerprint(of: certificate, algorithm: announced.algorithm)?.matches(announced) ?? false
    }
  }
}
