import Foundation
import Glibc
import TestSupport
import Testing

extension Programs {
  /// Archives by OpenTok's own Python SDK, of musicians who come by WHIP with real media.
  @Suite struct OpenTokArchiveTests {
    private static let key = "46000001"
    private static let secret = "0123456789abcdef0123456789abcdef01234567"
    private static let environment = ["JAMJAR_OPENTOK_PROJECTS": "\(key):\(secret)"]

    private func peer(_ service: Service, _ words: String...) throws -> ChildProcess {
      let arguments = [service.address, Self.key, Self.secret, service.path(".")] + words
      return try PythonPeer.start("opentok_archives.py", arguments)
    }

    @Test func theSDKStartsListsStopsDownloadsAndDeletes() async throws {
      let service = try await Service(environment: Self.environment)
      let sdk = try peer(service, "all")
      #expect(await sdk.exitStatus() == 0, "\(sdk.text)")
      #expect(sdk.text.contains("\"aligned\""), "\(sdk.text)")
      #expect(sdk.text.contains("\"done\""), "\(sdk.text)")
      await service.close()
    }

    /// S3 is moto, which checks signatures. The file is where the SDK's user set it to be, and nowhere else.
    @Test func anArchiveIsUploadedToTheOperatorsStore() async throws {
      let folder = try TemporaryFolder()
      let store = try PythonPeer.startStore(in: folder.path)
      let port = folder.path + "/port"
      try await eventually("the store listens", or: { store.text }) { FileManager.default.fileExists(atPath: port) }
      let bucket = "s3://band?endpoint=http://127.0.0.1:\(try String(contentsOfFile: port, encoding: .utf8))"
      let environment = Self.environment.merging(["JAMJAR_OPENTOK_UPLOADS": "true"]) { $1 }
      let service = try await Service(
        ["--objects", bucket, "--objects-credentials", folder.path + "/keys"], environment: environment)
      let sdk = try peer(service, "uploaded", folder.path + "/requests")
      #expect(await sdk.exitStatus() == 0, "\(sdk.text)")
      #expect(sdk.text.contains("\"done\""), "\(sdk.text)")
      await service.close()
      store.send(SIGKILL)
    }

    @Test func anArchiveOfAKilledServiceBecomesAvailable() async throws {
      let folder = try TemporaryFolder()
      let killed = try await Service(folder: folder, environment: Self.environment)
      let first = try peer(killed, "record")
      try await eventually("it records", or: { first.text }) { first.text.contains("\"recording\"") }
      killed.process.send(SIGKILL)
      _ = await killed.process.exitStatus()
      first.send(SIGKILL)
      let line = try #require(first.text.split(separator: "\n").first { $0.contains("\"recording\"") })
      let words = line.split(separator: "\"").map(String.init)
      let session = try #require(words.firstIndex(of: "session").map { words[$0 + 2] })
      let archive = try #require(words.firstIndex(of: "archive").map { words[$0 + 2] })
      let next = try await Service(folder: folder, environment: Self.environment)
      let second = try peer(next, "recovered", session, archive)
      #expect(await second.exitStatus() == 0, "\(second.text)")
      #expect(second.text.contains("\"done\""), "\(second.text)")
      await next.close()
    }
  }
}
