import Foundation
import Music
import Signaling
import TestSupport
import Testing

@testable import Server

/// The application of docs/rtmp.md, as it stands there, answers real calls.
@Suite(.timeLimit(.minutes(2))) struct DocumentedApplicationTests {
  private static let secret = "whsec_" + Data((0..<32).map { UInt8($0 &* 3) }).base64EncodedString()

  private func program() throws -> String {
    var root = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { root.deleteLastPathComponent() }
    let document = try String(contentsOf: root.appendingPathComponent("docs/rtmp.md"), encoding: .utf8)
    let beginning = try #require(document.range(of: "```python\n")).upperBound
    let end = try #require(document.range(of: "```", range: beginning..<document.endIndex)).lowerBound
    return String(document[beginning..<end])
  }

  /// Runs the program, with the port on which it listens.
  private func withProgram(_ body: (Int) async throws -> Void) async throws {
    let output = Pipe()
    let running = try SpawnedProgram(
      "/usr/bin/python3", ["-c", try program()],
      environment: ["PORT": "0", "JAMJAR_METHOD_SECRET": DocumentedApplicationTests.secret],
      output: output.fileHandleForWriting.fileDescriptor, error: FileHandle.nullDevice.fileDescriptor)
    try output.fileHandleForWriting.close()
    let answer: Result<Void, any Error>
    do {
      answer = .success(try await body(try port(output)))
    } catch {
      answer = .failure(error)
    }
    running.end()
    try answer.get()
  }

  private func port(_ output: Pipe) throws -> Int {
    // Its first line: "listening 12345".
    var line = ""
    while !line.contains("\n") {
      let data = output.fileHandleForReading.availableData
      guard !data.isEmpty else { break }
      line += String(decoding: data, as: UTF8.self)
    }
    return try #require(line.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) })
  }

  private func methods(_ port: Int, _ secret: String) throws -> MethodConfiguration {
    try MethodConfiguration(list: "http://127.0.0.1:\(port)/rtmp", secrets: secret)
  }

  @Test func theApplicationAnswersWhatTheServiceSigned() async throws {
    try await withProgram { port async throws in
      try await TestService.with({
        $0.rtmp = .init(0)
        $0.methods = try methods(port, DocumentedApplicationTests.secret)
        $0.webhooks.allowsPrivate = true
      }) { service async throws in
        try await RTMPTestClient.with(port: service.rtmpPort, RTMPClientOptions(app: "studio")) { client in
          try await client.connected()
          #expect(try await client.call("double", 12) == .value(24))
          #expect(try await client.call("setlist") == .value(["Solar", "Blue Bossa"]))
          let unknown = await #expect(throws: RTMPCallError.self) { try await client.call("nothing") }
          #expect(unknown?.kind == .methodNotFound)
          let wrong = await #expect(throws: RTMPCallError.self) { try await client.call("double") }
          #expect(wrong == RTMPCallError(.invocationException, "double takes other arguments"))
        }
      }
    }
  }

  @Test func theApplicationRefusesAnotherSignature() async throws {
    let other = "whsec_" + Data((0..<32).map { UInt8($0 &* 7) }).base64EncodedString()
    try await withProgram { port async throws in
      try await TestService.with({
        $0.rtmp = .init(0)
        $0.methods = try methods(port, other)
        $0.webhooks.allowsPrivate = true
      }) { service async throws in
        try await RTMPTestClient.with(port: service.rtmpPort, RTMPClientOptions(app: "studio")) { client in
          try await client.connected()
          let error = await #expect(throws: RTMPCallError.self) { try await client.call("double", 12) }
          #expect(error?.kind == .accessDenied && error?.description.contains("not signed") == true)
        }
      }
    }
  }
}
