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

  /// A seat of a real room whose session has lost its link.
  private func parked(_ entry: RoomEntry, in service: TestService) async throws -> ParkedSeats.Parked {
    let seat = OccupiedSeat(try await service.broker.enter(entry.room, entry.request), entry)
    #expect(seat.pass(from: .session, to: .room))
    return ParkedSeats.Parked(seat: seat, session: Someone())
  }

  @Test func oneJoinAtATimeWantsASeatAndAFailedOneGivesItBack() async throws {
    try await TestService.with { service async throws in
      let (seats, entry) = (ParkedSeats(), try self.entry("ann"))
      let parked = try await parked(entry, in: service)
      seats.park(parked)
      let stranger = seats.claim(try self.entry("ann", from: "192.0.2.2"))
      #expect(stranger == nil)
      let first = try #require(seats.claim(entry))
      #expect(first.seat === parked.seat)
      let second = seats.claim(entry)
      #expect(second == nil)
      seats.park(first)
      let third = seats.claim(entry)
      #expect(third?.session === parked.session)
    }
  }

  /// The old session and a join may both want the seat; whichever is first has it, and the other learns that.
  @Test func aSeatIsTakenOnce() async throws {
    try await TestService.with { service async throws in
      let (seats, entry) = (ParkedSeats(), try self.entry("ann"))
      let parked = try await parked(entry, in: service)
      seats.park(parked)
      let claimed = try #require(seats.claim(entry))
      // The old session returns while the join is on its way, and the join fails then.
      #expect(parked.seat.pass(from: .room, to: .others))
      #expect(!claimed.seat.pass(from: .room, to: .others))
      seats.park(claimed)
      let later = seats.claim(entry)
      #expect(later == nil)
    }
  }

  @Test func aSeatIsForgottenOnlyByItsOwnSession() async throws {
    try await TestService.with { service async throws in
      let (seats, entry) = (ParkedSeats(), try self.entry("ann"))
      let (own, other) = (try await parked(entry, in: service), try await parked(try self.entry("bob"), in: service))
      seats.park(own)
      seats.forget(other.seat)
      let found = try #require(seats.claim(entry))
      seats.park(found)
      seats.forget(own.seat)
      let gone = seats.claim(entry)
      #expect(gone == nil)
    }
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
              // A client may know of its link before the service counts it.
              try await eventually("every link is counted, and the lost session") { try await sessions(service) == 5 }
              let code = try await again.error("joinRoom", ["user": "cy", "room": "take5"])
              #expect(code == 201, "the room is full")
              let after = try await sessions(service)
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
