import Music
import Testing

@testable import Signaling

/// The bodies of callbacks.
@Suite struct OpenTokCallbackTests {
  private let time = WallTime(milliseconds: 1_795_262_400_123)
  private let person = ParticipantID(ULID(high: 1, low: 2))

  private func told(_ event: OpenTokEvent) -> JSONObject? {
    OpenTokNews(OpenTokArchiveRig.session(), event, at: time).callback
  }

  @Test func aConnectionIsTold() throws {
    let connection = OpenTokConnection(
      id: OpenTokConnectionID(of: person), participant: person, createdAt: time, data: "name=ada")
    let body = try #require(told(.connectionDestroyed(connection, .forceDisconnected)))
    #expect(body["event"] == "connectionDestroyed")
    #expect(body["reason"] == "forceDisconnected")
    #expect(body["projectId"] == 46_000_001)
    #expect(body["timestamp"] == 1_795_262_400_123)
    let data = body["connection"]?.object?["data"]
    #expect(data == "name=ada")
  }

  @Test func aStreamIsToldWithItsConnection() throws {
    let stream = OpenTokStream(
      id: OpenTokStreamID(of: person), connection: OpenTokConnectionID(of: person), participant: person,
      createdAt: time, name: "guitar")
    let body = try #require(told(.streamCreated(stream)))
    let value = body["stream"]?.object
    #expect(value?["name"] == "guitar")
    let connection = value?["connection"]?.object?["id"]?.string
    #expect(connection == OpenTokConnectionID(of: person).description)
    #expect(body["reason"] == nil)
  }

  @Test func whatOnlyClientsAreToldIsNoCallback() {
    let none = told(.mutesNewStreams(true))
    #expect(none == nil)
  }

  // MARK: Registered by applications

  private func registered(_ text: String) throws -> OpenTokCallback {
    let body = try #require(try JSONValue(parsing: text).object)
    return try OpenTokCallback(body, id: "c", project: "46000001", at: time)
  }

  @Test func anAddressIsToldWhatItsGroupSays() throws {
    let names = [
      "archive", "broadcast", "sessionCreated", "sessionDestroyed", "connectionCreated", "connectionDestroyed",
      "streamCreated", "streamDestroyed",
    ]
    let table: [(String, String, [String])] = [
      ("archive", "status", ["archive"]), ("broadcast", "status", ["broadcast"]),
      ("session", "status", Array(names.dropFirst(2))), ("session", "created", ["sessionCreated"]),
      ("connection", "status", ["connectionCreated", "connectionDestroyed"]),
      ("stream", "destroyed", ["streamDestroyed"]),
    ]
    for (group, event, wanted) in table {
      let one = try registered(#"{"group": "\#(group)", "event": "\#(event)", "url": "https://a.example/"}"#)
      #expect(names.filter { one.wants($0) } == wanted, "\(group) \(event)")
      #expect(one.json.object?["uri"] == "https://a.example/" && one.json.object?["createdAt"] == 1_795_262_400_123)
    }
  }

  @Test func eventsThatThereAreNotAndAddressesThatAreNoneAreRefused() {
    let table = [
      (#"{"group": "archive", "event": "created", "url": "https://a.example/"}"#, 404),
      (#"{"group": 1, "event": "status", "url": "https://a.example/"}"#, 404), ("{}", 404),
      (#"{"group": "archive", "event": "status"}"#, 400),
      (#"{"group": "archive", "event": "status", "url": null}"#, 400),
    ]
    for (text, status) in table {
      do {
        _ = try registered(text)
        Issue.record("\(text) was taken")
      } catch {
        #expect((error as? OpenTokRefusal)?.status == status, "\(text)")
      }
    }
  }
}
