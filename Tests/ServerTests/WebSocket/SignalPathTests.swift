import NIOHTTP1
import Testing

@testable import Server

@Suite struct SignalPathTests {
  @Test(arguments: [
    ("/v1/rooms/Cellar/signal", "Cellar"), ("/v1/rooms/Gr%C3%B6%C3%9Fe/signal?x=1", "Größe"),
    ("/v1/rooms/a%20b/signal", "a b"), ("/v1/rooms/..%2F..%2Fetc/signal", "../../etc"),
  ])
  func findsTheRoom(uri: String, room: String) {
    #expect(SignalPath(uri: uri) == .native(room: room))
  }

  @Test(arguments: [
    ("/room", SignalPath.kurentoRoom), ("/room?token=x", .kurentoRoom), ("/kurento-tree", .kurentoTree),
    ("/kurento-tree/websocket", .kurentoTree),
  ])
  func findsTheDialect(uri: String, path: SignalPath) {
    #expect(SignalPath(uri: uri) == path)
  }

  @Test(arguments: [
    "/rooms", "/room/x", "/kurento-tree/info", "", "/", "/v1/rooms/signal", "/v1/rooms/a/signals",
    "/v1/rooms/%ff/signal", "/v1/rooms/a/b/signal",
  ])
  func isNoOtherPath(uri: String) {
    #expect(SignalPath(uri: uri) == nil)
  }

  @Test func asksForAWholeHandshake() {
    let complete: HTTPHeaders = [
      "Upgrade": "websocket", "Connection": "keep-alive, Upgrade", "Sec-WebSocket-Version": "13",
      "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    ]
    func isUpgrade(_ headers: HTTPHeaders, _ method: HTTPMethod = .GET) -> Bool {
      SignalPath.isUpgrade(
        HTTPRequestHead(version: .http1_1, method: method, uri: "/v1/rooms/a/signal", headers: headers))
    }
    #expect(isUpgrade(complete))
    #expect(!isUpgrade(complete, .POST))
    for name in ["Upgrade", "Connection", "Sec-WebSocket-Version", "Sec-WebSocket-Key"] {
      var headers = complete
      headers.remove(name: name)
      #expect(!isUpgrade(headers), "\(name)")
    }
  }
}
