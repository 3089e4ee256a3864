import NIOHTTP1
import Signaling
import Testing

@testable import Server

@Suite struct DoorsTests {
  private func door(_ uri: String) -> Authorisation.Door? { Doors.kind(at: LinkAddress(uri: uri))?.kind }

  @Test(arguments: [
    ("/v1/rooms/Cellar/signal", "Cellar"), ("/v1/rooms/Gr%C3%B6%C3%9Fe/signal?x=1", "Größe"),
    ("/v1/rooms/a%20b/signal", "a b"), ("/v1/rooms/..%2F..%2Fetc/signal", "../../etc"),
  ])
  func findsTheRoom(uri: String, room: String) {
    #expect(NativeDoor.room(at: LinkAddress(uri: uri)) == room)
    #expect(door(uri) == .native)
  }

  @Test(arguments: [
    ("/room", Authorisation.Door.kurento), ("/room?token=x", .kurento), ("/v2/a-token", .xirsys),
    ("/kurento-tree", .kurentoTree), ("/ws", .remon), ("/ws/", .remon), ("/kurento-tree/websocket", .kurentoTree),
    ("/kurento-tree/000/ab_c-d%20e/websocket?token=x", .kurentoTree), ("/rumorwebsocketsv2", .opentok),
    ("/rumorwebsocketsv2?socketId=1", .opentok),
  ])
  func findsTheDialect(uri: String, dialect: Authorisation.Door) {
    #expect(door(uri) == dialect)
  }

  @Test(arguments: [
    ("/v2/a-token", "a-token", XirSysVocabulary.Framing.channel), ("/ws/v2/a%2Db", "a-b", .channel),
    ("/ws/abc", "abc", .legacy), ("/0123456789abcdefABCDEF-_", "0123456789abcdefABCDEF-_", .legacy),
  ])
  func findsTheTokenOfASocket(uri: String, token: String, framing: XirSysVocabulary.Framing) throws {
    let socket = try #require(XirSysDoor.socket(at: LinkAddress(uri: uri)))
    #expect(socket.token == token && socket.framing == framing)
    #expect(door(uri) == .xirsys)
  }

  @Test(
    arguments: [
      ("/a?socketId=b&reconnect=true", "socketId", "b"), ("/a?x=1#token=2", "token", nil), ("/a?x", "x", nil),
      ("/a?x=%20y", "x", " y"), ("/a?b=1?c=2", "b", "1?c=2"), ("?x=1", "x", "1"),
    ] as [(String, String, String?)])
  func readsTheQuery(uri: String, name: String, value: String?) {
    #expect(LinkAddress(uri: uri).query(name) == value)
  }

  @Test(arguments: [
    "/rooms", "/room/x", "/kurento-tree/info", "", "/", "/v1/rooms/signal", "/v1/rooms/a/signals",
    "/v1/rooms/%ff/signal", "/v1/rooms/a/b/signal", "/kurento-tree/0/a/xhr", "/kurento-tree/0/websocket",
    "/kurento-tree/0/a.b/websocket", "/kurento-tree/./a/websocket", "/kurento-tree/0/a/b/websocket",
    "/room/0/a/websocket",
    "/kurento-tree/0/\(String(repeating: "a", count: 129))/websocket",
  ])
  func isNoOtherPath(uri: String) {
    #expect(door(uri) == nil)
  }

  @Test func eachDoorIsThereOnce() {
    #expect(Set(Doors.kinds.map { $0.kind }).count == Doors.kinds.count)
  }

  @Test func asksForAWholeHandshake() {
    let complete: HTTPHeaders = [
      "Upgrade": "websocket", "Connection": "keep-alive, Upgrade", "Sec-WebSocket-Version": "13",
      "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    ]
    func isUpgrade(_ headers: HTTPHeaders, _ method: HTTPMethod = .GET) -> Bool {
      LinkOpening.isUpgrade(
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
    #expect(!LinkOpening.isUpgrade(head))
  }
}
