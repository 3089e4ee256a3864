import Music
import NIOHTTP1
import Rooms
import Signaling
import Testing

@testable import Server

@Suite(.timeLimit(.minutes(5))) struct RoomServerTests {
  private let json = ("Content-Type", "application/json")

  @Test func answersWhatTheDemonstrationPageAsksFor() async throws {
    try await TestService.with { service async throws in
      for (path, expected) in [
        ("/getAllRooms", "[]"), ("/getUpdateSpeakerInterval", "1800"), ("/getThresholdSpeaker", "-50"),
        ("/getClientConfig", #"{"loopbackRemote":false,"loopbackAndLocal":false,"filterRequestParam":null}"#),
      ] {
        let answer = try await service.send(.POST, path)
        #expect(answer.status == 200 && answer.text == expected, "\(path)")
        #expect(answer["content-type"] == "application/json;charset=UTF-8")
      }
    }
  }

  @Test func closingARoomTellsEverybodyAndFreesIt() async throws {
    try await TestService.with { service async throws in
      try await RPCConnection.with(service) { ann in
        _ = try await ann.join("take5", as: "ann")
        #expect(try await service.send(.GET, "/getAllRooms").text == #"["take5"]"#)
        #expect(try await service.send(.GET, "/close?room=take5").status == 200)
        #expect(try await ann.notification("roomClosed") == ["room": "take5"])
        #expect(try await ann.notification("participantEvicted") == [:])
        await ann.untilClosed()
        #expect(ann.closedWith == 1000)
      }
      #expect(try await service.send(.GET, "/close?room=take5").status == 404)
      #expect(try await service.send(.GET, "/close").status == 400)
      let foreign = try await service.send(.GET, "/close?room=take5", [("Sec-Fetch-Site", "cross-site")])
      #expect(foreign.status == 403)
    }
  }

  @Test func aSessionCanBeHadByPostAlone() async throws {
    try await TestService.with { service async throws in
      func call(_ method: String, _ params: JSONObject, id: Int64) async throws -> JSONObject {
        let request: JSONValue = [
          "jsonrpc": "2.0", "id": .integer(id), "method": .string(method), "params": .object(params),
        ]
        let answer = try await service.send(.POST, "/room", [json], body: request.text)
        #expect(answer.status == 200)
        return try JSONValue(parsing: answer.text, limits: JSONLimits()).object ?? [:]
      }
      let joined = try await call("joinRoom", ["user": "ann", "room": "take5"], id: 1)
      let session = try #require(joined["result"]?.object?["sessionId"])
      let said = try await call(
        "sendMessage", ["sessionId": session, "message": "hello", "userMessage": "ann", "roomMessage": "take5"], id: 2)
      #expect(said["result"]?.object?["sessionId"] == session)
      let stranger = try await call("leaveRoom", [:], id: 3)
      #expect(stranger["error"]?.object?["code"] == 102, "without the session's identifier it is another session")
      let left = try await call("leaveRoom", ["sessionId": session], id: 4)
      #expect(left["result"] != nil)
      let broken = try await service.send(.POST, "/room", [json], body: "{\"method\":")
      #expect(broken.text.contains("-32700"))
      let notification = try await service.send(.POST, "/room", [json], body: #"{"jsonrpc":"2.0","method":"x"}"#)
      #expect(notification.status == 204)
      #expect(try await service.send(.GET, "/room").status == 426)
    }
  }
}
