import CLinux
import Foundation
import Signaling
import Testing

extension Machine {
  /// A service that may have few descriptors, and clients that would take them all.
  @Suite(.serialized) struct DescriptorTests {
    /// What a listener that spins on its failure counts within the blink of an eye.
    private static let manyFailures = 1_000

    private func metric(_ name: String, of service: Service) async throws -> Int {
      let answer = try await HTTP.send("GET", service.address + "/metrics")
      let line = String(decoding: answer.body, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix(name + " ") }
      return Int(line?.split(separator: " ").last ?? "") ?? -1
    }

    @Test func idleConnectionsTakeNothingFromATakeAndKeepNobodyOut() async throws {
      let rtmp = try Service.freePort()
      // As few as hold two takes; the service inherits some of the test's.
      let service = try await Service(["--rtmp-port", "\(rtmp)", "--ice-addresses", "127.0.0.1"], descriptors: 96)
      let sender = try await ToneSender("ada", frequency: 440, in: "studio", of: service)
      _ = try await service.rollingTake(in: "studio", lasting: 1)
      var idle: [DeafClient] = []
      for _ in 0..<80 {
        idle.append(try DeafClient(port: service.port))
        idle.append(try DeafClient(port: rtmp))
      }
      #expect(try await HTTP.send("GET", service.address + "/readyz").status == 200)
      let musician = try ChildProcess(
        try Service.executable(),
        ["play", "--port", "\(service.port)", "--room", "webrtc", "--musicians", "1", "--seconds", "2"])
      #expect(await musician.exitStatus() == 0, "\(musician.text)")
      #expect(try await metric("jamjar_connections_closed_idle_total", of: service) >= 100)
      #expect(try await metric("jamjar_connections_failures_total", of: service) == 0)
      try await sender.end()
      for room in ["studio", "webrtc-1"] {
        let take = try await service.finishedTake(in: room)
        #expect(take.state == "ready")
        for track in take.tracks { #expect(track.losses.isEmpty, "\(track.gaps.map(\.text))") }
      }
      withExtendedLifetime(idle) {}
      #expect(await service.close() == 0)
      let log = await service.process.wholeText()
      #expect(log.components(separatedBy: "those that are idle go").count == 2, "\(log)")
    }

    /// Something else has used them up.
    @Test func aListenerWithoutDescriptorsRestsAndComesBack() async throws {
      let rtmp = try Service.freePort()
      let service = try await Service(["--rtmp-port", "\(rtmp)"])
      let sender = try await ToneSender("ada", frequency: 440, in: "studio", of: service)
      _ = try await service.rollingTake(in: "studio", lasting: 2)
      try await limit(service, to: 8)
      let idle = try [service.port, rtmp].map { try DeafClient(port: $0) }
      _ = await service.process.line { $0.contains("no connection can be taken") }
      try await limit(service, to: 256)
      #expect(try await HTTP.send("GET", service.address + "/readyz").status == 200)
      let failures = try await metric("jamjar_connections_failures_total", of: service)
      #expect((1..<DescriptorTests.manyFailures).contains(failures), "\(failures)")
      withExtendedLifetime(idle) {}
      try await sender.end()
      let take = try await service.finishedTake(in: "studio")
      #expect(take.state == "ready" && take.tracks.count == 1 && take.tracks.allSatisfy(\.losses.isEmpty))
      #expect(await service.close() == 0)
      let log = await service.process.wholeText()
      #expect(log.components(separatedBy: "no connection can be taken").count == 2, "\(log)")
    }

    /// Sets the soft limit of a running service.
    private func limit(_ service: Service, to count: Int) async throws {
      let prlimit = try ChildProcess(
        "prlimit", ["--pid", "\(service.process.identifier)", "--nofile=\(count):"])
      guard await prlimit.exitStatus() == 0 else { throw EndToEndFailure("prlimit: \(prlimit.text)") }
    }
  }
}
