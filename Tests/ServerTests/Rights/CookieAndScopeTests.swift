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

  @Test func theServiceSetsACookieThatNoScriptReads() async throws {
    try await TestService.with { service async throws in
      let json = ("Content-Type", "application/json")
      let own = ("Origin", "http://127.0.0.1:\(service.port)")
      let kept = try await service.send(.PUT, "/v1/access", [json, own], body: #"{"credential":"a=b;c"}"#)
      #expect(kept.status == 204 && kept["cache-control"] == "no-store")
      #expect(
        kept["set-cookie"] == "jamjar-access=a%3Db%3Bc; Max-Age=2592000; Path=/; HttpOnly; SameSite=Strict")
      let forgotten = try await service.send(.DELETE, "/v1/access", [own])
      #expect(forgotten["set-cookie"] == "jamjar-access=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict")
      for body in ["{}", #"{"credential":""}"#, #"{"credential":"a b"}"#, #"{"credential":"a\r\nb"}"#, #"{"key":"a"}"#]
      {
        #expect(try await service.send(.PUT, "/v1/access", [json, own], body: body).status == 400, "\(body)")
      }
    }
    try await TestService.with({
      $0.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
    }) { service async throws in
      // Behind a proxy that ends TLS; and a page of somebody else, which must not sign its visitor in or out.
      let json = ("Content-Type", "application/json")
      let body = #"{"credential":"x"}"#
      let authority = "127.0.0.1:\(service.port)"
      let secure = try await service.send(
        .PUT, "/v1/access", [json, ("Origin", "https://\(authority)")], body: body)
      #expect(secure["set-cookie"]?.hasSuffix("; Secure") == true)
      for origin in ["https://evil.example", "null", "http://127.0.0.1:1"] {
        let refused = try await service.send(.PUT, "/v1/access", [json, ("Origin", origin)], body: body)
        #expect(refused.status == 403 && refused["set-cookie"] == nil)
        #expect(try await service.send(.DELETE, "/v1/access", [("Origin", origin)]).status == 403)
      }
    }
  }

  /// A page's link to a room joins by the cookie, but only a page of the service's own.
  @Test func theStudiosCookieJoinsARoomFromItsOwnPagesOnly() async throws {
    try await TestService.with({
      $0.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
    }) { service async throws in
      let token = try await TestService.token("den")
      let answers = [
        ("Origin: http://localhost\r\n", "\"snapshot\""), ("Origin: https://evil.example\r\n", "unauthorized"),
        ("", "unauthorized"),
      ]
      for (origin, expected) in answers {
        let said = try await RawConnection.with(port: service.port) { connection in
          try await connection.send(
            RawConnection.upgrade("/v1/rooms/den/signal", "Cookie: jamjar-access=\(token)\r\n\(origin)"))
          try await connection.send(RawConnection.text(#"{"id":1,"method":"join","params":{"name":"Ada"}}"#))
          return await connection.until(expected)
        }
        #expect(said.contains(expected), "\(origin) \(said)")
      }
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
