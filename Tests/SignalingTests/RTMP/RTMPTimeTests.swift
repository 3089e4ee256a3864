import Machines
import Testing

@testable import Signaling

@Suite struct RTMPTimeTests {
  @Test func aHandshakeHasTenSeconds() {
    var server = RTMPServer(seed: 1, at: RTMPLink.start)
    let deadline = server.deadline
    #expect(deadline == RTMPLink.start + .seconds(10))
    server.handle(.bytes([3]), at: RTMPLink.start + .seconds(9))
    server.advance(to: RTMPLink.start + .milliseconds(9_999))
    #expect(server.next() == nil)
    server.advance(to: RTMPLink.start + .seconds(10))
    #expect(server.next() == .closed("the handshake took longer than 10 seconds"))
    #expect(server.next() == nil && server.deadline == nil)
  }

  @Test func aConnectHasTenSecondsMore() {
    var server = RawServer()
    #expect(server.server.deadline == RTMPLink.start + .seconds(10))
    #expect(server.wait(.seconds(10)).closing == "no connect came within 10 seconds")
  }

  @Test func aDecisionMayTakeLong() {
    var server = RawServer()
    _ = server.send(RTMPCommand("connect", transaction: 1, object: [:]).message())
    #expect(server.wait(.seconds(30)).isEmpty)
    #expect(server.wait(.seconds(30)).closing == "the client was silent for 60 seconds")
  }

  @Test func aSilentClientIsPingedTwiceAndThenLeft() {
    var server = RawServer.connected()
    var pings: [UInt32] = []
    var closing: String?
    while let deadline = server.server.deadline {
      closing = server.wait(deadline - server.now).closing
      for case .user(.pingRequest(let clock))? in server.replies().map({ try? RTMPControl($0) }) { pings.append(clock) }
    }
    #expect(pings == [20_000, 40_000] && closing == "the client was silent for 60 seconds")
    #expect(server.now == RTMPLink.start + .seconds(60))
  }

  @Test func anyByteIsLife() {
    var link = RTMPLink.connected()
    link.wait(.seconds(600))
    #expect(link.serverOutputs().isEmpty && link.clientOutputs().isEmpty)
    link.ask(.call(label: 1, "still", []))
    #expect(link.serverOutputs().calls.count == 1)
  }

  @Test func aClientWhosePingsAreLostIsLeft() {
    var link = RTMPLink.connected()
    link.wait(.seconds(61), for: [.server])
    #expect(link.serverOutputs().closing != nil)
  }

  @Test func aSilentServerIsLeftToo() {
    var client = RTMPClient(seed: 1, at: RTMPLink.start)
    client.advance(to: RTMPLink.start + .seconds(20))
    var sentences: [String] = []
    while let output = client.next() { if case .closed(let sentence) = output { sentences.append(sentence) } }
    #expect(sentences == ["the server took too long to answer"])
    let isClosed = client.isClosed
    #expect(isClosed)
  }
}
