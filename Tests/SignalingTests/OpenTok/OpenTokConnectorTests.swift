import Machines
import Music
import Testing

@testable import Signaling

/// Audio Connectors: what may be wished, what they say, and how long they last.
@Suite struct OpenTokConnectorTests {
  private static let stream = "8b732909-0a06-46a2-8ea8-074e64d43422"
  private let zero = MonotonicTime(nanoseconds: 0)
  private let wall = WallTime(milliseconds: 1_790_000_000_000)

  private func wish(_ options: String, token: String = "\"T1==x\"") throws -> OpenTokConnectorWish {
    let text = "{\"sessionId\": \"1_x\", \"token\": \(token), \"websocket\": \(options)}"
    return try OpenTokConnectorWish(try #require(try JSONValue(parsing: Array(text.utf8)).object))
  }

  private func connector(_ options: String) throws -> OpenTokConnector {
    OpenTokConnector(
      id: "c", session: try OpenTokBodiesTests.session(),
      connection: try #require(OpenTokConnectionID(OpenTokConnectorTests.stream)), wish: try wish(options),
      server: "wss://a.example:443", wall: wall)
  }

  private func members(_ message: OpenTokConnector.Message?) throws -> JSONObject {
    guard case .text(let text) = message else { throw JSONError(.tooLarge(limit: 0), at: 0) }
    return try #require(try JSONValue(parsing: text).object)
  }

  @Test func whatSDKsSendIsRead() throws {
    let bare = try wish(#"{"uri": "wss://service.com/ws-endpoint"}"#)
    #expect(bare.rate == 16_000 && bare.channels == 1 && bare.streams == nil && !bare.hearsJoiners)
    #expect(bare.transport == .binary && bare.headers.members.isEmpty)
    // As the Python SDK does: JSON text within a string.
    let python = try wish(
      """
      {"uri": "ws://a.example/x?y=1", "streams": ["\(OpenTokConnectorTests.stream)"], "bidirectional": false,
       "headers": {"key1": "val1", "n": 2},
       "audioTransport": "{\\"transport\\":\\"json\\",\\"encoding\\":\\"base64\\",\\"audio_field\\":\\"audio\\",\
      \\"static_fields\\":{\\"type\\":\\"sound\\"}}"}
      """)
    #expect(python.streams?.map(\.description) == [OpenTokConnectorTests.stream])
    #expect(python.transport == .json(field: "audio", fixed: ["type": "sound"]))
    let ours = try wish(#"{"uri": "wss://a.example/", "audioRate": 48000, "channels": 2, "joiners": true}"#)
    #expect(ours.rate == 48_000 && ours.channels == 2 && ours.hearsJoiners && !ours.isBidirectional)
    #expect(try wish(#"{"uri": "wss://a.example/", "bidirectional": true}"#).isBidirectional)
  }

  /// A server answers in the form in which it hears.
  @Test func whatTheServerSendsIsReadInTheSameForm() {
    let json = OpenTokConnectorWish.Transport.json(field: "audio", fixed: ["type": "sound"])
    for transport in [.binary, json] {
      let message = OpenTokConnector.message([1, 2, 3, 4], by: transport)
      #expect(OpenTokConnector.sound(of: message, by: transport) == [1, 2, 3, 4])
    }
    for text in ["", "{", "[]", "{}", #"{"audio": 1}"#, #"{"audio": "?"}"#, #"{"event": "x"}"#] {
      #expect(OpenTokConnector.sound(of: .text(text), by: json) == nil, "\(text)")
    }
    #expect(OpenTokConnector.sound(of: .text("{}"), by: .binary) == nil)
    #expect(OpenTokConnector.sound(of: .binary([1]), by: json) == nil)
  }

  @Test func whatCannotBeIsRefusedWithASentence() throws {
    let long: String = String(repeating: "x", count: 512)
    let wrong = [
      "null", "[]", "{}", #"{"uri": "https://a.example/"}"#, #"{"uri": 1}"#,
      #"{"uri": "wss://a.example/", "streams": "x"}"#, #"{"uri": "wss://a.example/", "streams": ["x"]}"#,
      #"{"uri": "wss://a.example/", "headers": []}"#,
      #"{"uri": "wss://a.example/", "headers": {"k": ""# + long + #""}}"#,
      #"{"uri": "wss://a.example/", "headers": {"Event": "x"}}"#, #"{"uri": "wss://a.example/", "audioRate": 44100}"#,
      #"{"uri": "wss://a.example/", "audioRate": "fast"}"#, #"{"uri": "wss://a.example/", "channels": 3}"#,
      #"{"uri": "wss://a.example/", "bidirectional": 1}"#,
      #"{"uri": "wss://a.example/", "audioTransport": "{"}"#, #"{"uri": "wss://a.example/", "audioTransport": {}}"#,
      #"{"uri": "wss://a.example/", "audioTransport": {"transport": "json"}}"#,
      #"{"uri": "wss://a.example/", "audioTransport": {"transport": "json", "audio_field": "a", "encoding": "hex"}}"#,
      #"{"uri": "wss://a.example/", "audioTransport": {"transport": "json", "audio_field": "a","#
        + #" "static_fields": {"a": 1}}}"#,
      #"{"uri": "wss://a.example/", "joiners": true, "streams": [""# + OpenTokConnectorTests.stream + #""]}"#,
    ]
    for text in wrong {
      do {
        _ = try wish(text)
        Issue.record("\(text) was taken")
      } catch let refusal as OpenTokRefusal {
        #expect(refusal.status == 400 && !refusal.message.isEmpty, "\(text)")
      }
    }
    for token in ["null", "\"\"", "7"] {
      #expect(throws: OpenTokRefusal.self) { try wish(#"{"uri": "wss://a.example/"}"#, token: token) }
    }
  }

  @Test func everyTextSaysWhatTheSoundIsAndHasTheHeaders() throws {
    var one = try connector(#"{"uri": "wss://a.example/", "headers": {"band": "Quince"}}"#)
    let greeting = try members(one.greeting)
    #expect(greeting["content-type"] == "audio/l16;rate=16000" && greeting["event"] == "websocket:connected")
    #expect(greeting["band"] == "Quince")
    #expect(one.hear(true) == nil)
    let muted = try members(one.hear(false))
    #expect(muted["event"] == "websocket:media:update" && muted["active"] == false && muted["method"] == "update")
    #expect(muted["band"] == "Quince" && one.hear(false) == nil)
    let last = try members(one.end(.kicked, at: wall))
    #expect(last["event"] == "websocket:disconnected" && last["reason"] == "force disconnected")
    // Nothing is said after the last word.
    #expect(one.end(.lost, at: wall) == nil && one.hear(true) == nil && one.reason == .kicked)
    let wide = try connector(#"{"uri": "wss://a.example/", "audioRate": 48000, "channels": 2}"#)
    #expect(try members(wide.greeting)["content-type"] == "audio/l16;rate=48000;channels=2")
  }

  @Test func soundIsBinaryOrBase64() throws {
    #expect(OpenTokConnector.message([1, 2], by: .binary) == .binary([1, 2]))
    let json = OpenTokConnector.message([1, 2], by: .json(field: "audio", fixed: ["type": "sound"]))
    #expect(try members(json) == ["type": "sound", "audio": "AQI="])
  }

  @Test func itEndsAMinuteAfterTheOthersHaveLeft() throws {
    var one = try connector(#"{"uri": "wss://a.example/"}"#)
    func looks(_ isOccupied: Bool, _ seconds: Int64) -> Bool {
      one.look(isOccupied: isOccupied, at: zero + .seconds(seconds))
    }
    #expect(!looks(true, 0) && !looks(false, 10) && !looks(false, 69) && !looks(true, 69))
    #expect(!looks(false, 80) && !looks(false, 139) && looks(false, 140))
    _ = one.end(.sessionEnded, at: wall)
    #expect(!looks(false, 200))
    #expect(one.json.object?["status"] == "disconnected" && one.json.object?["reason"] == "session ended")
  }
}
