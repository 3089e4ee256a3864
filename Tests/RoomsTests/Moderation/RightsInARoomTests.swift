import Machines
import Music
import Recording
import Signaling
import Testing

@testable import Rooms

/// The room itself asks the table of rights, whatever a door forgot.
@Suite(.serialized, .timeLimit(.minutes(2))) struct RightsInARoomTests: AskingARoom {
  @Test(arguments: Authority.allCases.filter { $0 > .stranger })
  func refusesEveryCommandBeyondTheAuthorityOfItsMember(authority: Authority) async throws {
    let service = try await LiveService(policy: RoomPolicy(recording: .manual))
    let room = try RoomName(checking: "studio")
    let object = try SharedObjectName(checking: "sheet")
    let label = try service.label("mic")
    let nobody = ParticipantID(at: MonotonicClock.wall)
    let member = try await service.broker.enter(room, try request("x", authority))
    let commands: [RoomCommand] = [
      .publish(label, offer: "v=0"), .subscribe(label, to: .mix, offer: "v=0"), .redirect(label, to: nil),
      .answer(label, sdp: "v=0"), .candidate(label, .end), .restart(label, offer: "v=0"), .close(label),
      .startTake(song: nil), .stopTake, .splitTake(song: nil), .cue("here"), .message("hello", to: nil),
      .report(ClientReport()), .sharedObjectUse(object, isPersistent: nil),
      .sharedObjectChange(object, [.set("a", .null)]), .sharedObjectRelease(object), .kick(nobody),
      .mute(nobody, true), .exchange(label, with: nobody, offer: "v=0"), .sound(.muted), .meshEnter,
      .meshRelay(PairMessage(.bye), to: nobody), .meshReport(PairReport(.failed), about: nobody), .topology(.routed),
      .call("sum", []), .snapshot, .leave,
    ]
    var kinds: Set<Int> = []
    for command in commands {
      // No default: a new command has to be added above.
      let (kind, least): (Int, Authority) =
        switch command {
        case .publish: (0, .musician)
        case .subscribe: (1, .listener)
        case .redirect: (2, .listener)
        case .answer: (3, .listener)
        case .candidate: (4, .listener)
        case .restart: (5, .listener)
        case .close: (6, .listener)
        case .startTake: (7, .musician)
        case .stopTake: (8, .musician)
        case .splitTake: (9, .musician)
        case .cue: (10, .musician)
        case .message: (11, .listener)
        case .report: (12, .listener)
        case .sharedObjectUse: (13, .listener)
        case .sharedObjectChange: (14, .musician)
        case .sharedObjectRelease: (15, .listener)
        case .kick: (16, .moderator)
        case .snapshot: (17, .listener)
        case .leave: (18, .listener)
        case .mute: (19, .moderator)
        case .call: (20, .listener)
        case .sound: (21, .musician)
        case .exchange: (26, .musician)
        case .meshEnter: (22, .musician)
        case .meshRelay: (23, .musician)
        case .meshReport: (24, .musician)
        case .topology: (25, .owner)
        }
      kinds.insert(kind)
      // A listener's place sends no audio, whatever the rights of its holder.
      if case .publish = command, authority >= least { continue }
      if case .exchange = command, authority >= least { continue }
      if case .meshEnter = command, authority >= least { continue }
      let refusal = await code { try await member.perform(command) }
      #expect((refusal == .forbidden) == (authority < least), "\(authority) \(command): \(refusal as Any)")
    }
    #expect(kinds == Set(0...26))
    await service.end()
  }

  @Test func refusesAPlaceBeyondTheAuthority() async throws {
    let service = try await LiveService()
    let room = try RoomName(checking: "studio")
    for (authority, role, door, isAllowed) in [
      (Authority.stranger, Role.listener, Authorisation.Door.native, false), (.listener, .listener, .native, true),
      (.listener, .musician, .native, false), (.musician, .musician, .native, true),
      (.listener, .musician, .whip, false),
      (.musician, .listener, .whip, false), (.owner, .listener, .whep, true),
    ] {
      let name = "\(authority)-\(role)-\(door)"
      let refusal = await code {
        _ = try await service.broker.enter(room, try request(name, authority, role, door: door))
        return .done
      }
      #expect((refusal == nil) == isAllowed, "\(name): \(refusal as Any)")
    }
    await service.end()
  }

  @Test func aModeratorRemovesAMemberWhoIsToldSo() async throws {
    let service = try await LiveService()
    let room = try RoomName(checking: "studio")
    let ada = try await service.broker.enter(room, try request("ada", .musician, .musician))
    let boss = try await service.broker.enter(room, try request("boss", .owner))
    let steward = try await service.broker.enter(room, try request("mod", .moderator))
    #expect(await code { try await steward.perform(.kick(boss.participant)) } == .forbidden)
    #expect(await code { try await ada.perform(.kick(steward.participant)) } == .forbidden)
    #expect(await code { try await steward.perform(.kick(ada.participant)) } == nil)
    var last: RoomEvent?
    for await event in ada.events { last = event }
    #expect(last == .closed(reason: .kicked))
    #expect(await code { try await ada.perform(.snapshot) } == .notJoined)
    #expect(await code { try await steward.perform(.kick(ada.participant)) } == .unknownParticipant)
    // The seat is given up: its secret takes nothing over.
    let again = try await service.broker.enter(
      room, JoinRequest(name: try DisplayName(checking: "ada"), resumeSecret: ada.resumeSecret))
    #expect(again.resumeSecret != ada.resumeSecret)
    await service.end()
  }

  @Test func aRevokedTokensMembersAreRemovedAndComeBackByNoDoor() async throws {
    let service = try await LiveService()
    let room = try RoomName(checking: "studio")
    func join(_ name: String, _ id: String?, _ door: Authorisation.Door) throws -> JoinRequest {
      var join = try request(name, .musician, .musician, door: door)
      join.token = TokenStamp(id: id, room: room, issued: 1)
      return join
    }
    let ada = try await service.broker.enter(room, try join("ada", "one", .native))
    let bob = try await service.broker.enter(room, try join("bob", "two", .native))
    _ = try await service.broker.revoke(.token("one"), until: nil)
    var last: RoomEvent?
    for await event in ada.events { last = event }
    #expect(last == .closed(reason: .kicked))
    #expect(await code { try await bob.perform(.snapshot) } != .notJoined)
    for door in Authorisation.Door.allCases where Authorisation.rule(for: .takeSeat).doors.contains(door) {
      let refusal = await code {
        _ = try await service.broker.enter(room, try join("ada", "one", door))
        return .done
      }
      #expect(refusal == .unauthorized, "\(door)")
    }
    _ = try await service.broker.revoke(.room(room), until: nil)
    for await event in bob.events { last = event }
    #expect(last == .closed(reason: .kicked))
    await service.end()
  }

  private func refusal(
    of request: JoinRequest, _ service: LiveService, _ room: RoomName
  ) async -> RoomRefusal.Code? {
    await code {
      _ = try await service.broker.enter(room, request)
      return .done
    }
  }

  @Test func whatATokenPermitsEndsWithIt() async throws {
    let service = try await LiveService()
    let room = try RoomName(checking: "studio")
    func join(_ name: String, in room: RoomName?, until expiry: WallTime?) throws -> JoinRequest {
      var join = try request(name, .musician, .musician)
      let expiry = expiry.map { Double($0.milliseconds) / 1e3 }
      join.token = TokenStamp(id: name, room: room, issued: 1, expiry: expiry)
      return join
    }
    let end = MonotonicClock.wall + .seconds(1)
    let ada = try await service.broker.enter(room, try join("ada", in: room, until: end))
    let bob = try await service.broker.enter(room, try join("bob", in: nil, until: end + .seconds(600)))
    var last: RoomEvent?
    for await event in ada.events { last = event }
    #expect(last == .closed(reason: .expired))
    #expect(MonotonicClock.wall >= end)
    #expect(await code { try await ada.perform(.snapshot) } == .notJoined)
    // Neither does the secret of the seat bring it back.
    var again = try join("ada", in: room, until: end)
    again.resumeSecret = ada.resumeSecret
    #expect(await refusal(of: again, service, room) == .unauthorized)
    // A token for every room holds on, until those of this room are revoked.
    #expect(await code { try await bob.perform(.snapshot) } != .notJoined)
    _ = try await service.broker.revoke(.room(room), until: nil)
    for await event in bob.events { last = event }
    #expect(last == .closed(reason: .kicked))
    let late = try join("bob", in: nil, until: nil)
    #expect(await refusal(of: late, service, room) == .unauthorized)
    _ = try await service.broker.enter(try RoomName(checking: "attic"), late)
    await service.end()
  }

  @Test func revocationsSurviveARestart() async throws {
    let service = try await LiveService()
    let stamp = TokenStamp(id: "one", room: nil, issued: 1)
    let den = try RoomName(checking: "den")
    _ = try await service.broker.revoke(.token("one"), until: nil)
    _ = try await service.broker.revoke(.room(den), until: nil)
    let entries = service.broker.revocations.entries
    #expect(entries.count == 2)
    let again = try Revocations(recordings: service.folder)
    #expect(again.revokes(stamp))
    #expect(again.revokes(TokenStamp(id: "two", room: den, issued: 1)))
    #expect(again.entries.map(\.subject) == entries.map(\.subject))
    await service.end()
  }

  @Test func aFileOfRevocationsThatCannotBeReadIsNotIgnored() async throws {
    let service = try await LiveService()
    let folder = try TakeFolder.obtain(RevocationFile.folder, in: service.folder)
    for text in [
      "{", #"{"version":1,"revocations":[{"revokedAt":"2026-01-01T00:00:00Z","until":"2026-01-01T00:00:00Z"}]}"#,
    ] {
      try folder.write(Array(text.utf8), as: RevocationFile.name)
      #expect(throws: FileProblem.self) { try Revocations(recordings: service.folder) }
    }
    await service.end()
  }
}
