import Machines
import Music
import NIOHTTP1
import Rooms
import Signaling
import TestSupport
import Testing

@testable import Server

/// The REST interfaces of XirSys over HTTP.
@Suite(.timeLimit(.minutes(5))) struct XirSysRESTTests {
  static let form = ("Content-Type", "application/x-www-form-urlencoded")
  static let accounts = "band:a-secret-of-ours,den:another-secret@attic"

  static func withAccounts(_ body: (TestService) async throws -> Void) async throws {
    try await TestService.with(
      { configuration throws in
        configuration.rtmp = .init(0)
        configuration.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
        configuration.doors[XirSysConfiguration.self].accounts = try AppAccounts(parsing: accounts, of: .xirsys)
      },
      ice: [ICEServer(urls: ["stun:stun.example"])], body)
  }

  /// The form as PerchRTC's pod writes it.
  static func pod(room: String = "default", username: String, secret: String = "a-secret-of-ours") -> String {
    "ident=band&secret=\(secret)&domain=studio.example&application=default&room=\(room)&username=\(username)&secure=1&"
  }

  static func token(_ service: TestService, room: String = "default", username: String) async throws -> String {
    let answer = try await service.send(.POST, "/getToken", [form], body: pod(room: room, username: username))
    let token = try answer.json["d"]?.object?["token"]?.string
    return try #require(token, "\(answer.text)")
  }

  @Test func thePodGetsItsThreeAnswers() async throws {
    try await XirSysRESTTests.withAccounts { service async throws in
      let list = try await service.send(.POST, "/wsList", [XirSysRESTTests.form], body: "")
      let value = try list.json["d"]?.object?["value"]?.string
      #expect(value == "ws://127.0.0.1:\(service.port)")
      let token = try await XirSysRESTTests.token(service, username: "Anna's iPhone")
      let letters = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
      #expect(token.allSatisfy { letters.contains($0) } && token.count == 24)
      let body = XirSysRESTTests.pod(username: "Anna's iPhone")
      let servers = try await service.send(.POST, "/getIceServers", [XirSysRESTTests.form], body: body)
      #expect(try servers.json["d"]?.object?["iceServers"] == [["url": "stun:stun.example"]])
    }
  }

  @Test func theNewerNamesTakeGetAndPost() async throws {
    try await XirSysRESTTests.withAccounts { service async throws in
      let query = "?ident=band&secret=a-secret-of-ours&domain=d&application=a&room=r&username=bob"
      for path in ["/signal/token", "/api/signal/token"] {
        for method in ["GET", "POST"] {
          let answer = try await service.send(method == "GET" ? .GET : .POST, path + query)
          let status = try answer.json["s"]?.integer
          #expect(status == 200, "\(method) \(path) \(answer.text)")
        }
      }
      let list = try await service.send(.GET, "/signal/list?secure=1")
      #expect(try list.json["s"] == 200)
    }
  }

  @Test func aWrongSecretIsUnauthorizedEverywhereButInTheList() async throws {
    try await XirSysRESTTests.withAccounts { service async throws in
      let wrong = XirSysRESTTests.pod(username: "anna", secret: "another-secret")
      for path in ["/getToken", "/getIceServers", "/addRoom", "/room"] {
        let answer = try await service.send(.POST, path, [XirSysRESTTests.form], body: wrong)
        let status = try answer.json["s"]?.integer
        #expect(answer.status == 200 && status == 401, "\(path) \(answer.text)")
      }
      let list = try await service.send(.POST, "/wsList", [XirSysRESTTests.form], body: wrong)
      #expect(try list.json["s"] == 200)
    }
  }

  @Test func anAccountOfOneRoomLeadsThere() async throws {
    try await XirSysRESTTests.withAccounts { service async throws in
      let body = "ident=den&secret=another-secret&room=default&username=anna"
      let answer = try await service.send(.POST, "/getToken", [XirSysRESTTests.form], body: body)
      let token = try #require(try answer.json["d"]?.object?["token"]?.string)
      try await RPCConnection.with(service, path: "/\(token)") { anna in
        _ = try await anna.next("peers") { $0["type"] == "peers" }
        let room = await service.broker.snapshot(of: try RoomName(checking: "attic"))
        #expect(room?.members.count == 1)
      }
    }
  }

  @Test func kurentoKeepsItsAddress() async throws {
    try await XirSysRESTTests.withAccounts { service async throws in
      #expect(try await service.send(.GET, "/room").status == 426)
      let names = try await service.send(.GET, "/room?ident=band&secret=a-secret-of-ours")
      #expect(try names.json["d"] == [])
    }
  }

  @Test func versionThreeAnswersInItsWords() async throws {
    try await XirSysRESTTests.withAccounts { service async throws in
      let basic = ("Authorization", "Basic " + Base64.standard.encode(Array("band:a-secret-of-ours".utf8)))
      let path = "studio.example/default/take5"
      let token = try await service.send(.PUT, "/_token/\(path)?k=anna&expire=30", [basic])
      #expect(try token.json["s"] == "ok")
      let text = try #require(try token.json["v"]?.string)
      let host = try await service.send(.GET, "/_host/\(path)?type=signal&k=anna", [basic])
      #expect(try host.json["v"]?.string?.hasPrefix("ws://") == true)
      let turn = try await service.send(.PUT, "/_turn/\(path)", [basic], body: #"{"format":"urls","expire":"30"}"#)
      #expect(try turn.json["v"]?.object?["iceServers"] == [["urls": ["stun:stun.example"]]])
      try await RPCConnection.with(service, path: "/v2/\(text)") { anna in
        let peers = try await anna.next("peers") { $0["m"]?.object?["o"] == "peers" }
        #expect(peers["p"]?.object?["users"] == ["anna"])
        let users = try await service.send(.GET, "/_subs/\(path)", [basic])
        #expect(try users.json["v"] == ["anna"])
      }
      let refused = try await service.send(.PUT, "/_token/\(path)?k=anna", [("Authorization", "Basic eDp5")])
      let word = try refused.json
      #expect(refused.status == 401 && word == ["s": "error", "v": "unauthorized"])
      let nowhere = try await service.send(.GET, "/_acc/accounts", [basic])
      #expect(try nowhere.json["v"] == "not_found")
      _ = try await service.send(.PUT, "/_data/\(path)?k=tempo", [basic], body: #"{"bpm":90}"#)
      let data = try await service.send(.GET, "/_data/\(path)?k=tempo", [basic])
      #expect(try data.json["v"]?.object?["bpm"] == 90)
    }
  }

  @Test(arguments: [
    "band", ":secret-of-someone", "a:short", "a:long-enough-secret,a:long-enough-secret", "a:long-enough-secret@.x",
  ])
  func accountsThatCannotBeAreNamed(text: String) {
    #expect(throws: ConfigurationProblem.self) { try AppAccounts(parsing: text, of: .xirsys) }
  }
}
