import Music
import NIOHTTP1
import Rooms
import Signaling
import TestSupport
import Testing

@testable import Client
@testable import Server

/// Seats of sessions that lost their link, and the joins that want them.
@Suite(.timeLimit(.minutes(5))) struct ParkedSeatsTests {
  /// Stands for the session that a seat belongs to.
  private actor Someone: SignalingSession {
    let id = "someone"

    func attach(_ outlet: any SessionOutlet) {}
    func receive(_ text: String, from link: LinkNumber) {}
    func unreadable(_ sentence: String, from link: LinkNumber) {}
    func linkLost(_ link: LinkNumber, isLeaving: Bool) {}
    func afterRoom(_ act: @escaping @Sendable () -> Void) { act() }
    func supersede() {}
    func run() {}
  }

  private func entry(_ name: String, from address: String = "192.0.2.1") throws -> RoomEntry {
    var request = JoinRequest(name: try DisplayName(checking: name))
    request.address = address
    return RoomEntry(try RoomName(checking: "take5"), request)
  }

  private func sessions(_ service: TestService) async throws -> Int? {
    let lines = try await service.send(.GET, "/metrics").text.split(separator: "\n")
    let line = lines.first { $0.hasPrefix("jamjar_kurento_room_sessions ") }
    return line?.split(separator: " ").last.flatMap { Int($0) }
  }

  @Test func oneJoinAtATimeWantsASeatAndAFailedOneGivesItBack() throws {
    let seats = ParkedSeats()
    let (session, entry) = (Someone(), try self.entry("ann"))
    seats.park(ParkedSeats.Seat(session: session, resumeSecret: "secret"), of: entry)
    let other = try self.entry("ann", from: "192.0.2.2")
    let stranger = seats.claim(other)
    #expect(stranger == nil)
    let first = try #require(seats.claim(entry))
    #expect(first.resumeSecret == "secret")
    let second = seats.claim(entry)
    #expect(second == nil)
    seats.release(first, entry)
    let third = seats.claim(entry)
    #expect(third?.session === session)
  }

  /// The old session and a join may both want the seat; whichever forgets it first has it, and the other learns that.
  @Test func aSeatIsForgottenOnceAndOnlyByItsOwnSession() throws {
    let seats = ParkedSeats()
    let (session, other, entry) = (Someone(), Someone(), try self.entry("ann"))
    seats.park(ParkedSeats.Seat(session: session, resumeSecret: "secret"), of: entry)
    _ = seats.claim(entry)
    #expect(!seats.forget(other, entry))
    #expect(seats.forget(session, entry))
    #expect(!seats.forget(session, entry))
    #expect(seats.claim(entry) == nil)
  }

  @Test func aJoinThatFailsEndsNoOtherSession() async throws {
    try await TestService.with { service async throws in
      let room = try RoomName(checking: "take5")
      try await RPCConnection.with(service) { ann async throws in
        _ = try await ann.join("take5", as: "ann")
        try await RPCConnection.with(service) { bob async throws in
          _ = try await bob.join("take5", as: "bob")
          try await RPCConnection.with(service) { cy async throws in
            _ = try await cy.join("take5", as: "cy")
            cy.cut()
            await cy.untilClosed()
          }
          try await eventually("the link is seen to be lost") {
            await service.broker.snapshot(of: room)?.members.last?.isConnected == false
          }
          try await RPCConnection.with(service) { dan async throws in
            // Takes the place of the one who is gone.
            _ = try await dan.join("take5", as: "dan")
            try await RPCConnection.with(service) { again async throws in
              let before = try await sessions(service)
              let code = try await again.error("joinRoom", ["user": "cy", "room": "take5"])
              #expect(code == 201, "the room is full")
              let after = try await sessions(service)
              #expect(after == before)
              #expect(after == 5, "the lost session still waits for its client")
              _ = try await bob.result("leaveRoom")
              let others = try await again.join("take5", as: "cy")
              #expect(others.count == 2)
              let names = await service.broker.snapshot(of: room)?.members.map { $0.participant.name.description } ?? []
              #expect(names.sorted() == ["ann", "cy", "dan"])
            }
          }
        }
      }
    }
  }
}
