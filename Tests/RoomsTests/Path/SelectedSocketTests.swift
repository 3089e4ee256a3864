import CNice
import Machines
import Realtime
import Recording
import Testing

@testable import Rooms

/// What a musician sends on two pairs while the recorder stands still.
@Suite(.timeLimit(.minutes(5))) struct SelectedSocketTests {
  /// A browser without answers goes to another pair. Read in another order, half of the music would look lost, and the
  /// browser would be told so.
  @Test(arguments: [0, 1]) func afterAStandstillTheFormerSocketIsReadFirst(stunMessages: Int) async throws {
    let loop = try MediaLoop(name: "test-loop")
    let pair = PathAgentTests.Pair(loop: loop)
    try await pair.connect(ICEConfiguration(addresses: ["127.0.0.1", "127.0.0.2"]))
    _ = await pair.exchange(1)
    let order = try await pair.changeSocketsInAStandstill(40, stunMessages: stunMessages)
    #expect(order == Array(0..<40))
    // In ordinary times, the other sockets wait for nothing.
    #expect(await pair.exchange(20).count == 20)
    await pair.close()
  }
}

extension PathAgentTests.Pair {
  /// Sends half of `count` datagrams to the second agent's selected socket and half to its others, 5 ms apart, while
  /// the loop stands still; the STUN messages come to the others first.
  /// - Returns: the numbers of the datagrams, as they were received.
  func changeSocketsInAStandstill(_ count: Int, stunMessages: Int) async throws -> [Int] {
    let (sender, receiver) = (agents[0], agents[1])
    let seen = received.count
    let descriptor = cnice_socket_descriptor(sender.agent, sender.stream, PathAgent.component)
    let selected = try #require(UDPEndpoint.host(of: cnice_socket_descriptor(receiver.agent, receiver.stream, 1)))
    let others = try receiver.localCandidates.map { try ICECandidate(parsing: $0) }.filter { $0.address != selected }
    let other = try #require(others.first)
    // A Binding indication (RFC 8445 section 11), which libnice reads, and all that waits behind it.
    let indication: [UInt8] = [0, 0x11, 0, 0, 0x21, 0x12, 0xA4, 0x42] + [UInt8](repeating: 9, count: 12)
    for _ in 0..<stunMessages { UDPEndpoint.send(indication, from: descriptor, to: other.address, port: other.port) }
    for index in 0..<count {
      let datagram: [UInt8] = [0x80, UInt8(index), 0, 7]
      let sent = MonotonicClock.now
      if index < count / 2 {
        datagram.withUnsafeBytes { _ = sender.send($0) }
      } else {
        UDPEndpoint.send(datagram, from: descriptor, to: other.address, port: other.port)
      }
      // The loop must not run, so its thread waits here.
      while MonotonicClock.now - sent < .milliseconds(5) {}
    }
    func numbers() -> [Int] { received.dropFirst(seen).filter { $0.first == 0x80 }.map { Int($0[1]) } }
    await until { numbers().count == count }
    return numbers()
  }
}
