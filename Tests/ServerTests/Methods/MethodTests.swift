import Foundation
import Library
import Machines
import Music
import NIOHTTP1
import Recording
import Rooms
import Signaling
import TestSupport
import Testing

@testable import Client
@testable import Server

/// Methods of the band's own application, over real links of every dialect to a real HTTP endpoint.
@Suite(.timeLimit(.minutes(5))) struct MethodTests {
  private static let key = (0..<32).map { UInt8($0 &* 5) }
  private static let secret = "whsec_" + Data(key).base64EncodedString()
  private static let loopback = WebhookResolver { _ in ["127.0.0.1"] }
  private let room = RoomName("studio")

  /// The application: its answer is chosen by the method's name.
  private static func answer(_ number: Int, _ request: WebhookReceiver.Received) -> WebhookReceiver.Reply {
    let body = (try? JSONValue(parsing: request.body))?.object
    switch body?["method"]?.string {
    case "first": return .init(status: 200, body: body?["arguments"]?.array?.first?.text ?? "")
    case "who": return .init(status: 200, body: body?["authority"]?.text ?? "")
    case "nothing": return .init(status: 204)
    case "refused": return .init(status: 422, body: #"{"detail":"no such song"}"#)
    case "denied": return .init(status: 403)
    case "broken": return .init(status: 500, body: #"{"detail":"secret.py"}"#)
    case "garbage": return .init(status: 200, body: "{")
    case "huge": return .init(status: 200, body: "\"\(String(repeating: "x", count: 300_000))\"")
    case "elsewhere": return .init(status: 307, headers: [("Location", "http://127.0.0.1:1/")])
    case "silent": return .init(isSilent: true)
    default: return .init(status: 404)
    }
  }

  private func withApplication(
    _ list: (Int) -> String = { "http://app.invalid:\($0)/rtmp" },
    resolver: WebhookResolver = MethodTests.loopback, allowed: Bool = true,
    adjusting adjust: (inout ServerConfiguration) throws -> Void = { _ in },
    _ body: (TestService, WebhookReceiver) async throws -> Void
  ) async throws {
    try await WebhookReceiver.with(reply: MethodTests.answer) { receiver async throws in
      try await TestService.with(
        { configuration in
          configuration.rtmp = .init(0)
          configuration.methods = try MethodConfiguration(list: list(receiver.port), secrets: MethodTests.secret)
          configuration.webhooks.allowsPrivate = allowed
          try adjust(&configuration)
        }, resolver: resolver
      ) { service async throws in
        try await body(service, receiver)
      }
    }
  }

  private func failure(_ body: () async throws -> Void) async -> RTMPCallError? {
    do {
      try await body()
      return nil
    } catch {
      return error as? RTMPCallError
    }
  }

  @Test func aCallByRTMPIsAnsweredByTheApplication() async throws {
    try await withApplication { service, receiver in
      try await RTMPTestClient.with(port: service.rtmpPort, RTMPClientOptions(app: "studio")) { client in
        try await client.connected()
        let values: [AMFValue] = [
          12, "grüße", .null, [1, "two"], ["a": ["b": true]], .date(milliseconds: 5), .bytes([1]),
        ]
        for value in values { #expect(try await client.call("first", value) == .value(value)) }
        #expect(try await client.call("nothing") == .void)
        for (method, kind, part) in [
          ("unheardOf", RTMPCallError.Kind.methodNotFound, "unheardOf"), ("denied", .accessDenied, "denied"),
          ("refused", .invocationException, "no such song"), ("broken", .generalException, "(500)"),
          ("garbage", .generalException, "JSON"), ("huge", .generalException, "262144"),
          ("elsewhere", .generalException, "redirect"),
        ] {
          let error = await failure { _ = try await client.call(method) }
          #expect(error?.kind == kind && error?.description.contains(part) == true, "\(method): \(error as Any)")
          #expect(error?.description.contains("secret.py") != true)
        }
        // The service's own methods stay its own.
        let before = receiver.all.count
        #expect(try await client.call("echoInt", 3) == .value(3))
        _ = try await client.call("room.statistics")
        #expect(receiver.all.count == before)
      }
      let request = try #require(receiver.all.first)
      let body = try #require(try JSONValue(parsing: request.body).object)
      #expect(request.uri == "/rtmp" && body["method"] == "first" && body["arguments"] == [12])
      #expect(body["room"] == "studio" && body["dialect"] == "rtmp" && body["authority"] == "operator")
      #expect(body["participant"]?.object?["name"]?.string?.hasPrefix("rtmp-") == true)
      let id = try #require(body["id"]?.string)
      #expect(request.headers.first(name: "webhook-id") == id)
      let time = try #require(request.headers.first(name: "webhook-timestamp").flatMap { Int64($0) })
      #expect(
        request.headers.first(name: "webhook-signature")
          == WebhookSignature.header(id: id, timestamp: time, body: request.body, keys: [MethodTests.key]))
      let connections = try Set(receiver.all.map { try JSONValue(parsing: $0.body).object?["connection"]?.string })
      #expect(connections.count == 1)
      let metrics = try await service.send(.GET, "/metrics").text
      #expect(metrics.contains("jamjar_method_calls_total{outcome=\"answered\"} 8"), "\(metrics)")
    }
  }

  @Test func theNativeProtocolAndKurentoCallTheSameMethods() async throws {
    let room = try #require(room)
    try await withApplication { service, receiver in
      try await NativeConnection.with(service.endpoint, room: room) { ada in
        _ = try await ada.join(JoinRequest(name: try DisplayName(checking: "Ada")))
        #expect(try await ada.perform(.call("first", [.date(5)])) == .returned(.date(5)))
        #expect(try await ada.perform(.call("first", [.null])) == .returned(.null))
        #expect(try await ada.perform(.call("nothing", [])) == .done)
        for (method, code) in [
          ("unheardOf", RoomRefusal.Code.unknownMethod), ("denied", .forbidden), ("refused", .callFailed),
          ("broken", .callFailed), ("room.roster", .unknownMethod), ("a b", .unknownMethod),
        ] {
          let error = await #expect(throws: RoomRefusal.self) { _ = try await ada.perform(.call(method, [])) }
          #expect(error?.code == code, "\(method)")
        }
      }
      try await RPCConnection.with(service) { ann in
        _ = try await ann.join("studio", as: "ann")
        #expect(try await ann.result("customRequest", ["method": "first", "arguments": "[7]"])["value"] == 7)
        #expect(try await ann.result("customRequest", ["method": "nothing"])["value"] == nil)
        #expect(try await ann.error("customRequest", ["method": "unheardOf"]) == -32_601)
        #expect(try await ann.error("customRequest", ["method": "refused"]) == 999)
      }
      let dialects = try receiver.all.compactMap { try JSONValue(parsing: $0.body).object?["dialect"]?.string }
      #expect(Set(dialects) == ["native", "kurento"])
    }
  }

  @Test func aSlowMethodDelaysNothingElse() async throws {
    let room = try #require(room)
    try await withApplication { service, receiver in
      try await RTMPTestClient.with(port: service.rtmpPort, RTMPClientOptions(app: "studio")) { client in
        try await client.connected()
        client.send(.call(label: 1_000, "silent", []))
        _ = await receiver.first(1)
        #expect(try await client.call("first", 1) == .value(1))
        #expect(try await client.call("echo", 2) == .value(2))
      }
      try await NativeConnection.with(service.endpoint, room: room) { ada in
        _ = try await ada.join(JoinRequest(name: try DisplayName(checking: "Ada")))
        async let silent = ada.perform(.call("silent", []))
        _ = await receiver.first(2)
        #expect(try await ada.perform(.message("hello", to: nil)) == .done)
        #expect(try await ada.perform(.leave) == .done)
        _ = try? await silent
      }
    }
  }

  /// The only place of the service is free again long before the application's time is over.
  @Test func aCallEndsWithItsConnection() async throws {
    let adjust: (inout ServerConfiguration) throws -> Void = {
      ($0.methods.timeLimit, $0.methods.limit) = (.seconds(60), 1)
    }
    try await withApplication(adjusting: adjust) { service, receiver in
      try await RTMPTestClient.with(port: service.rtmpPort, RTMPClientOptions(app: "studio")) { client in
        try await client.connected()
        client.send(.call(label: 1_000, "silent", []))
        _ = await receiver.first(1)
      }
      try await RTMPTestClient.with(port: service.rtmpPort, RTMPClientOptions(app: "studio")) { client in
        try await client.connected()
        #expect(try await client.call("first", 1) == .value(1))
      }
    }
  }

  @Test func anApplicationThatDoesNotAnswerIsAnError() async throws {
    let adjust: (inout ServerConfiguration) throws -> Void = { $0.methods.timeLimit = .milliseconds(200) }
    try await withApplication(adjusting: adjust) { service, _ in
      try await RTMPTestClient.with(port: service.rtmpPort, RTMPClientOptions(app: "studio")) { client in
        try await client.connected()
        let error = await failure { _ = try await client.call("silent") }
        #expect(error?.kind == .generalException && error?.description.contains("did not answer") == true)
        #expect(try await client.call("echo", 1) == .value(1))
      }
    }
    // Nobody listens there.
    try await withApplication({ _ in "http://127.0.0.1:1/" }) { service, _ in
      try await RTMPTestClient.with(port: service.rtmpPort, RTMPClientOptions(app: "studio")) { client in
        try await client.connected()
        let error = await failure { _ = try await client.call("first") }
        #expect(error?.kind == .generalException && error?.description.contains("cannot be reached") == true)
      }
    }
  }

  @Test func aLookUpThatTakesTooLongIsAnError() async throws {
    // Like the system's, it heeds no cancellation.
    let slow = WebhookResolver { _ in
      await Deadline.pause(.seconds(600))
      return []
    }
    try await withApplication(resolver: slow) { service, _ in
      try await RTMPTestClient.with(port: service.rtmpPort, RTMPClientOptions(app: "studio")) { client in
        try await client.connected()
        let error = await failure { _ = try await client.call("first") }
        #expect(error?.description.contains("looked up in time") == true, "\(error as Any)")
        #expect(try await client.call("echo", 1) == .value(1))
      }
    }
  }

  @Test func callsDoNotGoToPrivateAddressesUnlessAllowed() async throws {
    try await withApplication({ "https://app.invalid:\($0)/" }, allowed: false) { service, receiver in
      try await RTMPTestClient.with(port: service.rtmpPort, RTMPClientOptions(app: "studio")) { client in
        try await client.connected()
        let error = await failure { _ = try await client.call("first", 1) }
        #expect(error?.description.contains("no address of the internet") == true, "\(error as Any)")
      }
      #expect(receiver.all.isEmpty)
    }
  }

  @Test func aMethodOfItsOwnAddressGoesThereAndOnlyAnEchoIsReplaced() async throws {
    try await withApplication({ "echoInt=http://ints.invalid:\($0)/ints first=http://app.invalid:\($0)/" }) {
      service, receiver in
      try await RTMPTestClient.with(port: service.rtmpPort, RTMPClientOptions(app: "studio")) { client in
        try await client.connected()
        // This application has no such method, which shows that it was asked.
        #expect(await failure { _ = try await client.call("echoInt", 1) }?.kind == .methodNotFound)
        #expect(try await client.call("first", 1) == .value(1))
        #expect(try await client.call("echoString", "a") == .value("a"))
        #expect(await failure { _ = try await client.call("second", 1) }?.kind == .methodNotFound)
      }
      #expect(receiver.all.map(\.uri) == ["/ints", "/"])
    }
  }

  @Test func theApplicationSeesWhatTheCallerMay() async throws {
    let room = try #require(room)
    let keys: (inout ServerConfiguration) throws -> Void = {
      $0.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
    }
    try await withApplication(adjusting: keys) { service, receiver in
      for role in [Authority.listener, .musician] {
        let token = try await TestService.token("studio", role)
        try await NativeConnection.with(service.endpoint, room: room) { link in
          _ = try await link.join(
            JoinRequest(name: try DisplayName(checking: "\(role)"), role: .listener), token: token)
          #expect(try await link.perform(.call("who", [])) == .returned(.string(role.rawValue)))
        }
      }
      #expect(receiver.all.count == 2)
    }
  }

  @Test func withoutAnApplicationThereIsNoMethod() async throws {
    let room = try #require(room)
    try await TestService.with { service async throws in
      try await NativeConnection.with(service.endpoint, room: room) { ada in
        _ = try await ada.join(JoinRequest(name: try DisplayName(checking: "Ada")))
        let error = await #expect(throws: RoomRefusal.self) { _ = try await ada.perform(.call("sum", [])) }
        #expect(error?.code == .unknownMethod && error?.description.contains("--methods") == true)
      }
    }
  }
}
