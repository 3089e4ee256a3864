import Music
import NIOHTTP1
import Signaling
import Testing

@testable import Client
@testable import Server

/// Texts of strangers reach neither the labels of the metrics nor the beginning of a line of the log.
@Suite(.timeLimit(.minutes(5))) struct PoisonTests {
  private static let forged = "x\n2026-11-23 error jamjar: forged \u{1B}[2J\r\0"

  @Test func aThousandOddRequestsAddAHandfulOfMetrics() async throws {
    try await TestService.with { service async throws in
      let methods: [HTTPMethod] = [.GET, .PUT, .DELETE, .OPTIONS, .PROPFIND, .MKCOL]
      let paths: [(Int) -> String] = [
        { "/nothing/\($0)" }, { "/v1/rooms/room\($0)%0Aforged%22%7D%201" }, { "/v1/takes/\($0)" },
        { "/v1/rooms/%F0%9F%8E%B8\($0)/objects/forged\($0)" }, { "/v1/exports/forged\($0)?forged=\($0)" },
      ]
      let before = try await service.send(.GET, "/metrics").text.split(separator: "\n").count
      for number in 0..<1_000 {
        let path = paths[number % paths.count](number)
        _ = try await service.send(methods[number / paths.count % methods.count], path)
      }
      // A line of the text format of Prometheus, with labels of plain words.
      let metric =
        #/(# TYPE [a-z_]+ (counter|gauge)|[a-z_]+(\{[a-z]+="[A-Za-z0-9_\/{}:.\-*]*"(,[a-z]+="[A-Za-z0-9_\/{}:.\-*]*")*\})? [0-9.e+\-]+)/#
      let lines = try await service.send(.GET, "/metrics").text.split(separator: "\n")
      #expect(lines.count - before < 60, "\(lines.count) lines, \(before) before")
      for line in lines {
        #expect(line.wholeMatch(of: metric) != nil, "\(line)")
        #expect(!line.contains("forged"))
      }
    }
  }

  /// Names over every door: refused in words, never written into the log as they are.
  @Test func noNameWritesALineOverAnyDoor() async throws {
    let collector = LogCollector()
    try await TestService.with(logger: collector.logger()) { service async throws in
      let forged = JSONValue.string(PoisonTests.forged)
      for (path, message) in [
        ("/v1/rooms/den/signal", ["id": 1, "method": "join", "params": ["name": forged]] as JSONValue),
        ("/v1/rooms/den/signal", ["id": 1, "method": "join", "params": ["name": "Ada", "part": forged]]),
        ("/v1/rooms/den/signal", ["id": 1, "method": forged, "params": [:]]),
        (
          "/room",
          ["jsonrpc": "2.0", "id": 1, "method": "joinRoom", "params": ["user": forged, "room": "den"]]
        ),
        (
          "/room",
          ["jsonrpc": "2.0", "id": 1, "method": "joinRoom", "params": ["user": "Ada", "room": forged]]
        ),
        ("/kurento-tree", ["jsonrpc": "2.0", "id": 1, "method": "createTree", "params": ["treeId": forged]]),
      ] {
        let said = try await RawConnection.with(port: service.port) { connection in
          try await connection.send(RawConnection.upgrade(path))
          try await connection.send(RawConnection.text(message.text))
          return await connection.until("\"error\"")
        }
        #expect(said.contains("\"error\""), "\(path) \(message.text)")
      }
      let escaped = PoisonTests.forged.percentEncoded
      let sdp = [("Content-Type", "application/sdp")]
      for path in ["/whip/den?name=\(escaped)", "/whip/\(escaped)?name=Ada"] {
        #expect([400, 404].contains(try await service.send(.POST, path, sdp, body: "v=0\r\n").status), "\(path)")
      }
      let body: JSONValue = ["name": forged, "profile": "RTP/AVP", "payloadType": 111]
      #expect(try await service.post("/v1/rooms/den/rtp", body).status == 400)
      // Nobody is in a room now, so nothing of it was taken.
      #expect(try await service.send(.GET, "/v1/rooms").items.isEmpty)
    }
    #expect(!collector.text.contains("\u{1B}") && !collector.text.contains("\nx") && !collector.text.contains("\0"))
    #expect(collector.text.split(separator: "\n").allSatisfy { !$0.hasPrefix("2026-11-23 error jamjar: forged") })
  }
}
