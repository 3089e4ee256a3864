import Foundation
import Glibc
import Signaling
import TestSupport
import Testing

extension Programs {
  /// SIGTERM ends the service, whatever children and clients do.
  @Suite(.serialized) struct StopTests {
    /// A musician whose decoder was stopped in the middle of the music.
    private func stoppedMusician(of service: Service, port: UInt16) async throws -> ChildProcess {
      let encoder = try ChildProcess(
        "ffmpeg",
        [
          "-hide_banner", "-loglevel", "error", "-re", "-f", "lavfi", "-i", "sine=frequency=700:sample_rate=48000",
          "-ac", "2", "-c:a", "aac", "-f", "flv", "rtmp://127.0.0.1:\(port)/studio/guitar",
        ])
      _ = try await service.rollingTake(in: "studio", lasting: 1)
      for child in service.decoders { kill(child, SIGSTOP) }
      return encoder
    }

    @Test func aStoppedDecoderHoldsNobodyUp() async throws {
      let port = try Service.freePort()
      let service = try await Service(["--rtmp-port", "\(port)"])
      do {
        let encoder = try await stoppedMusician(of: service, port: port)
        #expect(await service.close() == 0)
        #expect(await service.process.wholeText().contains("take finished"))
        _ = await encoder.terminate()
      } catch {
        await service.close()
        throw error
      }
    }

    @Test func inTheMiddleOfAPushItEnds() async throws {
      let port = try Service.freePort()
      let service = try await Service(["--rtmp-port", "\(port)"])
      do {
        let file = try await RTMPPushTests.file(seconds: 20, times: 30, in: service)
        let encoder = try RTMPPushTests.push(file, to: port)
        _ = try await service.rollingTake(in: "studio", lasting: 0)
        #expect(await service.close() == 0)
        #expect(await service.process.wholeText().contains("take finished"))
        _ = await encoder.terminate()
      } catch {
        await service.close()
        throw error
      }
    }

    @Test func clientsThatReadNothingAreCutOffAtTheLimitAndNamed() async throws {
      let port = try Service.freePort()
      let service = try await Service(["--rtmp-port", "\(port)", "--stop-limit", "6"])
      do {
        let push = try RTMPPushTests.push(
          try await RTMPPushTests.file(seconds: 60, in: service), to: port)
        #expect(await push.exitStatus() == 0)
        let take = try await service.finishedTake(in: "studio")
        let encoder = try await stoppedMusician(of: service, port: port)
        let host = "Host: 127.0.0.1:\(service.port)\r\n"
        let upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        let deaf = [
          try DeafClient(port: service.port, "GET /v1/takes/\(take.id)/archive HTTP/1.1\r\n\(host)\r\n"),
          try DeafClient(port: service.port, "GET /v1/events HTTP/1.1\r\n\(host)\r\n"),
          try DeafClient(
            port: service.port,
            "GET /v1/rooms/studio/signal HTTP/1.1\r\n\(host)\(upgrade)Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
          ),
          // Neither has said all of its first word.
          try DeafClient(port: service.port, "GET /"), try DeafClient(port: port, "\u{3}"),
        ]
        // The service has the first of them when it is half sent: the kernel's buffers hold less than the archive.
        try await eventually("everybody is there") {
          try await service.get("/v1/rooms").object?["items"]?.array?.isEmpty == false
        }
        #expect(await service.close() == 75)
        let text = await service.process.wholeText()
        #expect(text.contains("cut off: ") && text.contains("HTTP connection"), "\(text)")
        #expect(text.contains("take finished"))
        withExtendedLifetime(deaf) {}
        _ = await encoder.terminate()
      } catch {
        await service.close()
        throw error
      }
    }

    @Test func aSecondSignalClosesTheJournalsAndTheNextStartCompletesTheirTakes() async throws {
      let port = try Service.freePort()
      let folder = try TemporaryFolder()
      let service = try await Service(["--rtmp-port", "\(port)", "--drain", "3600"], folder: folder)
      do {
        let encoder = try await stoppedMusician(of: service, port: port)
        let answer = try await HTTP.send("GET", service.address + "/readyz")
        #expect(answer.status == 200)
        service.process.send(SIGTERM)
        try await eventually("it drains") {
          try await HTTP.send("GET", service.address + "/readyz").status != 200
        }
        #expect(service.process.isRunning)
        #expect(await service.close() == 75)
        _ = await encoder.terminate()
      } catch {
        await service.close()
        throw error
      }
      let next = try await Service(folder: folder)
      do {
        let take = try await next.finishedTake(in: "studio")
        #expect(take.state == "ready")
        #expect(try #require(take.track(of: "guitar")).sound.share(of: 700) > 0.9)
      } catch {
        await next.close()
        throw error
      }
      await next.close()
    }

    /// The watchdog needs nobody: here every thread that logs stands still.
    @Test func evenALogThatNobodyReadsEndsWithTheLimit() async throws {
      let folder = try TemporaryFolder()
      let pipe = folder.path + "/log"
      #expect(mkfifo(pipe, 0o600) == 0)
      let log = open(pipe, O_RDWR | O_NONBLOCK)
      defer { close(log) }
      let port = try Service.freePort()
      let process = try ChildProcess(
        "sh",
        [
          "-c",
          "exec \"$0\" serve --port \(port) --rtmp-port 0 --data \"$1\" --log-level debug --stop-limit 3 2>\"$2\"",
          try Service.executable(), folder.path + "/Recordings", pipe,
        ])
      try await eventually("the service is ready") {
        (try? await HTTP.send("GET", "http://127.0.0.1:\(port)/readyz").status) == 200
      }
      // To the last byte.
      for piece in [4_096, 1] {
        let bytes = [UInt8](repeating: UInt8(ascii: "."), count: piece)
        while write(log, bytes, piece) > 0 {}
      }
      let request = "GET /v1/takes HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n"
      let clients = try (0..<8).map { _ in try DeafClient(port: port, request) }
      try await eventually("a thread waits for the log") { StopTests.waitsForItsLog(process.identifier) }
      #expect(await process.terminate() == 75)
      withExtendedLifetime(clients) {}
    }

    /// True where a thread of the process is in write(2, …), by the number that x86-64 or arm64 gives that call.
    private static func waitsForItsLog(_ process: pid_t) -> Bool {
      let threads = "/proc/\(process)/task"
      return ((try? FileManager.default.contentsOfDirectory(atPath: threads)) ?? []).contains { thread in
        let call = (try? String(contentsOfFile: "\(threads)/\(thread)/syscall", encoding: .utf8)) ?? ""
        return call.hasPrefix("1 0x2 ") || call.hasPrefix("64 0x2 ")
      }
    }
  }
}
