import Logging
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

/// What the operator sees of the connections that carry music.
@Suite(.timeLimit(.minutes(5))) struct ConnectionsTests {
  private func items(_ service: TestService, _ query: String = "") async throws -> [JSONObject] {
    try await service.send(.GET, "/v1/connections\(query)").items
  }

  /// The value of a metric's line.
  private func metric(_ name: String, _ service: TestService) async throws -> Int? {
    let text = try await service.send(.GET, "/metrics").text
    let line = text.split(separator: "\n").first { $0.hasPrefix("\(name) ") }
    return line?.split(separator: " ").last.flatMap { Int($0) }
  }

  @Test func aConnectionOfRTMPIsCountedWithItsMusician() async throws {
    try await TestService.with {
      $0.rtmp = .init(0)
    } _: { service async throws in
      let total = "jamjar_media_bytes_total{dialect=\"rtmp\",direction=\"in\"}"
      try await RTMPTestClient.with(port: service.rtmpPort, RTMPClientOptions(app: "studio")) { client in
        try await client.connected()
        client.send(.publish(name: "desk"))
        let stream = try await client.next { output -> UInt32? in
          if case .status(let stream, let status) = output, status.code == RTMPStatus.Code.publishStart {
            stream
          } else {
            nil
          }
        }
        let encoder = try OpusEncoder(.init(channels: 2, bitrate: 64_000, complexity: 0))
        let packet = try encoder.encode([Float](repeating: 0.1, count: 1_920))
        for index in 0..<50 {
          client.send(.audio(stream: stream, timestamp: UInt32(index * 20), AudioTag(.opus, .frame(packet))))
        }
        let least = Int64(50 * packet.count)
        try await eventually("the bytes are counted") {
          try await items(service).first?["bytesIn"]?.integer ?? 0 >= least
        }
        let found = try #require(try await items(service).first)
        #expect(found["dialect"] == "rtmp" && found["transport"] == "tcp" && found["room"] == "studio")
        #expect(found["codecs"] == ["opus"] && found["direction"] == "in" && found["address"] == "127.0.0.1")
        #expect((found["bytesOut"]?.integer ?? 0) > 0)
        let room = try RoomName(checking: "studio")
        let members = await service.broker.snapshot(of: room)?.members ?? []
        let desk = try #require(members.first { $0.role == .musician }?.participant.id)
        let path = "/v1/rooms/studio/members/\(desk)/statistics"
        let own = try await service.send(.GET, path).json["connections"]?.array ?? []
        #expect(own.first?.object?["id"] == found["id"])
        #expect(try await items(service, "?dialect=whip").isEmpty)
        #expect(try await items(service, "?room=elsewhere").isEmpty)
        #expect(try await items(service, "?room=studio&dialect=rtmp").count == 1)
        #expect(try await metric("jamjar_media_connections{dialect=\"rtmp\"}", service) == 1)
        #expect(try await metric(total, service) ?? 0 >= Int(least))
      }
      try await eventually("the connection is gone") { try await items(service).isEmpty }
      // A counter never goes back.
      #expect(try await metric(total, service) ?? 0 > 50)
    }
  }

  @Test func manyConnectionsComeInPagesAndWrongCursorsAreNamed() async throws {
    try await TestService.with { service async throws in
      var inputs: [String] = []
      for name in ["ada", "bob", "cyd"] {
        let answer = try await service.post(
          "/v1/rooms/studio/rtp", ["name": .string(name), "profile": "RTP/AVP", "payloadType": 111])
        inputs.append(try #require(try answer.json["id"]?.string))
      }
      var seen: [String] = []
      var cursor: String?
      repeat {
        let query = "?limit=1" + (cursor.map { "&cursor=\($0)" } ?? "")
        let page = try await service.send(.GET, "/v1/connections\(query)").json
        let ids = page["items"]?.array?.compactMap { $0.object?["id"]?.string } ?? []
        #expect(ids.count == 1)
        seen += ids
        cursor = page["next"]?.string
      } while cursor != nil && seen.count < 9
      #expect(seen == inputs.sorted().map { "\($0)-rtp" })
      #expect(try await items(service).allSatisfy { $0["dialect"] == "rtp" && $0["bytesIn"] == 0 })
      #expect(try await service.send(.GET, "/v1/connections?cursor=%20!").status == 400)
      #expect(try await service.send(.GET, "/v1/connections?dialect=morse").status == 400)
      let nobody = ParticipantID(at: MonotonicClock.wall)
      #expect(try await service.send(.GET, "/v1/rooms/studio/members/\(nobody)/statistics").status == 404)
    }
  }

  /// Pages that reach Kurento Tree by plain requests have no connection that could be counted otherwise.
  @Test func pagesThatPollAreCountedForAsLongAsTheyAsk() async throws {
    try await TestService.with {
      $0.limits.sockJSPatience = 60_000
    } _: { service async throws in
      let before = try await metric("jamjar_sockjs_links", service)
      #expect(before == 0)
      for session in ["abcdefgh", "ijklmnop"] {
        #expect(try await service.send(.POST, "/kurento-tree/000/\(session)/xhr").text == "o\n")
      }
      // Asking again opens no other.
      let ping = #"["{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"interval\":60000}}"]"#
      #expect(try await service.send(.POST, "/kurento-tree/000/abcdefgh/xhr_send", body: ping).status == 204)
      #expect(try await service.send(.POST, "/kurento-tree/000/abcdefgh/xhr").text.hasPrefix("a["))
      let during = try await metric("jamjar_sockjs_links", service)
      #expect(during == 2)
    }
    try await TestService.with {
      $0.limits.sockJSPatience = 50
    } _: { service async throws in
      #expect(try await service.send(.POST, "/kurento-tree/000/abcdefgh/xhr").text == "o\n")
      try await eventually("a page that asks no more is not counted") {
        try await metric("jamjar_sockjs_links", service) == 0
      }
    }
  }

  @Test func refusalsAreLoggedWithTheirReasonAndNotWithoutEnd() {
    let collector = LogCollector()
    let log = RefusalLog(collector.logger())
    let start = MonotonicTime(nanoseconds: 1_000_000_000)
    for _ in 0..<1_000 { log.note("refused", ["reason": "the room is full"], at: start) }
    func lines() -> [Substring] { collector.text.split(separator: "\n") }
    #expect(lines().count == 30)
    log.note("refused", ["reason": "the room is full"], at: start + .seconds(2))
    #expect(lines().last?.contains("970") == true, "\(collector.text.suffix(200))")
  }
}

@Suite struct TrafficMeterTests {
  @Test func theRateIsThatOfTheLastSecondsAndTheBytesAreAll() {
    var meter = TrafficMeter()
    let start = MonotonicTime(nanoseconds: 1_000_000_000)
    #expect(meter.bitrate(at: start) == 0)
    // 1,000 bytes every 20 ms: 400 kbit/s.
    for step in 0..<500 { meter.add(1_000, at: start + .milliseconds(Int64(step * 20))) }
    let end = start + .seconds(10)
    #expect(abs(meter.bitrate(at: end) - 400_000) < 20_000, "\(meter.bitrate(at: end))")
    #expect(meter.bytes == 500_000)
    #expect(meter.takeNews() == 500_000)
    meter.add(1, at: end)
    #expect(meter.takeNews() == 1 && meter.bytes == 500_001)
    // Silence.
    #expect(meter.bitrate(at: end + .seconds(3_600)) < 1_000)
  }
}
