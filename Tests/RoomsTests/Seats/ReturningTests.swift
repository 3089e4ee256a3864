import Catalog
import Machines
import Music
import Realtime
import Recording
import Signaling
import Testing

@testable import Rooms

/// Musicians who leave in the middle of a take and come back.
@Suite(.serialized, .timeLimit(.minutes(2))) struct ReturningTests {
  /// Somebody plays half a second per stay, and leaves after each; `bob` stays, so that the session goes on.
  private func tracks(
    ofStays stays: [(name: String, identity: String?, address: String?)], returning: ReturnPolicy = .track
  ) async throws -> (tracks: [Track], participants: [ParticipantID]) {
    let service = try await LiveService(policy: RoomPolicy(recording: .manual), returning: returning)
    let bob = try await service.musician("bob", in: "studio")
    guard case .take(let take, _) = try await bob.membership.perform(.startTake(song: nil)) else {
      throw ClientPeer.Failure(description: "no take")
    }
    let performance = try TestSignal(seed: 3, seconds: 0.5).performance()
    var participants: [ParticipantID] = []
    for stay in stays {
      let ada = try await service.musician(
        stay.name, in: "studio", identity: stay.identity, address: stay.address)
      participants.append(ada.membership.participant)
      await ada.peer.play(performance, from: MonotonicClock.now)
      _ = try await ada.membership.perform(.leave)
      await ada.peer.close()
    }
    _ = try await bob.membership.perform(.stopTake)
    #expect(await service.finishedTake(bob.membership.events) == take)
    let tracks = try await service.index.tracks(of: take)
    await bob.peer.close()
    await service.end()
    return (tracks, participants)
  }

  @Test func areOneTrackWithGapsWhileTheyWereAway() async throws {
    let (tracks, participants) = try await tracks(
      ofStays: [("ada", nil, "192.0.2.1"), ("ada", nil, "192.0.2.1"), ("ada", nil, "192.0.2.1")])
    #expect(Set(participants).count == 1)
    #expect(tracks.count == 1)
    let track = try #require(tracks.first)
    #expect(track.participant.id == participants.first)
    #expect(track.alignment?.expectedPackets == 75)
    #expect(track.alignment?.lostPackets == 0)
    #expect(track.gaps.count { $0.cause == .disconnected && $0.length.seconds > 0.02 } >= 2, "\(track.gaps)")
    #expect(track.gaps.allSatisfy { $0.cause == .disconnected }, "\(track.gaps)")
  }

  @Test func areATrackForEveryStayIfThatIsWanted() async throws {
    let (tracks, participants) = try await tracks(
      ofStays: [("ada", nil, "192.0.2.1"), ("ada", nil, "192.0.2.1")], returning: .part)
    #expect(Set(participants).count == 2)
    #expect(tracks.count == 2)
  }

  @Test func areKnownByTheirTokensAndNotByTheirNameAlone() async throws {
    let (tracks, participants) = try await tracks(
      ofStays: [
        ("ada", "sub:1", nil), ("ada", "sub:2", nil), ("ada", nil, "192.0.2.1"), ("ada", nil, "192.0.2.2"),
        ("ada", "sub:1", nil),
      ])
    #expect(Set(participants).count == 4)
    #expect(participants.first == participants.last)
    #expect(tracks.count == 4)
  }

  @Test func theSecretOfTheSeatProvesThemToo() throws {
    var seats = FormerSeats()
    let name = try DisplayName(checking: "ada")
    let ada = Participant(id: ParticipantID(at: MonotonicClock.wall), name: name)
    seats.remember(ada, identity: "sub:1", address: nil, resumeSecret: "secret")
    #expect(seats.participant(of: JoinRequest(name: name, resumeSecret: "secret")) == ada.id)
    #expect(seats.participant(of: JoinRequest(name: name, resumeSecret: "guess!")) == nil)
    #expect(seats.participant(of: JoinRequest(name: try DisplayName(checking: "eve"), resumeSecret: "secret")) == nil)
    seats.endSession()
    #expect(seats.participant(of: JoinRequest(name: name, resumeSecret: "secret")) == nil)
  }

  @Test func aSecondSeatIsToldFromAKeptOneByItsSecret() async throws {
    let service = try await LiveService()
    let room = try RoomName(checking: "studio")
    let name = try DisplayName(checking: "ada")
    _ = try await service.broker.enter(room, JoinRequest(name: try DisplayName(checking: "bob")))
    let first = try await service.broker.enter(room, JoinRequest(name: name))
    let kept = try await service.broker.enter(room, JoinRequest(name: name, resumeSecret: first.resumeSecret))
    #expect(kept.resumeSecret == first.resumeSecret)
    await kept.leave()
    let second = try await service.broker.enter(room, JoinRequest(name: name, resumeSecret: first.resumeSecret))
    #expect(second.participant == first.participant)
    #expect(second.resumeSecret != first.resumeSecret)
    await service.end()
  }
}
