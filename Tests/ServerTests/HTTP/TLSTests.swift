import AsyncHTTPClient
import Music
import NIOCore
import NIOHTTP1
import NIOSSL
import Rooms
import Signaling
import Testing

@testable import Client
@testable import Server

@Suite(.timeLimit(.minutes(5))) struct TLSTests {
  @Test func speaksWebSocketsOverTLS() async throws {
    let files = try DataFolder()
    try files.write(TestCertificate.certificate, "certificate.pem")
    try files.write(TestCertificate.key, "key.pem")
    let room = try RoomName(checking: "Cellar")
    let ada = try DisplayName(checking: "Ada")
    try await TestService.with(
      {
        $0.tls = .init(certificate: files.path + "/certificate.pem", key: files.path + "/key.pem")
      }, trust: files.path + "/certificate.pem"
    ) { service async throws in
      let grant = try await NativeConnection.with(service.endpoint, room: room) { link in
        try await link.join(JoinRequest(name: ada))
      }
      #expect(grant.snapshot.members.count == 1)
      // Without the certificate among the trusted, a client refuses to talk.
      var stranger = service.endpoint
      stranger.trust = nil
      await #expect(throws: (any Error).self) {
        try await NativeConnection.with(stranger, room: room) { _ in }
      }
    }
  }

  @Test func saysWhatIsWrongWithItsFiles() async throws {
    let files = try DataFolder()
    try files.write("no certificate", "certificate.pem")
    try files.write(TestCertificate.key, "key.pem")
    for certificate in ["certificate.pem", "missing.pem"] {
      await #expect {
        try await TestService.with {
          $0.tls = .init(certificate: files.path + "/" + certificate, key: files.path + "/key.pem")
        } _: { _ async throws in
        }
      } throws: {
        "\($0)".contains(certificate) && $0 is ConfigurationProblem
      }
    }
  }

  private static func files() throws -> (folder: DataFolder, tls: ServerConfiguration.TLSFiles) {
    let files = try DataFolder()
    try files.write(TestCertificate.certificate, "certificate.pem")
    try files.write(TestCertificate.key, "key.pem")
    return (files, .init(certificate: files.path + "/certificate.pem", key: files.path + "/key.pem"))
  }

  /// The answer to a request with a client that speaks these versions and, in TLS 1.2, this cipher suite.
  private static func answer(
    of service: TestService, _ path: String = "/healthz", _ versions: ClosedRange<Int> = 2...3,
    cipher: NIOTLSCipher? = nil
  ) async throws -> HTTPClientResponse {
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.certificateVerification = .none
    let names: [TLSVersion] = [.tlsv1, .tlsv11, .tlsv12, .tlsv13]
    tls.minimumTLSVersion = names[versions.lowerBound]
    tls.maximumTLSVersion = names[versions.upperBound]
    if let cipher { tls.cipherSuiteValues = [cipher] }
    var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
    // A refused handshake is the answer.
    configuration.connectionPool.retryConnectionEstablishment = false
    let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    do {
      let response = try await client.execute(
        HTTPClientRequest(url: service.endpoint.url(path)), timeout: .seconds(20))
      _ = try await response.body.collect(upTo: 1 << 22)
      try await client.shutdown()
      return response
    } catch {
      try await client.shutdown()
      throw error
    }
  }

  /// RFC 9325: in TLS 1.2 only forward secrecy with authenticated encryption, and nothing older.
  @Test func refusesOldVersionsAndCiphers() async throws {
    let (files, tls) = try Self.files()
    try await TestService.with({ $0.tls = tls }) { service async throws in
      for cipher in [
        NIOTLSCipher.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
      ] {
        #expect(try await Self.answer(of: service, "/healthz", 2...2, cipher: cipher).status == .ok)
      }
      #expect(try await Self.answer(of: service, "/healthz", 3...3).status == .ok)
      for cipher in [
        NIOTLSCipher.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA, .TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA,
      ] {
        await #expect(throws: (any Error).self) {
          try await Self.answer(of: service, "/healthz", 2...2, cipher: cipher)
        }
      }
      await #expect(throws: (any Error).self) { try await Self.answer(of: service, "/healthz", 0...1) }
    }
    _ = files
  }

  @Test func tellsBrowsersToStayWithTLS() async throws {
    let (files, tls) = try Self.files()
    try await TestService.with({ $0.tls = tls }) { service async throws in
      for path in ["/healthz", "/", "/v1/takes", "/nowhere"] {
        let answer = try await Self.answer(of: service, path)
        #expect(answer.headers["strict-transport-security"] == ["max-age=63072000"], "\(path)")
      }
    }
    try await TestService.with { service async throws in
      let answer = try await service.send(.GET, "/healthz")
      #expect(answer["strict-transport-security"] == nil, "without TLS it would mean nothing (RFC 6797 section 7.2)")
    }
    _ = files
  }
}
