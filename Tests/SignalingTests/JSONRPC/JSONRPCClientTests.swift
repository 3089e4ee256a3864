import Machines
import Testing

@testable import Signaling

/// Our client refuses what one of the old clients could not read.
@Suite struct JSONRPCClientTests {
  @Test(arguments: [
    #"{"id":0,"result":{"sessionId":"s","value":"pong"}}"#,
    #"{"jsonrpc":"1.0","id":0,"result":{"sessionId":"s","value":"pong"}}"#,
    #"{"jsonrpc":"2.0","result":{"sessionId":"s","value":"pong"}}"#,
    #"{"jsonrpc":"2.0","id":0,"result":{"sessionId":"s"},"error":null}"#,
    #"{"jsonrpc":"2.0","id":0,"result":null,"error":{"code":1,"message":""}}"#,
    #"{"jsonrpc":"2.0","id":0}"#,
    #"{"jsonrpc":"2.0","id":0,"result":{"value":"pong"}}"#,
    #"{"jsonrpc":"2.0","id":0,"result":[]}"#,
    #"{"jsonrpc":"2.0","id":3,"result":{"sessionId":"s"}}"#,
    #"{"jsonrpc":"2.0","id":0,"error":{"code":"1","message":""}}"#,
    #"{"jsonrpc":"2.0","id":0,"error":{"code":1}}"#,
    #"{"jsonrpc":"2.0","id":null,"method":"roomClosed","params":{"room":"a"}}"#,
    #"{"jsonrpc":"2.0","method":"participantEvicted"}"#,
    #"{"jsonrpc":"2.0","method":"participantLeft","params":{"id":"bob"}}"#,
    #"{"jsonrpc":"2.0","method":"participantPublished","params":{"id":"bob"}}"#,
    #"{"jsonrpc":"2.0","method":"treeStopped","params":{}}"#,
    "[]", "{",
  ])
  func violationsAreNamed(text: String) {
    var client = DialectClient<KurentoClient>()
    _ = client.ask(.ping(interval: 3_000), at: MonotonicTime(nanoseconds: 0))
    _ = client.next()
    client.handle(.text(text), at: MonotonicTime(nanoseconds: 0))
    guard case .violation? = client.next() else { return _ = Issue.record("taken: \(text)") }
  }

  @Test func identifiersCountUpFrom0() {
    let now = MonotonicTime(nanoseconds: 0)
    var client = DialectClient<KurentoClient>()
    #expect(client.ask(.ping(), at: now) == JSONRPCID(0))
    #expect(client.ask(.room(.leaveRoom), at: now) == JSONRPCID(1))
    #expect(client.next() == .send(#"{"jsonrpc":"2.0","id":0,"method":"ping"}"#))
    let pong = #"{"jsonrpc":"2.0","id":0,"result":{"value":"pong","sessionId":"s"}}"#
    client.handle(.text(pong), at: now)
    _ = client.next()
    #expect(client.next() == .answer(JSONRPCID(0), .word("pong")))
  }
}
