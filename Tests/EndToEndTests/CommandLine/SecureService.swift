import Foundation
import Testing

/// A service with a certificate that signs itself, made by OpenSSL for this test, for localhost and 127.0.0.1.
final class SecureService: Sendable {
  let process: ChildProcess
  let port: UInt16
  let folder: TemporaryFolder
  /// What it printed until it was ready.
  let start: String

  var address: String { "https://localhost:\(port)" }
  var certificate: String { folder.path + "/certificate.pem" }
  var key: String { folder.path + "/key.pem" }

  init(host: String = "127.0.0.1", _ options: [String] = []) async throws {
    folder = try TemporaryFolder()
    port = try Service.freePort()
    try await SecureService.makeCertificate(in: folder)
    process = try ChildProcess(
      try Service.executable(),
      [
        "serve", "--host", host, "--port", "\(port)", "--rtmp-port", "0", "--data", folder.path + "/Recordings",
        "--tls-certificate", folder.path + "/certificate.pem", "--tls-key", folder.path + "/key.pem",
      ] + options)
    _ = await process.line { $0.contains("Jamjar is ready") }
    // What follows at once belongs to the start.
    _ = await process.line { $0.contains("This is the first start") }
    start = process.text
  }

  /// Valid for a month from now on.
  static func makeCertificate(in folder: TemporaryFolder) async throws {
    let making = try ChildProcess(
      "openssl",
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30", "-subj",
        "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", folder.path + "/key.pem",
        "-out", folder.path + "/certificate.pem",
      ])
    let status = await making.exitStatus()
    guard status == 0 else { throw EndToEndFailure("openssl ended with \(status): \(making.text)") }
  }
}
