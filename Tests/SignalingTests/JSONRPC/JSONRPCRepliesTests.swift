import Machines
import Testing

@testable import Signaling

@Suite struct JSONRPCRepliesTests {
  private let start = MonotonicTime(nanoseconds: 0)

  private func key(_ id: Int64, _ method: String = "m") -> JSONRPCReplies.Key {
    JSONRPCReplies.Key(JSONRPCRequest(id: JSONRPCID(id), method: method, parameters: [:]))
  }

  @Test func theOldestGoFirst() {
    var replies = JSONRPCReplies()
    for id in 0...Int64(JSONRPCReplies.maximumCount) { replies.keep("r\(id)", for: key(id), at: start) }
    #expect(replies.count == JSONRPCReplies.maximumCount)
    #expect(replies.reply(to: key(0), at: start) == nil)
    #expect(replies.reply(to: key(1), at: start) == "r1")
  }

  @Test func theBytesAreBounded() {
    var replies = JSONRPCReplies()
    let text = String(repeating: "x", count: 100_000)
    for id in 0..<3 { replies.keep(text, for: key(Int64(id)), at: start) }
    #expect(replies.count == 2)
    #expect(replies.bytes <= JSONRPCReplies.maximumBytes)
    // One that fits by no means drives nothing out.
    replies.keep(String(repeating: "x", count: JSONRPCReplies.maximumBytes), for: key(9), at: start)
    #expect(replies.count == 2)
    #expect(replies.reply(to: key(1), at: start + JSONRPCReplies.lifetime) == nil)
    #expect(replies.count == 0)
    #expect(replies.bytes == 0)
  }
}
