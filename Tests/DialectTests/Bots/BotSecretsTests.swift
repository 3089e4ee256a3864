import Foundation
import Library
import NIOHTTP1
import Rooms
import Signaling
import Testing

@testable import Client
@testable import Server

/// What a service knows for its bots, and nobody else should.
@Suite(.timeLimit(.minutes(2))) struct BotSecretsTests {
  private static let key = ("Authorization", "Bearer \(TestService.key)")
  /// Nobody listens there.
  private static let wish: JSONValue = ["url": "janus+ws://127.0.0.1:1/?room=1234&pin=sesame", "room": "Cellar"]

  private static func secure(_ configuration: inout ServerConfiguration) throws {
    configuration.webhooks.allowsPrivate = true
    configuration.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
  }

  private static func modes(in folder: String) throws -> [String: Int] {
    var modes: [String: Int] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
      modes[name] = (attributes[.posixPermissions] as? NSNumber)?.intValue
    }
    return modes
  }

  @Test func theServicesOwnFilesAreForItsUserAlone() async throws {
    let data = try DataFolder()
    let folder = data.path + "/_service"
    let expected = ["bots.json": 0o600, "revocations.json": 0o600, "topologies.json": 0o600]
    try await TestService.with(BotSecretsTests.secure, data: data) { service in
      let made = try await service.post("/v1/bots", BotSecretsTests.wish, [BotSecretsTests.key])
      #expect(made.status == 201)
      let revoked = try await service.post("/v1/tokens/revocations", ["id": "one"], [BotSecretsTests.key])
      #expect(revoked.status == 201)
      let chosen = try await service.patch("/v1/rooms/den", ["topology": "mesh"], [BotSecretsTests.key])
      #expect(chosen.status == 204)
      let modes = try BotSecretsTests.modes(in: folder)
      #expect(modes == expected)
    }
    // As releases before this one left them.
    for name in expected.keys {
      try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: "\(folder)/\(name)")
    }
    try await TestService.with(BotSecretsTests.secure, data: data) { service in
      let modes = try BotSecretsTests.modes(in: folder)
      #expect(modes == expected)
      let bots = try await service.send(.GET, "/v1/bots", [BotSecretsTests.key]).items
      #expect(bots.count == 1)
    }
  }

  @Test func onlyAnAPIKeyHearsWhatABotMeets() async throws {
    try await TestService.with(BotSecretsTests.secure) { service in
      let musician = try await TestService.token("Cellar")
      let made = try await service.post("/v1/bots", BotSecretsTests.wish, [BotSecretsTests.key])
      #expect(made.status == 201)
      let beginning = EventID(epoch: service.broker.events.position.epoch, number: 0)
      for (credential, isOperator) in [(TestService.key, true), (musician, false)] {
        try await RawConnection.with(port: service.port) { connection in
          let line = "GET /v1/events?types=bot&room=Cellar&lastEventId=\(beginning) HTTP/1.1\r\n"
          let fields = "Host: localhost\r\nAccept: text/event-stream\r\nAuthorization: Bearer \(credential)\r\n\r\n"
          let request: String = line + fields
          var stream = try await StreamReading(connection, request)
          let before = await stream.until("\"state\":\"rejoining\"")
          let text = before + (await stream.until("\n\n"))
          #expect(text.contains("event: bot.changed"))
          #expect(text.contains("\"attempts\":"))
          #expect(text.contains("\"detail\":") == isOperator)
        }
      }
    }
  }
}
