import HTTPTypes
import Music
import NIOHTTP1
import Rooms
import Testing

@testable import Server

@Suite(.timeLimit(.minutes(5))) struct CookieAndScopeTests {
  /// The cookie of the studio: as good as a header field for reading, and for writing from the studio's own page.
  @Test func theStudiosCookieCountsOnItsOwnPagesOnly() async throws {
    try await TestService.with({
      $0.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
    }) { service async throws in
      let cookie = ("Cookie", "other=1; jamjar-access=\(try await TestService.token("den"))")
      let own = "http://127.0.0.1:\(service.port)"
      #expect(try await service.send(.GET, "/v1/takes").status == 401)
      #expect(try await service.send(.GET, "/v1/takes", [cookie]).status == 200)
      #expect(try await service.send(.GET, "/v1/takes?room=attic", [cookie]).status == 403)
      let json = ("Content-Type", "application/json")
      let write = { (headers: [(String, String)]) in
        try await service.send(.POST, "/v1/rooms/den/takes", [json, cookie] + headers, body: "{}").status
      }
      #expect(try await write([]) == 401)
      #expect(try await write([("Origin", "https://elsewhere.example")]) == 401)
      // Let through, to learn that nobody is in the room.
      let passed = try await write([("Origin", own)])
      #expect(passed == 409 || passed == 404)
    }
  }

  @Test func aListenersTokenReadsAndAnotherRoomsTakeIsNotThere() async throws {
    try await TestService.with({
      $0.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
    }) { service async throws in
      let shelved = try await ShelvedTake(in: service.data, service.catalog)
      let listener = try await service.token(shelved.take.room.description, .listener)
      let stranger = try await service.token("elsewhere")
      let path = "/v1/takes/\(shelved.take.id)"
      #expect(try await service.send(.GET, path, [listener]).status == 200)
      let merge = ("Content-Type", "application/merge-patch+json")
      #expect(try await service.send(.PATCH, path, [listener, merge], body: #"{"rating":3}"#).status == 403)
      let hidden = try await service.send(.GET, path, [stranger])
      let missing = try await service.send(.GET, "/v1/takes/01JD4Z6QK8H2V5N7C3XW9RTB0M", [stranger])
      #expect(hidden.status == 404 && missing.status == 404)
    }
  }
}
