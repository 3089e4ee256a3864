import Foundation
import Machines
import Music
import Recording
import Rooms
import Signaling
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct RoomQuotaTests {
  @Test func recordingBeginsOnceTheRoomHasSpaceAgain() async throws {
    let service = try await LiveService(roomQuota: 1_000)
    let room = try RoomName(checking: "den")
    let folder = service.folder + "/den/2026-01-01-ABCDEF/01-untitled"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data(count: 2_000).write(to: URL(fileURLWithPath: folder + "/mix.flac"))

    let (membership, peer) = try await service.musician("ada", in: "den")
    let performance = try TestSignal(seed: 1, seconds: 20).performance()
    let playing = Task { await peer.play(performance, from: MonotonicClock.now) }
    for await event in membership.events {
      guard case .warning(let code, let sentence, _) = event else { continue }
      #expect(code == .recordingDegraded && sentence.contains("not being recorded"))
      break
    }
    #expect(await service.broker.snapshot(of: room)?.take == nil)

    try FileManager.default.removeItem(atPath: folder + "/mix.flac")
    try await eventually("a take has begun by itself") { await service.broker.snapshot(of: room)?.take != nil }
    playing.cancel()
    await peer.close()
    await membership.leave()
    await service.end()
  }
}
