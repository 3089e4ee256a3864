import Catalog
import Machines
import Music
import NIOHTTP1
import Recording
import Rooms
import Signaling
import TestSupport
import Testing

@testable import Client
@testable import Library
@testable import Server

@Suite(.timeLimit(.minutes(5))) struct EventStreamTests {
  private let room = RoomName("Cellar")
  private let ada = DisplayName("Ada")

  private func get(_ query: String = "", _ headers: String = "") -> String {
    "GET /v1/events\(query) HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\(headers)\r\n"
  }

  /// The identifiers in a stream, in order.
  private func ids(_ text: String) -> [String] {
    text.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("id: ") }.map { String($0.dropFirst(4)) }
  }

  @Test func tellsWhatHappensInARoomAsItHappens() async throws {
    let room = try #require(room)
    let ada = try #require(ada)
    try await TestService.with { service async throws in
      try await RawConnection.with(port: service.port) { connection in
        var stream = try await StreamReading(connection, get())
        let head = await stream.until("\n\n")
        #expect(head.contains("content-type: text/event-stream") || head.contains("Content-Type: text/event-stream"))
        #expect(head.lowercased().contains("x-accel-buffering: no"))
        #expect(head.contains("retry: 2000"))
        try await NativeConnection.with(service.endpoint, room: room) { connection in
          _ = try await connection.join(JoinRequest(name: ada))
          let started = try await service.post("/v1/rooms/Cellar/takes", ["song": "So What"])
          let id = try #require(try started.json["id"]?.string)
          _ = try await service.post("/v1/takes/\(id)/cues", ["text": "bridge again"])
          _ = try await service.send(.POST, "/v1/takes/\(id)/stop")
          #expect(try await connection.perform(.leave) == .done)
        }
        let text = head + (await stream.until("event: session.ended"))
        let lines = text.split(whereSeparator: \.isNewline)
        // When a take without audio is forgotten depends on the disk.
        let kinds = lines.filter { $0.hasPrefix("event: ") }.map { String($0.dropFirst(7)) }
          .filter { $0 != "take.discarded" }
        #expect(
          kinds == [
            "session.started", "room.joined", "take.started", "room.recordingStarted", "take.cue", "take.stopped",
            "room.recordingStopped", "room.left", "session.ended",
          ])
        #expect(text.contains("\"song\":{") && text.contains("So What"))
        #expect(text.contains("bridge again"))
        // Numbers go up by one, in one epoch.
        let numbers = ids(text).compactMap { EventID($0) }
        #expect(Set(numbers.map(\.epoch)).count == 1)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1.number == $0.number + 1 })
      }
    }
  }

  @Test func playsBackWhatWasMissedAndFilters() async throws {
    let room = try #require(room)
    try await TestService.with { service async throws in
      let feed = service.broker.events
      let before = feed.position
      for _ in 0..<100 { feed.publish(.takeCue, room: room, .members([:])) }
      feed.publish(.takeEdited, room: RoomName("Attic"), .members([:]))
      feed.publish(.warning, room: room, .members(["text": "last"]))
      for (query, headers) in [("", "Last-Event-ID: \(before)\r\n"), ("?lastEventId=\(before)", "")] {
        try await RawConnection.with(port: service.port) { connection in
          var stream = try await StreamReading(connection, get(query, headers))
          let text = await stream.until("event: warning")
          #expect(text.components(of: "event: take.cue") == 100)
        }
      }
      try await RawConnection.with(port: service.port) { connection in
        var stream = try await StreamReading(
          connection, get("?room=Cellar&types=take.edited,warning&lastEventId=\(before)"))
        let text = await stream.until("event: warning")
        #expect(!text.contains("take.cue") && !text.contains("take.edited"))
      }
    }
  }

  @Test func tellsToListAnewWhereNothingCanBePlayedBack() async throws {
    try await TestService.with { service async throws in
      let feed = service.broker.events
      for _ in 0..<(EventFeed.capacity + 10) { feed.publish(.takeCue, room: nil, .members([:])) }
      let cases = [
        ("01JD4Z6QK8H2V5N7C3XW9RTB0M-3", "restarted"), ("nonsense", "unknown"),
        (EventID(epoch: feed.position.epoch, number: 3).description, "too-old"),
        (EventID(epoch: feed.position.epoch, number: 1 << 40).description, "unknown"),
      ]
      for (id, reason) in cases {
        try await RawConnection.with(port: service.port) { connection in
          var stream = try await StreamReading(connection, get("", "Last-Event-ID: \(id)\r\n"))
          let text = await stream.until("}\n\n")
          #expect(text.contains("event: reset\n"))
          #expect(text.contains("\"reason\":\"\(reason)\""), "\(id)")
          #expect(ids(text).last == feed.position.description)
        }
      }
    }
  }

  /// A client that heard the last edit of a run hears those made since, also while no service ran, each once and in
  /// order.
  @Test func afterARestartTheEditsSinceFollow() async throws {
    let data = try DataFolder()
    var last = ""
    try await TestService.with(data: data) { service async throws in
      _ = try await service.broker.library.createSong(Song(id: SongID(at: MonotonicClock.wall), title: "heard"))
      last = service.broker.events.position.description
    }
    let catalog = try SQLiteCatalog.open(at: data.path + "/catalog.db", now: MonotonicClock.wall)
    let command = try Library(recordings: data.path, index: catalog)
    for number in 1...3 {
      _ = try await command.createSong(Song(id: SongID(at: MonotonicClock.wall), title: "missed \(number)"))
    }
    try catalog.close()
    try await TestService.with(data: data) { service async throws in
      let library = service.broker.library
      let songs = { (text: String) in
        text.split(separator: "\n").filter { $0.hasPrefix("data: ") }.compactMap { line in
          (try? JSONValue(parsing: String(line.dropFirst(6))))?.object?["song"]?.object?["title"]?.string
        }
      }
      try await RawConnection.with(port: service.port) { connection in
        var stream = try await StreamReading(connection, get("", "Last-Event-ID: \(last)\r\n"))
        let text = await stream.until("id: \(service.broker.events.position)\n\n")
        #expect(text.components(of: "event: reset") == 1)
        #expect(songs(text) == ["missed 1", "missed 2", "missed 3"])
        _ = try await library.createSong(Song(id: SongID(at: MonotonicClock.wall), title: "new"))
        #expect(songs(await stream.until("}\n\n")) == ["new"])
        // A connection that broke on the way goes on where it was.
        let broken = try #require(ids(text).first { $0.hasSuffix("-2") })
        try await RawConnection.with(port: service.port) { connection in
          var stream = try await StreamReading(connection, get("", "Last-Event-ID: \(broken)\r\n"))
          let rest = await stream.until("id: \(service.broker.events.position)\n\n")
          #expect(songs(rest) == ["missed 2", "missed 3", "new"])
        }
        // A number that the log never had brings nothing.
        let unknown = "01JD4Z6QK8H2V5N7C3XW9RTB0M-1-\(UInt64.max)"
        try await RawConnection.with(port: service.port) { connection in
          var stream = try await StreamReading(connection, get("", "Last-Event-ID: \(unknown)\r\n"))
          #expect(songs(await stream.until("}\n\n")).isEmpty)
        }
      }
    }
  }

  @Test func livesLongerThanTheIdleTimeoutOfAConnectionByItsHeartbeats() async throws {
    try await TestService.with {
      $0.limits.idleTimeout = 150
      $0.limits.heartbeatInterval = 60
    } _: { service async throws in
      try await RawConnection.with(port: service.port) { connection in
        var stream = try await StreamReading(connection, get())
        _ = await stream.until("retry")
        // Each is one chunk with an empty comment; together they take longer than the timeout.
        for _ in 0..<10 { #expect(await stream.until("\r\n:\n\n").hasSuffix(":\n\n")) }
        service.broker.events.publish(.warning, room: nil, .members([:]))
        #expect(await stream.until("event: warning").contains("event: warning"))
      }
    }
  }

  @Test func endsCleanlyWithTheService() async throws {
    let (openings, opened) = AsyncStream.makeStream(of: Void.self)
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    async let text: String = {
      guard let port = await ports.first(where: { _ in true }) else { return "" }
      return try await RawConnection.with(port: port) { connection in
        var stream = try await StreamReading(connection, get())
        _ = await stream.until("retry")
        opened.yield()
        return await stream.untilClosed()
      }
    }()
    try await TestService.with { service async throws in
      port.yield(service.port)
      _ = await openings.first { _ in true }
      service.broker.events.publish(.warning, room: nil, .members(["text": "the last"]))
    }
    let received = try await text
    #expect(received.contains("the last"))
    // The last chunk of the body: the end was told, the connection did not just break.
    #expect(received.hasSuffix("0\r\n\r\n"))
  }

  @Test func cutsAClientOffThatDoesNotRead() async throws {
    let log = LogCollector()
    try await TestService.with(
      {
        $0.limits.streamStall = 100
        $0.limits.heartbeatInterval = 90
      }, logger: log.logger()
    ) { service async throws in
      let feed = service.broker.events
      let long = String(repeating: "x", count: 60_000)
      try await RawConnection.with(port: service.port) { connection in
        var stream = try await StreamReading(connection, get("?lastEventId=\(feed.position)"))
        _ = await stream.until("retry")
        // More than all the buffers on the way hold, and nobody reads.
        for _ in 0..<400 { feed.publish(.warning, room: nil, .members(["text": .string(long)])) }
        await log.wait(for: "does not read")
      }
      try await eventually("the stream is over") { feed.streamCount == 0 }
    }
  }

  @Test func refusesFiltersThatNameNothing() async throws {
    try await TestService.with { service async throws in
      let wrong = try await service.send(.GET, "/v1/events?types=take.rady")
      #expect(wrong.status == 400)
      #expect(try wrong.json["field"] == "types")
      #expect(try wrong.json["permitted"]?.array?.contains("take.ready") == true)
      #expect(try await service.send(.GET, "/v1/events?rooms=Cellar").status == 400)
      #expect(try await service.send(.GET, "/v1/events?room=../x").status == 400)
      #expect(try await service.send(.GET, "/v1/events", [("Accept", "application/json")]).status == 406)
      #expect(try await service.send(.HEAD, "/v1/events").status == 200)
    }
  }

  @Test func needsAKeyWhereThereAreKeys() async throws {
    try await TestService.with {
      $0.keys = try Keys(joinSecret: nil, apiKeys: [TestService.key])
    } _: { service async throws in
      #expect(try await service.send(.GET, "/v1/events").status == 401)
      try await RawConnection.with(port: service.port) { connection in
        var stream = try await StreamReading(connection, get("", "Authorization: Bearer \(TestService.key)\r\n"))
        #expect(await stream.until("retry").contains("200 OK"))
      }
    }
  }

  @Test func takesNoMoreStreamsThanItsLimit() async throws {
    try await TestService.with {
      $0.limits.quotas[.stream, per: .service] = .held(1)
    } _: { service async throws in
      try await RawConnection.with(port: service.port) { connection in
        var stream = try await StreamReading(connection, get())
        _ = await stream.until("retry")
        let answer = try await service.send(.GET, "/v1/events")
        #expect(try answer.status == 429 && answer.problem == "rate-limited" && answer["retry-after"] == "10")
      }
    }
  }
}
