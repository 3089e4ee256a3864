import Foundation
import Glibc
import NIOHTTP1
import Signaling
import TestSupport
import Testing

extension Programs {
  /// Another process holds the lock of the index while musicians come, play and go.
  @Suite(.serialized) struct LockedIndexTests {
    /// How the service ends while the index is locked.
    enum End: CaseIterable {
      case killed, stopped
    }

    private func locked(_ service: Service) async throws -> ChildProcess {
      let lock = try PythonPeer.start("lock.py", [service.recordings + "/jamjar.sqlite"])
      #expect(await lock.line { $0 == "locked" } != nil, "\(lock.text)")
      return lock
    }

    /// The identifier of the take that begins in a room, from the service's log: no list has it yet.
    private func take(in room: String, of service: Service) async throws -> String {
      let line = await service.process.line { $0.contains("take rolls") && $0.contains("room=\(room) ") }
      let word = line?.split(separator: " ").first { $0.hasPrefix("take=") }
      return String(try #require(word).dropFirst(5))
    }

    /// Waits until so many takes lie on the disk with all their files.
    private func completeTakes(_ count: Int, of service: Service) async throws {
      let process = service.process
      try await eventually("\(count) manifests are there", or: { process.text }) {
        let files = FileManager.default.enumerator(atPath: service.recordings)?.compactMap { $0 as? String } ?? []
        return files.count { $0.hasSuffix("/manifest.json") } == count
      }
    }

    private func stop(_ take: String, of service: Service) async throws {
      let stopped = try await HTTP.send("POST", "\(service.address)/v1/takes/\(take)/stop")
      #expect(stopped.status == 200, "\(String(decoding: stopped.body, as: UTF8.self))")
    }

    private func check(_ service: Service) async throws {
      let check = try await CommandRun(["catalog", "check", "--hashes", "--data", service.recordings])
      #expect(check.status == 0, "\(check.text)")
    }

    @Test func musiciansAreRecordedAndTheIndexCatchesUp() async throws {
      let service = try await Service()
      let events = try PythonPeer.start("events.py", ["\(service.address)/v1/events"])
      let lock = try await locked(service)
      let sender = try await ToneSender("ada", frequency: 440, in: "studio", of: service)
      let id = try await take(in: "studio", of: service)
      #expect(try await service.get("/v1/takes/\(id)").object?["state"] == "rolling")
      // Real ICE, DTLS and SRTP.
      let musicians = try ChildProcess(
        try Service.executable(),
        ["play", "--port", "\(service.port)", "--room", "webrtc", "--musicians", "2", "--seconds", "3"])
      #expect(await musicians.exitStatus() == 0, "\(musicians.text)")
      try await stop(id, of: service)
      try await completeTakes(2, of: service)

      #expect(try await service.takes(in: "studio").isEmpty)
      let song = try await HTTP.send("POST", "\(service.address)/v1/songs", json: ["title": "Blue in Green"])
      #expect(song.status == 503 && song.headers.contains(name: "Retry-After"))
      #expect(try await service.get("/readyz").object?["index"] == "behind")
      #expect(!events.text.contains("take.ready"))

      #expect(await lock.terminate() == 0)
      _ = await events.line { $0.contains("take.ready") }
      _ = await service.process.line { $0.contains("the index caught up") }
      try await sender.end()
      for (room, count) in [("studio", 1), ("webrtc-1", 2)] {
        let take = try await service.finishedTake(in: room)
        #expect(take.state == "ready" && take.tracks.count == count, "\(room): \(take.state)")
        for track in take.tracks { #expect(track.losses.isEmpty, "\(track.gaps.map(\.text))") }
      }
      #expect(try await service.get("/readyz").object?["index"] == nil)
      try await check(service)
      await events.terminate()
      #expect(await service.close() == 0)
      let log = await service.process.wholeText()
      #expect(log.components(separatedBy: "the index does not take").count == 2, "\(log)")
      #expect(log.components(separatedBy: "the index caught up").count == 2, "\(log)")
    }

    @Test(arguments: End.allCases) func theNextStartTellsTheIndexWhatItLacks(end: End) async throws {
      let folder = try TemporaryFolder()
      let former = try await Service(folder: folder)
      let lock = try await locked(former)
      let sender = try await ToneSender("ada", frequency: 440, in: "studio", of: former)
      let id = try await take(in: "studio", of: former)
      _ = await former.process.line { $0.contains("the index does not take") }
      try await stop(id, of: former)
      try await sender.end()
      try await completeTakes(1, of: former)
      switch end {
      case .killed:
        former.process.send(SIGKILL)
        _ = await former.process.exitStatus()
      case .stopped: #expect(await former.close() == 0)
      }
      #expect(await lock.terminate() == 0)

      let service = try await Service(folder: folder)
      let take = try await service.finishedTake(in: "studio")
      #expect(take.id == id && take.state == "ready")
      try await eventually("the index has caught up") {
        try await service.get("/readyz").object?["index"] == nil
      }
      #expect(try await service.get("/v1/sessions").object?["items"]?.array?.count == 1)
      try await check(service)
      #expect(await service.close() == 0)
    }
  }
}
