import Music
import Recording
import Signaling
import TestSupport
import Testing

@testable import Rooms

/// The mix of a room for parts of the service that are no members.
@Suite(.timeLimit(.minutes(2))) struct MixOutletTests {
  @Test func itIsHeardByNobodyInTheRoomAndEndsWithIt() async throws {
    let service = try await LiveService(policy: RoomPolicy(recording: .manual))
    let room = try RoomName(checking: "studio")
    await #expect(throws: RoomRefusal.self) { _ = try await service.broker.openOutlet(of: room) }
    let ada = try await service.broker.enter(room, JoinRequest(name: try DisplayName(checking: "ada")))
    let everybody = try await service.broker.openOutlet(of: room)
    let chosen = try await service.broker.openOutlet(of: room, .only([ada.participant]))
    // It sounds also while nobody plays: silence.
    var times: [Int64] = []
    for await packet in everybody.packets {
      times.append(packet.timestamp)
      if times.count == 5 { break }
    }
    // A machine without time leaves some out, and none comes twice.
    let isInOrder = zip(times, times.dropFirst()).allSatisfy { $0 < $1 && ($1 - $0) % 960 == 0 }
    #expect(times.first == 0 && isInOrder, "\(times)")
    #expect(await service.broker.snapshot(of: room)?.members.map(\.participant.id) == [ada.participant])
    await everybody.close()
    // The other one goes on until the last member has left.
    await ada.leave()
    for await _ in chosen.packets {}
    try await eventually("the room is gone") { await service.broker.snapshot(of: room) == nil }
    await service.end()
  }

  @Test func aRoomHasABoundedNumberOfThem() async throws {
    let service = try await LiveService(policy: RoomPolicy(recording: .manual))
    let room = try RoomName(checking: "studio")
    let ada = try await service.broker.enter(room, JoinRequest(name: try DisplayName(checking: "ada")))
    var outlets: [MixOutlet] = []
    do {
      while outlets.count < 100 { outlets.append(try await service.broker.openOutlet(of: room)) }
      Issue.record("there is no bound")
    } catch {
      #expect(error.code == .tooMany && outlets.count == 8)
    }
    await (try #require(outlets.first)).close()
    let again = try await service.broker.openOutlet(of: room)
    await again.close()
    await ada.leave()
    await service.end()
  }
}
