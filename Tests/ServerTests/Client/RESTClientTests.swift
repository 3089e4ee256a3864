import Machines
import Music
import Signaling
import Testing

@testable import Client
@testable import Server

@Suite(.timeLimit(.minutes(5))) struct RESTClientTests {
  @Test func readsListsAndDownloads() async throws {
    try await TestService.with { service async throws in
      let shelved = try await ShelvedTake("Größe & Co", in: service.data, service.catalog)
      let client = RESTClient(endpoint: service.endpoint)
      let list = try await client.get("/v1/takes", query: [("room", "Größe & Co")])
      #expect(list.object?["items"]?.array?.count == 1)
      var text = ""
      try await client.download("/v1/takes/\(shelved.take.id)/mix") { text += String(decoding: $0, as: UTF8.self) }
      #expect(text == "the mix")
    }
  }

  @Test func throwsTheProblemOfTheService() async throws {
    try await TestService.with { service async throws in
      let client = RESTClient(endpoint: service.endpoint)
      await #expect { try await client.send(.post, "/v1/rooms/Empty/takes", [:]) } throws: {
        let failure = $0 as? RESTFailure
        return failure?.status == 409 && failure?.code == "wrong-state"
      }
    }
  }

  @Test func showsItsKey() async throws {
    try await TestService.with {
      $0.keys = try Keys(joinSecret: nil, apiKeys: [TestService.key])
    } _: { service async throws in
      let client = RESTClient(endpoint: service.endpoint, key: Secret(TestService.key))
      #expect(try await client.get("/v1/rooms").object?["items"] == [])
      await #expect(throws: RESTFailure.self) { try await RESTClient(endpoint: service.endpoint).get("/v1/rooms") }
    }
  }
}
