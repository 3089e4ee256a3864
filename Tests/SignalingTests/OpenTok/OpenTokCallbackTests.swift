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
}
