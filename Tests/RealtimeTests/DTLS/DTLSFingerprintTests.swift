import COpenSSL
import Testing

@testable import Realtime

struct DTLSFingerprintTests {
  @Test func aServerRefusesAStrangersCertificate() throws {
    let stranger = try DTLSCertificate()
    let pair = try DTLSPair(serverExpects: [stranger.fingerprint])
    pair.run()
    #expect(pair.events[.server] == [.failed(.fingerprintMismatch)])
    guard case .failed(.handshake)? = pair.events[.client]?.first else {
      Issue.record("the stranger was not told: \(String(describing: pair.events[.client]))")
      return
    }
    let noKeys = pair.server.takeKeys() == nil
    #expect(noKeys)
  }

  @Test func aClientRefusesAStrangersCertificate() throws {
    let stranger = try DTLSCertificate()
    let pair = try DTLSPair(clientExpects: [stranger.fingerprint])
    pair.run()
    #expect(pair.events[.client] == [.failed(.fingerprintMismatch)])
    #expect(pair.events[.server]?.contains { if case .connected = $0 { true } else { false } } != true)
  }

  @Test func nobodyIsAcceptedWithoutAnAnnouncedFingerprint() throws {
    let pair = try DTLSPair(serverExpects: [])
    pair.run()
    #expect(pair.events[.server] == [.failed(.fingerprintMismatch)])
  }

  @Test func oneMatchAmongSeveralIsEnough() throws {
    let client = try DTLSPair.clientCertificate.get()
    let x509 = try #require(SSL_CTX_get0_certificate(client.context))
    let longer = try #require(Fingerprint(of: x509, algorithm: .sha512))
    let pair = try DTLSPair(serverExpects: [
      Fingerprint(algorithm: .sha384, digest: [UInt8](repeating: 7, count: 48)), longer,
    ])
    pair.run()
    #expect(pair.events[.server] == [.connected(.aeadAES128GCM)])
  }

  @Test func aShortenedFingerprintMatchesNothing() throws {
    let whole = try DTLSPair.clientCertificate.get().fingerprint
    for length in [0, 1, 31] {
      let cut = Fingerprint(algorithm: .sha256, digest: Array(whole.digest.prefix(length)))
      #expect(!whole.matches(cut))
      #expect(!cut.matches(cut), "a digest of the wrong length is no fingerprint, not even for itself")
    }
    #expect(whole.matches(whole))
  }

  @Test func everyCertificateIsItsOwn() throws {
    let first = try DTLSCertificate()
    let second = try DTLSCertificate()
    #expect(first.fingerprint != second.fingerprint)
    #expect(first.fingerprint.digest.count == 32)
  }
}
