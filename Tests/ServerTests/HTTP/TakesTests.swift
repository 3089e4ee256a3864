import Music
import NIOHTTP1
import Signaling
import Testing

@testable import Client
@testable import Server

@Suite(.timeLimit(.minutes(5))) struct TakesTests {
  @Test func listsTakesInThePromisedShape() async throws {
    try await TestService.with { service async throws in
      let shelved = try await ShelvedTake(in: service.data, service.catalog)
      let answer = try await service.send(.GET, "/v1/takes")
      #expect(answer.status == 200 && answer["content-type"] == "application/json")
      let object = try answer.json
      #expect(object["next"] == .null)
      let take = try #require(answer.items.first)
      #expect(take["id"]?.string == shelved.take.id.description)
      #expect(take["number"] == 1 && take["state"] == "ready" && take["room"] == "Cellar")
      #expect(take["song"]?.object?["title"] == "Blue in Green" && take["song"]?.object?["id"]?.string?.count == 26)
      #expect(take["startedAt"]?.string.flatMap(WallTime.init) != nil)
      #expect(take["duration"] == 2 && take["trackCount"] == 1)
      let one = try await service.send(.GET, "/v1/takes/\(shelved.take.id)").json
      #expect(one["id"] == take["id"] && one["cues"]?.array?.first?.object?["text"] == "bridge")
    }
  }

  @Test func listsTracksInThePromisedShape() async throws {
    try await TestService.with { service async throws in
      let shelved = try await ShelvedTake(in: service.data, service.catalog)
      let track = try #require(try await service.send(.GET, "/v1/takes/\(shelved.take.id)/tracks").items.first)
      #expect(track["id"]?.string == shelved.track.id.description)
      #expect(track["participant"]?.object?["name"] == "Ada" && track["part"] == "guitar" && track["channels"] == 2)
      #expect(track["duration"] == 2)
      let gap = try #require(track["gaps"]?.array?.first?.object)
      #expect(gap["start"] == 1 && gap["duration"] == .number(0.02) && gap["cause"] == "loss")
    }
  }

  @Test func filtersAndPages() async throws {
    try await TestService.with { service async throws in
      for _ in 0..<3 { _ = try await ShelvedTake("Größe & Co", in: service.data, service.catalog) }
      let other = try await ShelvedTake("Attic", in: service.data, service.catalog, song: nil)
      let room = "Größe & Co".percentEncoded
      let first = try await service.send(.GET, "/v1/takes?room=\(room)&limit=2")
      #expect(try first.items.count == 2)
      let next = try #require(try first.json["next"]?.string)
      let second = try await service.send(.GET, "/v1/takes?room=\(room)&limit=2&cursor=\(next)")
      #expect(try second.items.count == 1)
      #expect(try second.json["next"] == .null)
      #expect(try await service.send(.GET, "/v1/takes?room=Gr%C3%B6%C3%9Fe+%26+Co&limit=9").items.count == 3)
      let untitled = try await service.send(.GET, "/v1/takes?state=ready&room=Attic").items
      #expect(untitled.map { $0["id"] } == [.string(other.take.id.description)])
      #expect(untitled.first?["song"] == .null)
      #expect(try await service.send(.GET, "/v1/takes?state=failed").items.isEmpty)
    }
  }

  private let wrongFilters = [
    ("state=done", "state"), ("limit=0", "limit"), ("limit=201", "limit"), ("limit=x", "limit"),
    ("cursor=x", "cursor"), ("room=..%2Fx", "room"), ("song=x", "song"), ("rom=Cellar", "rom"), ("room=", "room"),
  ]

  @Test func refusesFiltersByName() async throws {
    try await TestService.with { service async throws in
      for (query, field) in wrongFilters {
        let answer = try await service.send(.GET, "/v1/takes?\(query)")
        #expect(answer.status == 400 && answer["content-type"] == "application/problem+json")
        #expect(try answer.json["field"]?.string == field)
        #expect(try answer.problem == "invalid-field")
        #expect(try answer.json["instance"] == "/v1/takes")
      }
    }
  }

  private let unknownPaths = [
    "/v1/takes/01ARZ3NDEKTSV4RRFFQ69G5FAV", "/v1/takes/nonsense", "/v1/takes/%2e%2e", "/v1/takes/x/mix",
    "/v1/takes/01ARZ3NDEKTSV4RRFFQ69G5FAV/tracks/01ARZ3NDEKTSV4RRFFQ69G5FAV/audio", "/nothing", "/v1/rooms/Nobody",
    "/%2e%2e/%2e%2e/etc/passwd", "/v1/takes/01ARZ3NDEKTSV4RRFFQ69G5FAV/manifest",
  ]

  @Test func answersUnknownThingsBy404() async throws {
    try await TestService.with { service async throws in
      for path in unknownPaths {
        let answer = try await service.send(.GET, path)
        #expect(answer.status == 404, "\(path)")
        #expect(try answer.problem == "not-found")
      }
    }
  }

  @Test func listsRoomsThatAreLiveAndThatWere() async throws {
    try await TestService.with { service async throws in
      _ = try await ShelvedTake("Attic", in: service.data, service.catalog)
      let room = try #require(RoomName("Cellar"))
      let ada = try #require(DisplayName("Ada"))
      try await NativeConnection.with(service.endpoint, room: room) { connection in
        _ = try await connection.join(JoinRequest(name: ada, part: "guitar"))
        let rooms = try await service.send(.GET, "/v1/rooms").items
        #expect(rooms.map { $0["name"] } == ["Attic", "Cellar"])
        #expect(rooms.map { $0["live"] } == [false, true])
        let one = try await service.send(.GET, "/v1/rooms/Cellar").json
        let member = try #require(one["members"]?.array?.first?.object)
        #expect(member["participant"]?.object?["name"] == "Ada" && member["role"] == "musician")
        #expect(one["take"] == .null)
        #expect(one["state"] == "waiting" && one["startedAt"]?.string != nil)
        #expect(member["meta"] == .null && member["quality"] == .null)
      }
    }
  }

  @Test func findsRoomsByStateWordsAndTimeInPages() async throws {
    try await TestService.with { service async throws in
      for name in ["Attic", "Blue Cellar", "red cellar"] {
        _ = try await ShelvedTake(name, in: service.data, service.catalog)
      }
      func names(_ query: String) async throws -> [JSONValue] {
        try await service.send(.GET, "/v1/rooms?\(query)").items.map { $0["name"] ?? .null }
      }
      let room = try #require(RoomName("Blue Cellar"))
      let ada = try #require(DisplayName("Ada"))
      let ear = try #require(DisplayName("Ear"))
      try await NativeConnection.with(service.endpoint, room: room) { connection in
        _ = try await connection.join(JoinRequest(name: ada, meta: "{}"))
        #expect(try await names("q=CELLAR") == ["Blue Cellar", "red cellar"])
        #expect(try await names("q=cellar%20blue") == ["Blue Cellar"])
        #expect(try await names("state=waiting") == ["Blue Cellar"])
        #expect(try await names("state=live,recording").isEmpty)
        #expect(try await names("state=empty&q=cellar") == ["red cellar"])
        #expect(try await names("after=2020-01-01") == ["Blue Cellar"])
        #expect(try await names("before=2020-01-01").isEmpty)
        try await NativeConnection.with(service.endpoint, room: room) { other in
          _ = try await other.join(JoinRequest(name: ear, role: .listener))
          #expect(try await names("state=live") == ["Blue Cellar"])
        }
      }
      var seen: [JSONValue] = []
      var cursor: String?
      repeat {
        let next = cursor.map { "&cursor=\($0)" } ?? ""
        let page = try await service.send(.GET, "/v1/rooms?limit=1\(next)")
        seen += try page.items.map { $0["name"] ?? .null }
        cursor = try page.json["next"]?.string
      } while cursor != nil && seen.count < 10
      #expect(seen == ["Attic", "Blue Cellar", "red cellar"])
      for bad in ["state=open", "state=live,", "q=%20", "limit=0", "limit=201", "cursor=!", "after=soon", "name=x"] {
        let answer = try await service.send(.GET, "/v1/rooms?\(bad)")
        #expect(answer.status == 400, "\(bad)")
      }
    }
  }
}
