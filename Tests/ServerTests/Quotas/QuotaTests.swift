import Catalog
import Foundation
import Library
import Machines
import Music
import NIOCore
import NIOHTTP1
import Rooms
import Signaling
import TestSupport
import Testing

@testable import Client
@testable import Server

/// What one token, or one address, may do to a service with keys; and what the operator can do meanwhile.
@Suite(.timeLimit(.minutes(5))) struct QuotaTests {
  private let key = ("Authorization", "Bearer \(TestService.key)")

  private func withKeys(
    _ adjust: (inout ServerConfiguration) -> Void = { _ in }, _ body: (TestService) async throws -> Void
  ) async throws {
    try await TestService.with(
      {
        $0.rtmp = .init(0)
        $0.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
        adjust(&$0)
      }, body)
  }

  private func events(_ credential: (String, String)) -> String {
    "GET /v1/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\(credential.0): \(credential.1)\r\n\r\n"
  }

  private func metric(_ service: TestService, _ name: String) async throws -> Int {
    let lines = try await service.send(.GET, "/metrics", [key]).text.split(separator: "\n")
    return lines.first { $0.hasPrefix(name + " ") }.flatMap { Int($0.dropFirst(name.count + 1)) } ?? -1
  }

  @Test func oneTokenTakesAFewEventStreamsAndTheOperatorAlwaysGetsOne() async throws {
    try await withKeys {
      $0.limits.quotas[.stream, per: .credential] = .held(2)
      $0.limits.quotas[.stream, per: .service] = .held(4, reserve: 1)
      $0.limits.heartbeatInterval = 90
    } _: { service async throws in
      let ada = try await service.token("den", .listener)
      try await RawConnection.with(port: service.port) { first in
        var one = try await StreamReading(first, events(ada))
        _ = await one.until("retry")
        try await RawConnection.with(port: service.port) { second in
          var two = try await StreamReading(second, events(ada))
          _ = await two.until("retry")
          let third = try await service.send(.GET, "/v1/events", [ada])
          #expect(try third.status == 429 && third.problem == "rate-limited" && third["retry-after"] == "10")
          // A third token has the last place that is not the operator's.
          let bob = try await service.token("attic")
          try await RawConnection.with(port: service.port) { other in
            var stream = try await StreamReading(other, events(bob))
            _ = await stream.until("retry")
            #expect(try await service.send(.GET, "/v1/events", [bob]).status == 429)
            try await RawConnection.with(port: service.port) { operators in
              var stream = try await StreamReading(operators, events(key))
              #expect(await stream.until("retry").contains("200 OK"))
            }
          }
        }
      }
      let refusals = #"jamjar_quota_refusals_total{work="stream",scope="credential"}"#
      #expect(try await metric(service, refusals) == 1)
      #expect(try await metric(service, #"jamjar_quota_limit{work="stream",scope="credential"}"#) == 2)
      // A stream that has ended counts no more.
      try await eventually("the streams have ended") { service.broker.events.streamCount == 0 }
      try await RawConnection.with(port: service.port) { connection in
        var stream = try await StreamReading(connection, events(ada))
        #expect(await stream.until("retry").contains("200 OK"))
      }
    }
  }

  @Test func guessesAreSlowedDownAndWhatIsKnownNever() async throws {
    try await withKeys {
      $0.limits.quotas[.wrongSecret, per: .address] = .rate(3, per: .seconds(600))
      $0.limits.quotas[.guess, per: .address] = .rate(1, per: .seconds(600))
    } _: { service async throws in
      // Both are known from now on.
      let known = try await service.token("den")
      for right in [key, known] { #expect(try await service.send(.GET, "/v1/takes", [right]).status == 200) }
      let wrong = ("Authorization", "Bearer wrong-\(UUID().uuidString)")
      var statuses: [Int] = []
      for _ in 0..<5 { statuses.append(try await service.send(.GET, "/v1/takes", [wrong]).status) }
      #expect(statuses == [401, 401, 401, 429, 429])
      let refused = try await service.send(.GET, "/v1/takes", [wrong])
      #expect(try refused.problem == "rate-limited" && refused["retry-after"] != nil)
      // The same address, over the same connections.
      #expect(try await service.send(.GET, "/v1/takes", [key]).status == 200)
      #expect(try await service.send(.GET, "/v1/takes", [known]).status == 200)
      // Another right one would tell a guesser more than a second's worth.
      let new = try await service.token("den")
      #expect(try await service.send(.GET, "/v1/takes", [new]).status == 429)
      // No credentials at all are no attempt.
      #expect(try await service.send(.GET, "/v1/takes").status == 401)
      // The same count at every other door.
      #expect(try await service.send(.GET, "/getAllRooms", [wrong]).status == 429)
      let offer = try await service.send(.POST, "/whip/den", [wrong, ("Content-Type", "application/sdp")], body: "v=0")
      #expect(offer.status == 429)
      let den = try RoomName(checking: "den")
      let join = JoinRequest(name: try DisplayName(checking: "Eve"))
      try await NativeConnection.with(service.endpoint, room: den) { link in
        await #expect { try await link.join(join, token: "wrong") } throws: {
          let refusal = $0 as? RoomRefusal
          return refusal?.code == .rateLimited && refusal?.retryAfter != nil
        }
        _ = try await link.join(join, token: String(known.1.dropFirst("Bearer ".count)))
      }
      let rpc = #"{"jsonrpc":"2.0","id":1,"method":"joinRoom","params":{"user":"eve","room":"den","token":"wrong"}}"#
      let answer = try await service.send(.POST, "/room", [("Content-Type", "application/json")], body: rpc)
      #expect(answer.text.contains("try again in"), "\(answer.text)")
    }
  }

  @Test func joinsAndSplitsOfOneTokenAreLimitedAndTheOperatorIsNot() async throws {
    try await withKeys {
      $0.limits.quotas[.join, per: .credential] = .rate(2, per: .seconds(60))
      $0.limits.quotas[.take, per: .credential] = .rate(2, per: .seconds(60))
    } _: { service async throws in
      let den = try RoomName(checking: "den")
      let token = try await TestService.token("den")
      func join(_ name: String, token: String) async throws {
        try await NativeConnection.with(service.endpoint, room: den) { link in
          _ = try await link.join(JoinRequest(name: try DisplayName(checking: name)), token: token)
          _ = try await link.perform(.leave)
        }
      }
      for name in ["a", "b"] { try await join(name, token: token) }
      await #expect { try await join("c", token: token) } throws: { ($0 as? RoomRefusal)?.code == .rateLimited }
      for name in ["d", "e", "f"] { try await join(name, token: TestService.key) }

      let ada = JoinRequest(name: try DisplayName(checking: "Ada"))
      _ = try await service.broker.enter(den, ada)
      let credential = try await service.token("den")
      #expect(try await service.post("/v1/rooms/den/takes", [:], [credential]).status == 201)
      let take = try #require(await service.broker.snapshot(of: den)?.take?.id)
      let split = try await service.post("/v1/takes/\(take)/split", ["song": "one"], [credential])
      #expect(split.status == 201)
      let next = try #require(try split.json["id"]?.string)
      let refused = try await service.post("/v1/takes/\(next)/split", ["song": "two"], [credential])
      #expect(try refused.status == 429 && refused.problem == "rate-limited" && refused["retry-after"] != nil)
      #expect(try await service.post("/v1/takes/\(next)/split", ["song": "three"], [key]).status == 201)
    }
  }

  @Test func aSessionInWhichNothingWasRecordedLeavesNothing() async throws {
    try await TestService.with { service async throws in
      let den = try RoomName(checking: "den")
      for number in 0..<5 {
        let name = try DisplayName(checking: "Ada \(number)")
        let membership = try await service.broker.enter(den, JoinRequest(name: name))
        // A take without audio counts as nothing, too.
        if number == 4 {
          _ = try await membership.perform(.startTake(song: nil))
          _ = try await membership.perform(.stopTake)
        }
        await membership.leave()
      }
      try await eventually("the sessions are gone") {
        try await service.catalog.sessions(SessionQuery(limit: 10)).items.isEmpty
      }
      let folder = service.data.path + "/_library/sessions"
      try await eventually("their files are gone") {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).isEmpty
      }
      #expect(try await service.catalog.rooms().isEmpty)
    }
  }

  @Test func aTakeHasAFewBackupsForAnyNumberOfParticipants() async throws {
    try await TestService.with {
      $0.backups.perTake = 3
    } _: { service async throws in
      let den = try RoomName(checking: "den")
      let membership = try await service.broker.enter(den, JoinRequest(name: try DisplayName(checking: "Ada")))
      guard case .take(let take, _) = try await membership.perform(.startTake(song: nil)) else {
        Issue.record("no take was started")
        return
      }
      func begin() async throws -> TestService.Answer {
        try await service.post(
          "/v1/takes/\(take)/backups",
          [
            "participant": .string("\(ParticipantID(at: WallTime(milliseconds: .random(in: 0...1 << 40))))"),
            "sampleRate": 48_000, "channels": 1, "format": "s24le",
          ])
      }
      for _ in 0..<3 { #expect(try await begin().status == 201) }
      let refused = try await begin()
      #expect(try refused.status == 409 && refused.problem == "too-many" && refused.json["limit"] == 3)
    }
  }

  /// Downloads that nobody reads have places, and give them back with their connections.
  @Test func oneTokenHasAFewLongDownloadsAtATime() async throws {
    try await withKeys {
      $0.limits.quotas[.download, per: .credential] = .held(2)
      $0.limits.quotas[.download, per: .service] = .held(3, reserve: 1)
    } _: { service async throws in
      let shelved = try await ShelvedTake("den", in: service.data, service.catalog)
      let take = shelved.take
      // More than the system keeps for a client that does not read.
      try service.data.write([UInt8](repeating: 0x41, count: 24 << 20), "\(take.folder)/01-ada-guitar.flac")
      let path = "/v1/takes/\(take.id)/tracks/\(shelved.track.id)/audio"
      let ada = try await service.token("den", .listener)
      func get(_ credential: (String, String)) -> String {
        "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(credential.0): \(credential.1)\r\n\r\n"
      }
      try await RawConnection.with(port: service.port) { first in
        var one = try await StreamReading(first, get(ada))
        #expect(await one.until("\r\n\r\n").contains("200 OK"))
        try await RawConnection.with(port: service.port) { second in
          var two = try await StreamReading(second, get(ada))
          #expect(await two.until("\r\n\r\n").contains("200 OK"))
          let third = try await service.send(.GET, path, [ada])
          #expect(try third.status == 429 && third.problem == "rate-limited" && third["retry-after"] != nil)
          // What is short needs no place, nor does a look at the header.
          #expect(try await service.send(.GET, "/v1/takes/\(take.id)/mix", [ada]).status == 200)
          #expect(try await service.send(.HEAD, path, [ada]).status == 200)
          try await RawConnection.with(port: service.port) { operators in
            var stream = try await StreamReading(operators, get(key))
            #expect(await stream.until("\r\n\r\n").contains("200 OK"))
          }
        }
      }
      try await eventually("the places are free again") {
        try await RawConnection.with(port: service.port) { again in
          var stream = try await StreamReading(again, get(ada))
          return await stream.until("\r\n\r\n").contains("200 OK")
        }
      }
    }
  }

  /// A room's titles are nobody else's business, and no token fills the song book.
  @Test func aTokenSeesTheSongsOfItsRoomAndMakesAFewNewOnes() async throws {
    try await withKeys {
      $0.limits.quotas[.song, per: .credential] = .rate(2, per: .seconds(600))
    } _: { service async throws in
      let den = try await ShelvedTake("den", in: service.data, service.catalog)
      let attic = try await ShelvedTake("attic", in: service.data, service.catalog, song: "Nardis")
      let (ada, eve) = (try await service.token("den"), try await service.token("attic", .listener))
      func titles(_ credential: (String, String), _ query: String = "") async throws -> [String?] {
        try await service.send(.GET, "/v1/songs\(query)", [credential]).items.map { $0["title"]?.string }
      }
      #expect(try await titles(ada) == ["Blue in Green"])
      #expect(try await titles(ada, "?q=takes:0..") == ["Blue in Green"])
      #expect(try await titles(eve) == ["Nardis"])
      #expect(try await titles(key) == ["Blue in Green", "Nardis"])
      let secret = try #require(attic.take.song?.id)
      #expect(try await service.send(.GET, "/v1/songs/\(secret)", [ada]).status == 404)
      #expect(try await service.send(.GET, "/v1/songs/\(secret)", [eve]).status == 200)

      func edit(_ title: String) async throws -> Int {
        try await service.send(
          .PATCH, "/v1/takes/\(den.take.id)", [ada, ("Content-Type", "application/merge-patch+json")],
          body: #"{"song": {"title": "\#(title)"}}"#
        ).status
      }
      #expect(try await edit("One") == 200)
      #expect(try await edit("Two") == 200)
      #expect(try await edit("Three") == 429)
      // Known ones are free.
      #expect(try await edit("One") == 200)
      #expect(try await titles(ada) == ["One"])
    }
  }

  /// Deleting alone makes no room: what is in the trash is on the disk.
  @Test func theTrashCounts() async throws {
    try await TestService.with(roomQuota: 100_000) { service async throws in
      // Shelved takes lie in the folder of this room.
      let room = try RoomName(checking: "shelf")
      let take = try await ShelvedTake("shelf", in: service.data, service.catalog).take
      func refusal() async -> RoomRefusal.Code? {
        do throws(RoomRefusal) {
          try await service.broker.usage.check(room)
          return nil
        } catch {
          return error.code
        }
      }
      try service.data.write([UInt8](repeating: 0, count: 200_000), "\(take.folder)/huge.wav")
      // A measurement holds for some milliseconds.
      try await eventually("the take is measured") { await refusal() == .storage }
      #expect(try await service.send(.DELETE, "/v1/takes/\(take.id)").status == 200)
      #expect(FileManager.default.fileExists(atPath: service.data.path + "/_trash/\(take.id)/huge.wav"))
      // Longer than the measurement before holds.
      let clock = ContinuousClock()
      let moved = clock.now
      try await eventually("it was measured once more") {
        #expect(await refusal() == .storage)
        return clock.now - moved > .milliseconds(500)
      }
      try await service.broker.library.purge(take.id)
      try await eventually("the room is measured again") { await refusal() == nil }
    }
  }

  @Test func aRoomThatHasUsedUpItsQuotaBeginsNothingAndKeepsWhatRolls() async throws {
    try await TestService.with(roomQuota: 1_000) { service async throws in
      let den = try RoomName(checking: "den")
      let membership = try await service.broker.enter(den, JoinRequest(name: try DisplayName(checking: "Ada")))
      _ = try await membership.perform(.startTake(song: nil))
      try service.data.write([UInt8](repeating: 0, count: 2_000), "den/2026-01-01-ABCDEF/01-untitled/mix.flac")
      func split() async -> RoomRefusal? {
        do throws(RoomRefusal) {
          _ = try await membership.perform(.splitTake(song: nil))
          return nil
        } catch {
          return error
        }
      }
      // A measurement holds for some milliseconds.
      try await eventually("the room is measured again") { await split()?.code == .storage }
      let rolling = try #require(await service.broker.snapshot(of: den)?.take?.id)
      let answer = try await service.post("/v1/takes/\(rolling)/split", [:])
      #expect(try answer.status == 507 && answer.problem == "storage")
      let backup: JSONValue = [
        "participant": .string("\(membership.participant)"), "sampleRate": 48_000, "channels": 1, "format": "s24le",
      ]
      #expect(try await service.post("/v1/takes/\(rolling)/backups", backup).status == 507)
      #expect(await service.broker.snapshot(of: den)?.take?.id == rolling)
      // Other rooms have their own.
      let attic = try RoomName(checking: "attic")
      let other = try await service.broker.enter(attic, JoinRequest(name: try DisplayName(checking: "Bob")))
      _ = try await other.perform(.startTake(song: nil))
    }
  }
}
