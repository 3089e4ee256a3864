import Signaling
import TestSupport
import Testing

extension Apps {
  /// Apps made for XirSys: drivers that follow their sequences, with real WebRTC.
  @Suite(.serialized) struct XirSysTests {
    /// In both dialects at the same time, each with a service of its own.
    private func inBothDialects(_ body: @escaping @Sendable (String) async throws -> Void) async throws {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for dialect in ["a", "b"] { group.addTask { try await body(dialect) } }
        try await group.waitForAll()
      }
    }

    @Test func threeAppsLeaveAndJoinInAnyOrder() async throws {
      try await inBothDialects { try await leaveAndJoin(in: $0) }
    }

    private func leaveAndJoin(in dialect: String) async throws {
      let service = try await Service(environment: ["JAMJAR_XIRSYS_ACCOUNTS": "band:a-secret-of-ours"])
      let apps = try PythonPeer.start("xirsys.py", [service.address, dialect, "15"])
      #expect(await apps.exitStatus() == 0, "\(apps.text)")
      #expect(apps.text.contains("\"done\""), "\(apps.text)")
      #expect(apps.text.contains("\"full\""), "\(apps.text)")
      #expect(!apps.text.contains("crash"), "\(apps.text)")
      // Somebody was always there: one take, in which each musician has a track, however often they came back.
      let take = try await service.finishedTake(in: "garage")
      let names = Set(take.tracks.map(\.participant))
      #expect(names == ["Anna's iPhone", "bob", "carl"])
      let count = try await service.takes(in: "garage").count
      #expect(count == 1)
      await service.close()
    }

    /// A mesh, where nothing but the bot's own connections brings it any sound.
    @Test func aBotIsAPeerOfTheirMesh() async throws {
      try await inBothDialects { try await connectBot(in: $0) }
    }

    private func connectBot(in dialect: String) async throws {
      let here = try await Service(["--webhook-private"])
      let there = try await Service(
        ["--topology", "mesh", "--capacity", "4"], environment: ["JAMJAR_XIRSYS_ACCOUNTS": "band:a-secret-of-ours"])
      let words = dialect == "a" ? "perch" : "message"
      let url =
        "xirsys+http://127.0.0.1:\(there.port)/studio.example/default/garage?ident=band&secret=a-secret-of-ours"
      let bot = try await HTTP.send(
        "POST", "\(here.address)/v1/bots", json: ["url": .string("\(url)&dialect=\(words)"), "room": "garage"])
      let id = try bot.json.object?["id"]?.string ?? ""
      try await eventually("the bot is in the room") {
        try await here.get("/v1/bots/\(id)").object?["state"]?.string == "waiting"
      }
      let apps = try PythonPeer.start("xirsys.py", [there.address, dialect, "2"])
      #expect(await apps.exitStatus() == 0, "\(apps.text)")
      #expect(apps.text.contains("\"done\""), "\(apps.text)")
      // The musicians of the driver offer no pictures to each other; the bot does, since apps end without.
      #expect(!apps.text.contains("\"by\": \"Jamjar\""), "\(apps.text)")
      for trap in ["not in the list", "fourth musician"] { #expect(!apps.text.contains(trap), "\(apps.text)") }
      let take = try await here.finishedTake(in: "garage")
      let names = Set(take.tracks.map(\.participant))
      #expect(names == ["Anna's iPhone", "bob", "carl"])
      // Apps that are among themselves are not recorded by the service in whose room they are.
      let others = try await there.takes(in: "garage")
      #expect(others.isEmpty)
      await here.close()
      await there.close()
    }

    @Test func pythonXirsysFindsWhatItExpects() async throws {
      let service = try await Service(
        ["--stun", "127.0.0.1"], environment: ["JAMJAR_XIRSYS_ACCOUNTS": "band:a-secret-of-ours"])
      let peer = try PythonPeer.start("xirsys_rest.py", [service.address])
      #expect(await peer.exitStatus() == 0, "\(peer.text)")
      await service.close()
    }
  }
}
