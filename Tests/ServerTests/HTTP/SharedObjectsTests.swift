import Music
import NIOHTTP1
import Rooms
import Signaling
import TestSupport
import Testing

@testable import Client
@testable import Server

@Suite(.timeLimit(.minutes(5))) struct SharedObjectsTests {
  private static let path = "/v1/rooms/Cellar/objects"

  @Test func objectsAreMadeReadChangedAndEndedWhereNobodyIsIn() async throws {
    try await TestService.with { service async throws in
      let path = SharedObjectsTests.path
      #expect(try await service.send(.GET, path).items.isEmpty)
      #expect(try await service.send(.GET, path + "/score").problem == "unknown-object")
      let body: JSONValue = ["slots": ["tempo": 120, "at": ["$date": 5], "place": ["x": 1, "y": 2]]]
      let json = ("Content-Type", "application/json")
      #expect(try await service.send(.PUT, path + "/score", [json], body: body.text).status == 428)
      let made = try await service.send(.PUT, path + "/score", [json, ("If-None-Match", "*")], body: body.text)
      #expect(made.status == 201 && made["location"] == path + "/score")
      #expect(try made.json["slots"] == body.object?["slots"] && made.json["persistent"] == true)
      #expect(try made.json["version"] == 2 && made["etag"]?.hasPrefix("\"2-") == true)
      let twice = try await service.send(.PUT, path + "/score", [json, ("If-None-Match", "*")], body: body.text)
      #expect(twice.status == 412)
      let tag = try #require(made["etag"])
      #expect(try await service.send(.GET, path + "/score", [("If-None-Match", tag)]).status == 304)

      let patch: JSONValue = ["slots": ["tempo": 96, "at": .null, "place": ["x": .null, "z": 3]]]
      let patched = try await service.patch(path + "/score", patch, [("If-Match", tag)])
      #expect(try patched.status == 200 && patched.json["slots"] == ["tempo": 96, "place": ["y": 2, "z": 3]])
      #expect(try await service.patch(path + "/score", patch, [("If-Match", tag)]).status == 412)
      #expect(try await service.patch(path + "/other", patch, [("If-Match", tag)]).status == 404)
      let replaced = try await service.send(
        .PUT, path + "/score", [json, ("If-Match", "*")], body: #"{"slots":{"a":null,"b":1}}"#)
      #expect(try replaced.status == 200 && replaced.json["slots"] == ["b": 1])
      let list = try await service.send(.GET, path).items
      #expect(list.map { $0["name"] } == ["score"] && list.first?["slotCount"] == 1 && list.first?["users"] == 0)
      let call: JSONValue = ["handler": "onBeat", "arguments": [1, ["$bytes": "AA=="]]]
      let sent = try await service.post(path + "/score/send", call)
      #expect(sent.status == 204)
      #expect(try await service.send(.DELETE, path + "/score").status == 204)
      #expect(try await service.send(.DELETE, path + "/score").status == 404)
      #expect(try await service.send(.GET, "/v1/rooms/Cellar").status == 404)
    }
  }

  @Test func whatIsRefusedChangesNothingAndSaysWhy() async throws {
    try await TestService.with { service async throws in
      let path = SharedObjectsTests.path + "/a%2Fb"
      let headers = [("Content-Type", "application/json"), ("If-None-Match", "*")]
      #expect(try await service.send(.PUT, path, headers, body: #"{"slots":{"n":1}}"#).json["name"] == "a/b")
      let long = String(repeating: "k", count: 256)
      for (body, problem) in [
        ([:], "invalid-field"), (["slots": []], "invalid-field"), (["slots": ["d": ["$date": "x"]]], "malformed"),
        (["slots": ["n": 2, "": 1]], "invalid-name"), (["slots": .object([long: 1])], "invalid-name"),
        (["slots": ["n": 2], "more": 1], "invalid-field"),
      ] as [(JSONValue, String)] {
        #expect(try await service.patch(path, body).problem == problem, "\(body.text)")
      }
      #expect(try await service.send(.GET, path).json["slots"] == ["n": 1])
      #expect(try await service.send(.GET, path).json["version"] == 2)
      for (name, problem) in [("roster", "forbidden"), ("%07", "invalid-name"), ("kept", "wrong-state")] {
        let answer = try await service.send(
          .PUT, SharedObjectsTests.path + "/" + name, headers, body: #"{"slots":{"a":1},"persistent":false}"#)
        #expect(try answer.problem == problem)
      }
      #expect(try await service.post(path + "/send", ["handler": ""]).problem == "invalid-name")
      #expect(try await service.post("/v1/rooms/Cellar/push", ["name": "x"]).problem == "wrong-state")
      #expect(try await service.post("/v1/rooms/Cellar/push", ["name": "x", "to": "y"]).problem == "invalid-field")
    }
  }

  @Test func aPushReachesEverybodyOrOne() async throws {
    try await TestService.with { service async throws in
      let room = try RoomName(checking: "Cellar")
      try await NativeConnection.with(service.endpoint, room: room) { ada in
        let grant = try await ada.join(JoinRequest(name: try DisplayName(checking: "Ada")))
        var events = ada.events.makeAsyncIterator()
        let path = "/v1/rooms/Cellar/push"
        #expect(try await service.post(path, ["name": "countIn", "arguments": [4, ["$date": 5]]]).status == 204)
        #expect(await events.next() == .push(name: "countIn", [.number(4), .date(5)]))
        let one: JSONValue = ["name": "you", "to": .string(grant.participant.description)]
        #expect(try await service.post(path, one).status == 204)
        #expect(await events.next() == .push(name: "you", []))
        #expect(try await service.post(path, ["name": "us", "to": "all"]).status == 204)
        #expect(await events.next() == .push(name: "us", []))
        let nobody: JSONValue = ["name": "you", "to": "01JD4Z6QK8H2V5N7C3XW9RTB0M"]
        #expect(try await service.post(path, nobody).problem == "unknown-participant")
      }
    }
  }

  /// What one client makes of what it is told.
  private func follow(_ link: NativeConnection, until last: String) async -> [String: SharedValue] {
    var slots: [String: SharedValue] = [:]
    for await event in link.events {
      guard case .sharedObject(let event) = event else { continue }
      switch event.content {
      case .slots(let all): slots = Dictionary(uniqueKeysWithValues: all.map { ($0.key, $0.value) })
      case .outcomes(let outcomes):
        for outcome in outcomes {
          switch outcome {
          case .confirmed(let key, let value), .changed(let key, let value): slots[key] = value
          case .removed(let key): slots[key] = nil
          case .cleared: slots = [:]
          case .sent, .denied: break
          }
        }
      }
      if slots[last] != nil { return slots }
    }
    return slots
  }

  @Test func threeWhoWriteAtOnceEndWithTheSame() async throws {
    try await TestService.with { service async throws in
      let room = try RoomName(checking: "Cellar")
      let score = try SharedObjectName(checking: "score")
      try await NativeConnection.with(service.endpoint, room: room) { ada in
        try await NativeConnection.with(service.endpoint, room: room) { bob in
          for (link, name) in [(ada, "Ada"), (bob, "Bob")] {
            _ = try await link.join(JoinRequest(name: try DisplayName(checking: name)))
            _ = try await link.perform(.sharedObjectUse(score, isPersistent: true))
          }
          async let adas = follow(ada, until: "done")
          async let bobs = follow(bob, until: "done")
          try await withThrowingTaskGroup(of: Void.self) { group in
            for (seed, link) in [(1, ada), (2, bob)] as [(UInt64, NativeConnection)] {
              group.addTask {
                var generator = SeededRandom(seed)
                for number in 0..<80 {
                  let key = "k\(Int.random(in: 0..<4, using: &generator))"
                  let value = SharedValue.number(Double(number) + Double(seed) / 10)
                  let change: SharedChange =
                    number % 20 == 19 ? .clear : number % 7 == 6 ? .remove(key) : .set(key, value)
                  _ = try await link.perform(.sharedObjectChange(score, [change]))
                }
              }
            }
            group.addTask {
              for number in 0..<40 {
                let slots: JSONValue = .object(["k\(number % 4)": number % 5 == 4 ? .null : .integer(Int64(number))])
                _ = try await service.patch(SharedObjectsTests.path + "/score", ["slots": slots])
              }
            }
            try await group.waitForAll()
          }
          _ = try await service.patch(SharedObjectsTests.path + "/score", ["slots": ["done": true]])
          let truth = try await service.send(.GET, SharedObjectsTests.path + "/score").json["slots"]
          for slots in [await adas, await bobs] {
            let json = JSONValue.object(JSONObject(slots.map { ($0.key, $0.value.json) }))
            #expect(json.byName == truth?.byName)
          }
        }
      }
    }
  }
}

extension JSONValue {
  fileprivate var byName: JSONValue {
    guard let object else { return self }
    return .object(JSONObject(object.members.map { ($0.name, $0.value) }.sorted { $0.0 < $1.0 }))
  }
}
