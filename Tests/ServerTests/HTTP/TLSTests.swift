import Music
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
}
