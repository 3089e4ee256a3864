import Catalog
import Foundation
import Machines
import Music
import Recording
import Signaling
import TestSupport
import Testing

@testable import Rooms

/// The loop of a room stands still before and after a take ends, as on a machine that does too much at once: what lies
/// in the sockets belongs to the take.
@Suite(.serialized, .timeLimit(.minutes(2))) struct StalledLoopTests {
  enum Ending: String, CaseIterable, Sendable { case stop, leave }

  /// Runs on a room's loop, which does nothing else meanwhile.
  private actor Stall {
    private let room: RoomActor
    nonisolated var unownedExecutor: UnownedSerialExecutor { room.unownedExecutor }

    init(_ room: RoomActor) { self.room = room }

    /// Holds the loop after `begin`, and returns when it ended.
    func hold(after begin: @Sendable () -> Void) -> MonotonicTime {
      begin()
      usleep(1_000_000)
      return MonotonicClock.now
    }

    /// Holds the loop, ends the take, and holds the loop for longer than a stopped take is kept open.
    /// - Returns: when the take ended.
    func hold(around ending: Ending) throws -> MonotonicTime {
      usleep(1_000_000)
      let now = MonotonicClock.now
      try room.assumeIsolated { room in
        switch ending {
        case .stop: _ = try room.stopTake()
        case .leave: for member in room.members where member.role == .musician { room.remove(member, at: now) }
        }
      }
      usleep(900_000)
      return now
    }
  }

  /// A service that is told to end while a loop stands still reads first, too.
  @Test func whatLiesInTheSocketsIsInTheTakeThatAShutdownEnds() async throws {
    let service = try await LiveService()
    let name = try RoomName(checking: "studio")
    let ada = try await service.musician("ada", in: "studio")
    let performance = try TestSignal(seed: 42, seconds: 6).performance()
    let start = MonotonicClock.now
    let playing = Task { await ada.peer.play(performance, from: start) }
    try await eventually("a take rolls") { await service.broker.snapshot(of: name)?.take != nil }
    let stall = Stall(try service.broker.live(name))
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    async let held = stall.hold { begin.finish() }
    for await _ in begun {}
    await service.broker.drain()
    let end = await held
    let take = try #require(try await service.index.takes(TakeQuery()).items.first)
    let track = try #require(try await service.index.tracks(of: take.id).first)
    let played = Int((end - start).seconds * 50)
    let expected = try #require(track.alignment?.expectedPackets)
    #expect(expected >= played - 3, "\(played) packets were sent before the end")
    #expect(track.alignment?.lostPackets == 0)
    #expect(track.gaps.isEmpty, "\(track.gaps)")
    await ada.peer.close()
    await playing.value
    await service.end()
  }

  @Test(arguments: Ending.allCases)
  func whatLiesInTheSocketsIsInTheTake(_ ending: Ending) async throws {
    let service = try await LiveService()
    let name = try RoomName(checking: "studio")
    let watcher = try await service.broker.enter(
      name, JoinRequest(name: try DisplayName(checking: "ear"), role: .listener))
    let ada = try await service.musician("ada", in: "studio")
    let performance = try TestSignal(seed: 41, seconds: 6).performance()
    let start = MonotonicClock.now
    let playing = Task { await ada.peer.play(performance, from: start) }
    try await eventually("a take rolls") { await service.broker.snapshot(of: name)?.take != nil }
    let end = try await Stall(try service.broker.live(name)).hold(around: ending)
    let id = try #require(await service.finishedTake(watcher.events))
    let track = try #require(try await service.index.tracks(of: id).first)
    let played = Int((end - start).seconds * 50)
    let expected = try #require(track.alignment?.expectedPackets)
    // A musician who leaves may have played for as long as the report of it takes.
    let most = played + 3 + (ending == .leave ? Int(RoomActor.tail.seconds * 50) : 0)
    #expect((played - 3...most).contains(expected), "\(played) packets were sent before the end")
    #expect(track.alignment?.lostPackets == 0)
    #expect(track.gaps.isEmpty, "\(track.gaps)")
    await ada.peer.close()
    await playing.value
    await watcher.leave()
    await service.end()
  }
}
