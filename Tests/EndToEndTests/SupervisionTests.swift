import Foundation
import Glibc
import TestSupport
import Testing

extension Programs {
  /// What a service manager, and the other users of the machine, get to know of the service.
  @Suite struct SupervisionTests {
    @Test func theManagerHearsOfReadinessLifeAndTheTimeThatAStopTakes() async throws {
      let folder = try TemporaryFolder()
      let inbox = try DatagramInbox(path: folder.path + "/notify")
      let service = try await Service(
        ["--stop-limit", "20", "--drain", "2"], folder: folder,
        environment: ["NOTIFY_SOCKET": inbox.path, "WATCHDOG_USEC": "200000"])
      do {
        var messages = inbox.messages.makeAsyncIterator()
        var first: Set<String> = []
        // Life begins before readiness, or after it.
        while !(first.contains("WATCHDOG=1") && first.count > 1), let message = await messages.next() {
          first.insert(message)
        }
        #expect(first == ["WATCHDOG=1", "READY=1\nSTATUS=Listening on port \(service.port)"])
        #expect(await messages.next() == "WATCHDOG=1")
        #expect(await service.close() == 0)
        inbox.close()
        var rest: [String] = []
        while let message = await messages.next() { rest.append(message) }
        let stopping = try #require(rest.first { $0.contains("STOPPING=1") })
        // Drain, limit, and 15 s for processes that complete takes.
        #expect(stopping.contains("EXTEND_TIMEOUT_USEC=37000000"))
      } catch {
        await service.close()
        throw error
      }
    }

    @Test func otherUsersOfTheMachineReachNoFileOfATake() async throws {
      let service = try await Service()
      do {
        let sender = try await ToneSender("ada", frequency: 440, in: "cellar", of: service)
        _ = try await service.rollingTake(in: "cellar", lasting: 1)
        try await sender.end()
        _ = try await service.finishedTake(in: "cellar")
        // While it runs, for the index's log.
        let modes = SupervisionTests.modes(below: service.recordings)
        #expect(modes[service.recordings] == 0o750)
        #expect(modes.keys.contains { $0.hasSuffix("/jamjar.sqlite-wal") })
        #expect(modes.keys.contains { $0.hasSuffix("/take.journal") })
        for (path, mode) in modes { #expect(mode & 0o027 == 0, "\(path) has mode \(String(mode, radix: 8))") }
        #expect(!service.process.text.contains("other users of this machine"))
      } catch {
        await service.close()
        throw error
      }
      await service.close()
      chmod(service.recordings, 0o755)
      let next = try ChildProcess(
        "sh",
        ["-c", "exec \"$0\" serve --port 0 --rtmp-port 0 --data \"$1\"", try Service.executable(), service.recordings])
      #expect(await next.line { $0.contains("other users of this machine") } != nil)
      await next.terminate()
    }

    /// The rights of a folder and everything in it, by path.
    private static func modes(below folder: String) -> [String: Int] {
      // Temporary files and folders may go meanwhile: an enumerator passes over them.
      let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
      let paths = names.map { "\(folder)/\($0)" }
      var modes: [String: Int] = [:]
      for path in [folder] + paths {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        modes[path] = attributes?[.posixPermissions] as? Int
      }
      return modes
    }
  }
}
