import NIOHTTP1
import Signaling
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
    ("/room", SignalPath.kurentoRoom), ("/v2/a-token", .xirsys(token: "a-token", .channel)),
    ("/ws/v2/a%2Db", .xirsys(token: "a-b", .channel)), ("/ws/abc", .xirsys(token: "abc", .legacy)),
    ("/0123456789abcdefABCDEF-_", .xirsys(token: "0123456789abcdefABCDEF-_", .legacy)),
    ("/room?token=x", .kurentoRoom), ("/kurento-tree", .kurentoTree), ("/ws", .remon), ("/ws/", .remon),
    ("/kurento-tree/websocket", .kurentoTree), ("/kurento-tree/000/ab_c-d%20e/websocket?token=x", .kurentoTreeSockJS),
  ])
  func findsTheDialect(uri: String, path: SignalPath) {
    #expect(SignalPath(uri: uri) == path)
  }

  @Test(arguments: [
    "/rooms", "/room/x", "/kurento-tree/info", "", "/", "/v1/rooms/signal", "/v1/rooms/a/signals",
    "/v1/rooms/%ff/signal", "/v1/rooms/a/b/signal", "/kurento-tree/0/a/xhr", "/kurento-tree/0/websocket",
    "/kurento-tree/0/a.b/websocket", "/kurento-tree/./a/websocket", "/kurento-tree/0/a/b/websocket",
    "/room/0/a/websocket",
    "/kurento-tree/0/\(String(repeating: "a", count: 129))/websocket",
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

  @Test(arguments: [
    "", "x", "dGhlIHNhbXBsZSBub25jZQ", "dGhlIHNhbXBsZSBub25jZ===", "dGhlIHNhbXBsZSBub25jZQ== ",
    "dGhlIHNhbXBsZSBub24=", "dGhlIHNhbXBsZSBub25jZSE=", "dGhl-HNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25jZR==",
  ])
  func aKeyIsSixteenBytesOfBase64(key: String) {
    let headers: HTTPHeaders = [
      "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": key,
    ]
    let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/room", headers: headers)
    #expect(!SignalPath.isUpgrade(head))
  }
}
