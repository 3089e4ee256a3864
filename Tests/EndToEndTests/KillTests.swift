import Testing

extension Apps {
  /// The process is killed while takes roll.
  @Suite struct KillTests {
    /// `script/bench fidelity` does the same 200 times.
    @Test func everyTakeOfAKilledServiceIsFinishedAndLacks200MillisecondsAtMost() async throws {
      let kills = try PythonPeer.start("kill.py", [try Service.executable(), "--kills", "4", "--rooms", "2"])
      #expect(await kills.exitStatus() == 0, "\(kills.text)")
      #expect(kills.text.contains("\"tracks\": 24"), "\(kills.text)")
    }
  }
}
