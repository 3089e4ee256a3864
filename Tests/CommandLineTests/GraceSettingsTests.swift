import ArgumentParser
import Foundation
import Music
import Rooms
import Testing

@testable import jamjar

/// How long seats wait for their clients.
@Suite struct GraceSettingsTests {
  private func rooms(_ options: String...) async throws -> RoomsConfiguration {
    let path = FileManager.default.temporaryDirectory.appending(path: "jamjar-\(UInt64.random(in: 0 ... .max)).json")
    defer { try? FileManager.default.removeItem(at: path) }
    try Data("{}".utf8).write(to: path)
    return try await Settings.read(try SettingsOptions.parse(options + ["--config", path.path])).rooms
  }

  @Test func aSeatOfKurentoWaitsAsLongAsKurentoUnlessAskedOtherwise() async throws {
    let usual = try await rooms()
    #expect(usual.policy.gracePeriod == 30 && usual.kurentoGrace == 10)
    for seconds in [1.0, 60] {
      let asked = try await rooms("--grace", "\(seconds)")
      #expect(asked.policy.gracePeriod == seconds && asked.kurentoGrace == seconds)
    }
    #expect(RoomsConfiguration(recordings: "", policy: RoomPolicy(gracePeriod: 2)).kurentoGrace == 2)
  }
}
