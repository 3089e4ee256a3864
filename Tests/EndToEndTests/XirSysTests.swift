import Testing

extension Senders {
  /// Apps made for XirSys: drivers that follow their sequences, with real WebRTC.
  @Suite(.serialized) struct XirSysTests {
    @Test(arguments: ["a", "b"])
    func threeAppsLeaveAndJoinInAnyOrder(dialect: String) async throws {
      let service = try await Service(environment: ["JAMJAR_XIRSYS_ACCOUNTS": "band:a-secret-of-ours"])
      let apps = try PythonPeer.start("xirsys.py", [service.address, dialect, "20"])
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

    @Test func pythonXirsysFindsWhatItExpects() async throws {
      let service = try await Service(environment: ["JAMJAR_XIRSYS_ACCOUNTS": "band:a-secret-of-ours"])
      let peer = try PythonPeer.start("xirsys_rest.py", [service.address])
      #expect(await peer.exitStatus() == 0, "\(peer.text)")
      await service.close()
    }
  }
}
