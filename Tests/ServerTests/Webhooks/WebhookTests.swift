import Catalog
import Foundation
import Library
import Music
import NIOHTTP1
import Recording
import Rooms
import Signaling
import Testing

@testable import Client
@testable import Server

// Pauses between attempts double: the longer a busy machine takes before a restart, the longer the next one is away.
@Suite(.timeLimit(.minutes(15))) struct WebhookTests {
  private static let key = (0..<32).map { UInt8($0 &* 7) }
  private static let secret = "whsec_" + Data(key).base64EncodedString()
  private let room = RoomName("Großer Keller")
  private let loopback = WebhookResolver { _ in ["127.0.0.1"] }

  /// Makes the service tell the receiver, with pauses of a few milliseconds.
  private func point(_ configuration: inout ServerConfiguration, at port: Int, types: String = "") throws {
    let text = "http://hooks.invalid:\(port)/in \(WebhookTests.secret) \(types)"
    configuration.webhooks = WebhookConfiguration(endpoints: try WebhookEndpoint.list(text), allowsPrivate: true)
    configuration.webhooks.schedule.firstPause = 0.02
  }

  private func number(_ request: WebhookReceiver.Received) throws -> Int64? {
    try JSONValue(parsing: request.body).object?["data"]?.object?["n"]?.integer
  }

  private func publish(_ numbers: Range<Int64>, _ service: TestService) {
    for number in numbers {
      service.broker.events.publish(.takeReady, room: room, .members(["n": .integer(number)]))
    }
  }

  @Test func signsWhatItTellsSoThatPythonAgrees() async throws {
    let room = try #require(room)
    try await WebhookReceiver.with { receiver async throws in
      try await TestService.with({ try point(&$0, at: receiver.port) }, resolver: loopback) { service async throws in
        service.broker.events.publish(.roomJoined, room: room, .members([:]))
        publish(1..<2, service)
        let request = try #require(await receiver.first(1).first)
        let body = try #require(try JSONValue(parsing: request.body).object)
        #expect(body["type"] == "take.ready" && body["data"]?.object?["room"]?.string == room.description)
        #expect(request.headers.first(name: "webhook-id")?.hasPrefix("msg_") == true)
        let sent = try #require(request.headers.first(name: "webhook-timestamp").flatMap { Int64($0) })
        #expect(abs(sent - MonotonicClock.wall.milliseconds / 1_000) < 30)
        #expect(try request.isSigned(by: WebhookTests.secret))
        var forged = request
        forged.body += " "
        #expect(try !forged.isSigned(by: WebhookTests.secret))
      }
    }
  }

  @Test func tellsOfARealSession() async throws {
    let room = try #require(room)
    let ada = try #require(DisplayName("Ada"))
    try await WebhookReceiver.with { receiver async throws in
      try await TestService.with({ try point(&$0, at: receiver.port) }, resolver: loopback) { service async throws in
        try await NativeConnection.with(service.endpoint, room: room) { connection in
          _ = try await connection.join(JoinRequest(name: ada))
          _ = try await service.post("/v1/rooms/\(room.description.percentEncoded)/takes", [:])
          #expect(try await connection.perform(.leave) == .done)
        }
        let types = try await receiver.first(5).map { try JSONValue(parsing: $0.body).object?["type"]?.string }
        #expect(
          types.filter { $0 != "take.discarded" } == [
            "session.started", "take.started", "take.stopped", "session.ended",
          ])
      }
    }
  }

  @Test func triesAgainInOrderUntilItIsTaken() async throws {
    try await WebhookReceiver.with(
      reply: { number, _ in .init(status: number < 3 ? 503 : 204) }
    ) { receiver async throws in
      try await TestService.with({ try point(&$0, at: receiver.port) }, resolver: loopback) { service async throws in
        publish(1..<4, service)
        let requests = await receiver.first(6)
        #expect(try requests.map { try number($0) } == [1, 1, 1, 1, 2, 3])
        let identifiers = Set(requests.prefix(4).map { $0.headers.first(name: "webhook-id") })
        #expect(identifiers.count == 1)
        let metrics = try await service.send(.GET, "/metrics").text
        #expect(metrics.contains("jamjar_webhook_deliveries_total{outcome=\"retried\"} 3"))
      }
    }
  }

  @Test func givesUpWhatTheReceiverCannotTakeAndGoesOn() async throws {
    let one = "\"n\":1"
    try await WebhookReceiver.with(
      reply: { _, request in .init(status: request.body.contains(one) ? 400 : 204) }
    ) { receiver async throws in
      try await TestService.with({ try point(&$0, at: receiver.port) }, resolver: loopback) { service async throws in
        publish(1..<3, service)
        #expect(try await receiver.first(6).map { try number($0) } == [1, 1, 1, 1, 1, 2])
      }
    }
  }

  @Test func keepsWhatWaitsThroughARestart() async throws {
    let data = try DataFolder()
    var first: [String?] = []
    try await WebhookReceiver.with(reply: { _, _ in .init(status: 500) }) { receiver async throws in
      // The endpoint has a fixed address in life; here its port changes, so the spool is moved to the new one.
      try await TestService.with(
        { try point(&$0, at: receiver.port) }, data: data, resolver: loopback
      ) { service async throws in
        publish(1..<4, service)
        first = await receiver.first(2).map { $0.headers.first(name: "webhook-id") }
      }
      #expect(try spooled(in: data).count == 3)
      try moveSpool(of: receiver.port, in: data, to: "kept")
    }
    try await WebhookReceiver.with { receiver async throws in
      try moveSpool("kept", in: data, to: receiver.port)
      try await TestService.with(
        { try point(&$0, at: receiver.port) }, data: data, resolver: loopback
      ) { service async throws in
        publish(4..<5, service)
        let requests = await receiver.first(4)
        #expect(try requests.map { try number($0) } == [1, 2, 3, 4])
        #expect(requests.first?.headers.first(name: "webhook-id") == first.first)
      }
      // The last one may have been cut off by the shutdown after it was taken: it comes once more then.
      #expect(try spooled(in: data).count <= 1)
    }
  }

  @Test func tellsEveryEditOnceAlsoThoseMadeWhileItWasDown() async throws {
    let data = try DataFolder()
    func song(_ number: Int) -> Song { Song(id: SongID(at: MonotonicClock.wall), title: "song \(number)") }
    func title(_ request: WebhookReceiver.Received) throws -> String? {
      try JSONValue(parsing: request.body).object?["data"]?.object?["song"]?.object?["title"]?.string
    }
    try await WebhookReceiver.with { receiver async throws in
      let point = { (configuration: inout ServerConfiguration) in
        try self.point(&configuration, at: receiver.port, types: "song,warning")
      }
      let catalog = try SQLiteCatalog.open(at: data.path + "/catalog.db", now: MonotonicClock.wall)
      // Before the endpoint was known: not for it.
      _ = try await Library(recordings: data.path, index: catalog).createSong(song(0))
      var told: [String?] = []
      try await TestService.with(point, data: data, resolver: loopback) { service async throws in
        _ = try await service.broker.library.createSong(song(1))
        told += try await receiver.first(1).map(title)
      }
      for number in 2...3 { _ = try await Library(recordings: data.path, index: catalog).createSong(song(number)) }
      try catalog.close()
      try await TestService.with(point, data: data, resolver: loopback) { service async throws in
        _ = try await service.broker.library.createSong(song(4))
        service.broker.events.publish(.warning, room: nil, .members([:]))
        while told.last != .some(nil) { told += try await receiver.first(1).map(title) }
      }
      // A delivery that the shutdown cut off after it was taken is repeated; otherwise each comes once.
      var distinct: [String?] = []
      for title in told where distinct.last != title { distinct.append(title) }
      #expect(distinct == ["song 1", "song 2", "song 3", "song 4", nil])
    }
  }

  @Test func passesByTheEditsThatItDoesNotWant() async throws {
    let data = try DataFolder()
    try await WebhookReceiver.with { receiver async throws in
      let point = { (configuration: inout ServerConfiguration) in
        try self.point(&configuration, at: receiver.port, types: "warning")
      }
      try await TestService.with(point, data: data, resolver: loopback) { service async throws in
        for number in 1...3 {
          let song = Song(id: SongID(at: MonotonicClock.wall), title: "song \(number)")
          _ = try await service.broker.library.createSong(song)
        }
        service.broker.events.publish(.warning, room: nil, .members([:]))
        #expect(await receiver.first(1).count == 1)
      }
      // Otherwise every later edit would have these read again.
      let path = "\(data.path)/_webhooks/\(try key(of: receiver.port))/edits"
      #expect(try String(contentsOfFile: path, encoding: .utf8) == "3")
    }
  }

  @Test func losesNothingAtTheShutdownOfWhatTheRoomsSaidLast() async throws {
    let data = try DataFolder()
    try await WebhookReceiver.with { receiver async throws in
      try await TestService.with(
        { try point(&$0, at: receiver.port) }, data: data, resolver: loopback
      ) { service async throws in
        publish(1..<21, service)
      }
      // As many as the last seconds allow are delivered, in order; the others wait for the next start.
      let delivered = try receiver.all.map { try number($0) ?? 0 }
      let counted = [Int64](0..<Int64(delivered.count))
      #expect(delivered.map { $0 - 1 } == counted)
      #expect(delivered.count + (try spooled(in: data).count) >= 20)
    }
  }

  @Test func endsWithAnEndpointThatIsGone() async throws {
    let data = try DataFolder()
    try await WebhookReceiver.with(reply: { _, _ in .init(status: 410) }) { receiver async throws in
      try await TestService.with(
        { try point(&$0, at: receiver.port) }, data: data, resolver: loopback
      ) { service async throws in
        publish(1..<4, service)
        _ = await receiver.first(1)
        publish(4..<6, service)
      }
      #expect(receiver.all.count == 1)
      #expect(try spooled(in: data).isEmpty)
    }
  }

  @Test func aSpoolWithNonsenseInItHoldsNothingUp() async throws {
    let data = try DataFolder()
    try await WebhookReceiver.with { receiver async throws in
      let folder = "_webhooks/\(try key(of: receiver.port))"
      try data.write("{", "\(folder)/000000000000001-000001-a.json")
      try data.write("[1]", "\(folder)/000000000000002-000001-b.json")
      try data.write("half", "\(folder)/000000000000003-000001-c.json.part")
      // Numbers of which there is no next, and a time to which there is no span in 64 bits.
      try data.write("{", "\(folder)/\(Int64.max)-000001-d.json")
      try data.write("{", "\(folder)/-9-000001-e.json")
      let old = WallTime(nanoseconds: .min).description
      try data.write(
        "{\"id\":\"f\",\"created\":\"\(old)\",\"due\":\"\(old)\",\"attempts\":0,\"body\":\"{}\"}",
        "\(folder)/000000000000004-000001-f.json")
      try await TestService.with(
        { try point(&$0, at: receiver.port) }, data: data, resolver: loopback
      ) { service async throws in
        publish(1..<2, service)
        // The old one is tried once more, as every delivery is.
        #expect(try await receiver.first(2).map { try number($0) } == [nil, 1])
      }
      #expect(try spooled(in: data).count <= 1)
    }
  }

  // MARK: The spool's files

  private func key(of port: Int) throws -> String {
    try #require(
      WebhookEndpoint.list("http://hooks.invalid:\(port)/in \(WebhookTests.secret)").first
    ).key
  }

  private func spooled(in data: DataFolder) throws -> [String] {
    let root = data.path + "/_webhooks"
    return try FileManager.default.contentsOfDirectory(atPath: root).flatMap {
      try FileManager.default.contentsOfDirectory(atPath: "\(root)/\($0)")
    }
    // Beside the deliveries there is the number of the last edit.
    .filter { $0 != "edits" }
  }

  private func moveSpool(of port: Int, in data: DataFolder, to name: String) throws {
    let root = data.path + "/_webhooks/"
    try FileManager.default.moveItem(atPath: root + (try key(of: port)), toPath: root + name)
  }

  private func moveSpool(_ name: String, in data: DataFolder, to port: Int) throws {
    let root = data.path + "/_webhooks/"
    try FileManager.default.moveItem(atPath: root + name, toPath: root + (try key(of: port)))
  }
}
