import NIOHTTP1
import Signaling
import Testing

@testable import Server

@Suite(.timeLimit(.minutes(5))) struct RTPInputsTests {
  private let path = "/v1/rooms/Cellar/rtp"
  private let key = JSONValue.string("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwd")

  @Test func opensAndEndsAnInput() async throws {
    try await TestService.with { service async throws in
      let answer = try await service.post(
        path, ["name": "Encoder", "profile": "RTP/AVP", "payloadType": 111, "ssrc": 4_294_967_295])
      #expect(answer.status == 201)
      let input = try answer.json
      let id = try #require(input["id"]?.string)
      #expect(answer["location"] == "\(path)/\(id)")
      #expect(input["host"]?.string != nil && (1...65_535).contains(input["port"]?.integer ?? 0))
      #expect(input["profile"] == "RTP/AVP" && input["payloadType"] == 111 && input["participant"]?.string?.count == 26)
      #expect(try await service.send(.DELETE, "\(path)/\(id)").status == 204)
      #expect(try await service.send(.DELETE, "\(path)/\(id)").status == 404)
    }
  }

  @Test func takesAKeyForSRTP() async throws {
    try await TestService.with { service async throws in
      let answer = try await service.post(
        path, ["name": "Encoder", "profile": "RTP/SAVP", "payloadType": 111, "key": key])
      #expect(answer.status == 201)
      #expect(!answer.text.contains("AAECAwQF"))
    }
  }

  private let wrong: [(JSONObject, String)] = [
    (["profile": "RTP/AVP", "payloadType": 111], "name"),
    (["name": "", "profile": "RTP/AVP", "payloadType": 111], "name"),
    (["name": "E", "payloadType": 111], "profile"),
    (["name": "E", "profile": "RTP/AVPF", "payloadType": 111], "profile"),
    (["name": "E", "profile": "RTP/AVP"], "payloadType"),
    (["name": "E", "profile": "RTP/AVP", "payloadType": 128], "payloadType"),
    (["name": "E", "profile": "RTP/AVP", "payloadType": .number(1.5)], "payloadType"),
    (["name": "E", "profile": "RTP/AVP", "payloadType": "111"], "payloadType"),
    (
      ["name": "E", "profile": "RTP/AVP", "payloadType": 111, "redundancyPayloadType": 128],
      "redundancyPayloadType"
    ),
    (["name": "E", "profile": "RTP/AVP", "payloadType": 111, "captureTimeExtension": 15], "captureTimeExtension"),
    (["name": "E", "profile": "RTP/AVP", "payloadType": 111, "ssrc": -1], "ssrc"),
    (["name": "E", "profile": "RTP/AVP", "payloadType": 111, "ssrc": 4_294_967_296], "ssrc"),
    (["name": "E", "profile": "RTP/AVP", "payloadType": 111, "channels": 3], "channels"),
    (["name": "E", "profile": "RTP/AVP", "payloadType": 111, "consent": "no"], "consent"),
    (["name": "E", "profile": "RTP/AVP", "payloadType": 111, "key": "AAEC"], "key"),
    (["name": "E", "profile": "RTP/SAVP", "payloadType": 111], "key"),
    (["name": "E", "profile": "RTP/SAVP", "payloadType": 111, "key": "no base64!"], "key"),
    (["name": "E", "profile": "RTP/AVP", "payloadType": 111, "codec": "opus"], "codec"),
  ]

  @Test func namesTheFieldThatIsWrong() async throws {
    try await TestService.with { service async throws in
      for (body, field) in wrong {
        let answer = try await service.post(path, .object(body))
        #expect(answer.status == 400)
        #expect(try answer.json["field"]?.string == field)
      }
    }
  }
}
