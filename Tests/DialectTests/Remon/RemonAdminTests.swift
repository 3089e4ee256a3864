import Catalog
import Machines
import Music
import NIOHTTP1
import Rooms
import Signaling
import TestSupport
import Testing

@testable import Server

/// What the operator's servers do by Remote Monster's interface, and what the mixer's names cost.
@Suite(.timeLimit(.minutes(5))) struct RemonAdminTests {
  private func search(_ service: TestService, _ fields: JSONObject) async throws -> JSONObject {
    var body = fields
    body["secret"] = .string(TestService.key)
    let answer = try await service.send(
      .POST, "/v1/search", [RemonRESTTests.json], body: JSONValue.object(body).text)
    #expect(answer.status == 200, "\(answer.text)")
    return try answer.json
  }

  private func ids(_ reply: JSONObject) -> [String] {
    reply["items"]?.array?.compactMap { $0.object?["chid"]?.string } ?? []
  }

  @Test func searchFindsWhatLiesBehindManyOthers() async throws {
    try await RemonRESTTests.withServices { service async throws in
      let (needle, hay) = (try RoomName(checking: "Grüne-Needle"), try RoomName(checking: "hay"))
      for place in 0..<301 {
        let time = WallTime(milliseconds: 1_700_000_000_000 + Int64(place) * 1_000)
        let room = place == 0 ? needle : hay
        try await service.catalog.open(Session(id: SessionID(at: time), room: room, startedAt: time))
      }
      for keyword in ["needle", "GRÜNE", "grune-n"] {
        let found = try await search(service, ["keyword": .string(keyword)])
        #expect(ids(found) == ["Grüne-Needle"], "\(keyword)")
      }
      #expect(ids(try await search(service, ["keyword": "nothing"])).isEmpty)
      let all = try await search(service, [:])
      #expect(ids(all).count == 301 && all["next"] == .null)
      let late = try await search(service, ["keyword": "needle", "starttime": .integer(1_700_000_001_000)])
      #expect(ids(late).isEmpty)
    }
  }

  @Test func moreThanAThousandSessionsAreContinuedByACursor() async throws {
    try await RemonRESTTests.withServices { service async throws in
      let hay = try RoomName(checking: "hay")
      for place in 0..<1_010 {
        let time = WallTime(milliseconds: 1_700_000_000_000 + Int64(place))
        try await service.catalog.open(Session(id: SessionID(at: time), room: hay, startedAt: time))
      }
      let first = try await search(service, ["keyword": "hay"])
      let cursor = try #require(first["next"]?.string)
      let second = try await search(service, ["keyword": "hay", "cursor": .string(cursor)])
      #expect(ids(first).count == 1_000 && ids(second).count == 10 && second["next"] == .null)
      let body: JSONValue = ["secret": .string(TestService.key), "cursor": "nonsense"]
      let wrong = try await service.send(.POST, "/v1/search", [RemonRESTTests.json], body: body.text)
      #expect(wrong.status == 400)
    }
  }

  /// A channel that is ended has nothing left, as a room that is closed over REST.
  @Test func endingAChannelRemovesItsBackingTracks() async throws {
    try await RemonRESTTests.withServices { service async throws in
      let room = try RoomName(checking: "take5")
      let key = ("Authorization", "Bearer \(TestService.key)")
      let ada = try await service.broker.enter(room, JoinRequest(name: try DisplayName(checking: "ada")))
      let path = "/v1/rooms/take5/backings"
      let headers = [key, ("Content-Type", "application/octet-stream")]
      let added = try await service.send(.POST, "\(path)?title=drums", headers, bytes: SawtoothWAV.bytes())
      #expect(added.status == 201, "\(added.text)")
      let body: JSONValue = ["secret": .string(TestService.key), "channelId": "take5"]
      let ended = try await service.send(
        .POST, "/lambda/channel-force-termination", [RemonRESTTests.json], body: body.text)
      #expect(ended.status == 200, "\(ended.text)")
      #expect(try await service.send(.GET, path, [key]).items.isEmpty)
      await ada.leave()
    }
  }

  @Test func mixerInstancesAreLimitedUntilTheyEnd() async throws {
    let adjust: (inout ServerConfiguration) throws -> Void = { configuration in
      configuration.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
      configuration.doors[RemonConfiguration.self].services = try AppAccounts(
        parsing: RemonRESTTests.services, of: .remon)
      configuration.limits.quotas[.mixer, per: .credential] = .held(2)
    }
    try await TestService.with(adjust) { service async throws in
      func headers(_ pair: String) -> [(String, String)] {
        [("Authorization", "Basic \(Base64.standard.encode(Array(pair.utf8)))"), RemonRESTTests.json]
      }
      let band = headers("band:a-key-of-ours")
      let body: JSONValue = ["sources": [["type": "remon", "chid": "take5"]]]
      var made: [String] = []
      for _ in 0..<2 {
        let answer = try await service.send(.POST, "/api/v1/mixer", band, body: body.text)
        made.append(try #require(try answer.json["instanceId"]?.string, "\(answer.text)"))
      }
      let refused = try await service.send(.POST, "/api/v1/mixer", band, body: body.text)
      let sentence = try refused.json["error"]?.object?["message"]?.string ?? ""
      #expect(refused.status == 429 && refused["retry-after"] != nil && sentence.contains("mixer instances"))
      // Another service has its own; one that is over counts no longer.
      let den = headers("den:another-key-here")
      #expect(try await service.send(.POST, "/api/v1/mixer", den, body: body.text).status == 200)
      #expect(try await service.send(.DELETE, "/api/v1/mixer/\(made[0])", band).status == 200)
      #expect(try await service.send(.POST, "/api/v1/mixer", band, body: body.text).status == 200)
    }
  }

  @Test func anInstanceWhoseLeaseIsOverCountsNoLonger() throws {
    let quotas = Quotas(QuotaTable([QuotaTable.Line(.mixer, per: .service, .held(1))]))
    let caller = Caller(address: nil, credential: .key)
    let mixers = RemonMixers()
    let start = MonotonicTime(nanoseconds: 1_000_000_000)
    let room = try RoomName(checking: "take5")
    let id = mixers.make(of: room, for: "band", try quotas.hold(.mixer, caller), at: start)
    #expect(throws: RoomRefusal.self) { try quotas.hold(.mixer, caller) }
    mixers.sweep(at: start + .seconds(119))
    #expect(mixers.room(of: id, at: start + .seconds(119)) == room)
    #expect(throws: RoomRefusal.self) { try quotas.hold(.mixer, caller) }
    mixers.sweep(at: start + .seconds(121))
    #expect(mixers.room(of: id, at: start + .seconds(121)) == nil)
    #expect(throws: Never.self) { try quotas.hold(.mixer, caller).release() }
  }
}
