import Foundation
import Machines
import Music
import NIOHTTP1
import Recording
import Rooms
import ServiceLifecycle
import Signaling
import Synchronization
import TestSupport
import Testing

@testable import Client
@testable import Server

/// What the operator's servers are told of casts and recordings, in Remote Monster's form.
@Suite(.timeLimit(.minutes(5))) struct RemonHookTests {
  private static let secret = "whsec_" + Data((0..<32).map { UInt8($0) }).base64EncodedString()
  private static let other = "whsec_" + Data((0..<32).map { UInt8(200 - $0) }).base64EncodedString()
  private let loopback = WebhookResolver { _ in ["127.0.0.1"] }

  private func point(_ configuration: inout ServerConfiguration, at port: Int) throws {
    let address = "http://hooks.invalid:\(port)"
    configuration.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
    var door = RemonConfiguration()
    door.services = try AppAccounts(parsing: RemonRESTTests.services, of: .remon)
    let casts = "band cast \(address)/casts?app=7 \(RemonHookTests.secret)"
    let recordings = "band recording \(address)/recordings \(RemonHookTests.secret) https://jam.example"
    // Another service, which must hear nothing of this one.
    let foreign = "den cast \(address)/den \(RemonHookTests.other)"
    door.hooks = try RemonHook.list("\(casts), \(recordings),\(foreign)", of: door.services)
    configuration.doors[RemonConfiguration.self] = door
    configuration.webhooks = WebhookConfiguration(endpoints: [], allowsPrivate: true)
    configuration.webhooks.schedule.firstPause = 0.02
  }

  private func frame(_ command: String, _ token: String, _ channel: JSONValue? = nil) -> String {
    var frame: JSONObject = ["command": .string(command), "token": .string(token), "serviceId": "band"]
    if let channel { frame["channel"] = channel }
    return JSONValue.object(frame).text
  }

  private func cast(_ id: String, in service: TestService) async throws {
    let token = try await RemonRESTTests.token(service)
    try await RPCConnection.with(service, path: "/ws") { link in
      try await link.send(frame("create", token, ["id": .string(id), "type": "BROADCAST"]))
      _ = try await link.next("onCreate") { $0["command"]?.string == "onCreate" }
      try await link.send(frame("disconnect", token))
      await link.untilClosed()
    }
  }

  /// The second of three is refused twice, and the others wait for it.
  @Test func castsAreToldByGETSignedAndInOrder() async throws {
    try await WebhookReceiver.with(reply: { number, _ in .init(status: (1...2).contains(number) ? 503 : 204) }) {
      receiver async throws in
      try await TestService.with({ try point(&$0, at: receiver.port) }, resolver: loopback) { service async throws in
        try await cast("radio", in: service)
        var requests = await receiver.first(4)
        try await cast("night", in: service)
        requests += await receiver.first(2)
        let addresses: [String] = requests.map(\.uri)
        let close = "/casts?app=7&action=close&chid=radio"
        let expected: [String] = [
          "/casts?app=7&action=create&chid=radio", close, close, close, "/casts?app=7&action=create&chid=night",
          "/casts?app=7&action=close&chid=night",
        ]
        #expect(addresses == expected)
        for request in requests {
          // A GET has no body: its query is what is signed.
          var signed = request
          signed.body = String(request.uri.split(separator: "?").last ?? "")
          #expect(request.body.isEmpty)
          let isSigned = try signed.isSigned(by: RemonHookTests.secret)
          let isForeign = try signed.isSigned(by: RemonHookTests.other)
          #expect(isSigned && !isForeign)
        }
        let ids = requests.map { $0.headers.first(name: "webhook-id") }
        #expect(Set(ids).count == 4)
      }
    }
  }

  @Test func aRecordingIsToldWithTheAddressOfItsMix() async throws {
    try await WebhookReceiver.with { receiver async throws in
      try await TestService.with({ try point(&$0, at: receiver.port) }, resolver: loopback) { service async throws in
        let room = try RoomName(checking: "take5")
        let token = try await RemonRESTTests.token(service)
        try await RPCConnection.with(service, path: "/ws") { link in
          try await link.send(frame("connect", token, ["id": "take5", "type": "P2P"]))
          _ = try await link.next("onCreate") { $0["command"]?.string == "onCreate" }
          // Whoever plays: the take is of a session with a musician of the service.
          let ada = try await OpenTokRESTTests.musician("Ada", in: room, of: service)
          guard case .take(let take, _) = try await ada.perform(.startTake(song: nil)) else {
            Issue.record("no take")
            return
          }
          _ = try await ada.perform(.stopTake)
          let request = try #require(await receiver.first(1).first)
          #expect(request.uri == "/recordings")
          #expect(try request.isSigned(by: RemonHookTests.secret))
          let body = try #require(try JSONValue(parsing: request.body).object)
          #expect(body["id"]?.string == "take5" && body["take"]?.string == take.description)
          #expect(body["url"]?.string == "https://jam.example:443/v1/takes/\(take)/mix")
          let key = ("Authorization", "Bearer \(TestService.key)")
          let mix = try await service.send(.GET, "/v1/takes/\(take)/mix", [key])
          #expect(mix.status == 200 && body["filesize"]?.integer == Int64(mix.bytes.count))
          await ada.leave()
        }
      }
    }
  }

  private func waiting(in data: DataFolder) throws -> [String] {
    let root = data.path + "/_webhooks"
    let folders = try FileManager.default.contentsOfDirectory(atPath: root).filter { $0.hasPrefix("remon-cast-") }
    var files: [String] = []
    for folder in folders {
      let names = try FileManager.default.contentsOfDirectory(atPath: "\(root)/\(folder)")
      for name in names where name.hasSuffix(".json") { files.append("\(root)/\(folder)/\(name)") }
    }
    return files
  }

  /// What the end of the service closes is told at the next start.
  @Test func aCastThatEndsWithTheServiceIsToldAtTheNextStart() async throws {
    let data = try DataFolder()
    let isUp = Mutex(true)
    try await WebhookReceiver.with(reply: { _, _ in .init(status: isUp.withLock { $0 } ? 204 : 500) }) {
      receiver async throws in
      try await TestService.with(
        { try point(&$0, at: receiver.port) }, data: data, resolver: loopback
      ) { service async throws in
        let token = try await RemonRESTTests.token(service)
        try await RPCConnection.with(service, path: "/ws") { link in
          try await link.send(frame("create", token, ["id": "radio", "type": "BROADCAST"]))
          _ = try await link.next("onCreate") { $0["command"]?.string == "onCreate" }
          _ = await receiver.first(1)
          // The answer has arrived, too: otherwise the next start would tell the beginning again, as it should.
          try await eventually("the create is delivered") { (try? waiting(in: data))?.isEmpty == true }
          isUp.withLock { $0 = false }
          await service.group.triggerGracefulShutdown()
          await link.untilClosed()
        }
      }
      let files = try waiting(in: data)
      let text = try String(contentsOfFile: try #require(files.first), encoding: .utf8)
      #expect(files.count == 1 && text.contains("action=close&chid=radio"), "\(text)")
      isUp.withLock { $0 = true }
      try await TestService.with(
        { try point(&$0, at: receiver.port) }, data: data, resolver: loopback
      ) { _ async throws in
        try await eventually("the close is delivered") { (try? waiting(in: data))?.isEmpty == true }
      }
      let addresses = Set(receiver.all.dropFirst().map(\.uri))
      #expect(addresses == ["/casts?app=7&action=close&chid=radio"])
    }
  }

  @Test(arguments: [
    "", "band", "band cast", "band cast https://a.example", "band cast ftp://a.example whsec_x",
    "band cast https://a.example whsec_short", "nobody cast https://a.example SECRET",
    "band casts https://a.example SECRET", "band recording https://a.example SECRET",
    "band recording https://a.example SECRET https://jam.example/path",
    "band cast https://a.example SECRET,band cast https://a.example SECRET",
  ])
  func whatIsNoHookIsRefusedWithoutItsSecret(text: String) throws {
    let services = try AppAccounts(parsing: RemonRESTTests.services, of: .remon)
    let words = text.replacing("SECRET", with: RemonHookTests.secret)
    if text.isEmpty {
      #expect(try RemonHook.list(words, of: services).isEmpty)
      return
    }
    do {
      _ = try RemonHook.list(words, of: services)
      Issue.record("it was taken")
    } catch {
      #expect(!error.description.contains(RemonHookTests.secret) && error.description.count > 30)
    }
  }

  @Test func aHookToAPrivateAddressNeedsTheOption() throws {
    let services = try AppAccounts(parsing: RemonRESTTests.services, of: .remon)
    var configuration = ServerConfiguration(recordings: "/tmp")
    for address in ["http://a.example/", "https://127.0.0.1/", "https://10.0.0.7/"] {
      configuration.doors[RemonConfiguration.self].hooks = try RemonHook.list(
        "band cast \(address) \(RemonHookTests.secret)", of: services)
      configuration.webhooks.allowsPrivate = false
      #expect(throws: ConfigurationProblem.self) { try configuration.check() }
      configuration.webhooks.allowsPrivate = true
      #expect(throws: Never.self) { try configuration.check() }
    }
  }
}
