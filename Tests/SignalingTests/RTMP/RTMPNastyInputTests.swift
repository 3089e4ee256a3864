import Machines
import TestSupport
import Testing

@testable import Signaling

@Suite struct RTMPNastyInputTests {
  private static func bodies() throws -> [RTMPMessage] {
    try RTMPVectors.read("messages.json", as: RTMPVectors.Message.self).filter { $0.direction == "c2s" }.map {
      RTMPMessage(type: $0.type, stream: $0.msid, timestamp: $0.timestamp, body: Hex.bytes($0.body))
    }
  }

  /// A mistake or two in bytes.
  private func mutate(_ bytes: inout [UInt8], _ generator: inout SeededRandom) {
    for _ in 0..<Int.random(in: 0...3, using: &generator) where !bytes.isEmpty {
      let index = Int.random(in: 0..<bytes.count, using: &generator)
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: bytes[index] = UInt8.random(in: .min ... .max, using: &generator)
      case 1: bytes.remove(at: index)
      case 2: bytes.removeLast(Int.random(in: 0...min(8, bytes.count), using: &generator))
      default: bytes.insert(contentsOf: bytes[index...].prefix(12), at: index)
      }
    }
  }

  @Test(arguments: FuzzSeeds.upTo(4))
  func mutatedMessagesOfRealClientsNeverTrap(seed: UInt64) throws {
    var generator = SeededRandom(seed)
    let messages = try RTMPNastyInputTests.bodies()
    var server = RawServer.connected()
    for _ in 0..<600 {
      var message = try #require(messages.randomElement(using: &generator))
      mutate(&message.body, &generator)
      server.now = server.now + .milliseconds(30)
      var outputs = server.send(message, on: UInt8.random(in: 2...7, using: &generator))
      for call in outputs.calls { outputs += server.tell(.answer(call.ticket, .value(.array(call.arguments)))) }
      for object in outputs.objects { outputs += server.tell(.sharedObject(object)) }
      for case .publish(let stream, _, _) in outputs { outputs += server.tell(.allowPublish(stream: stream)) }
      for case .play(let stream, _) in outputs { outputs += server.tell(.allowPlay(stream: stream)) }
      _ = server.replies()
      if outputs.closing != nil { server = RawServer.connected() }
    }
  }

  @Test(arguments: FuzzSeeds.upTo(4))
  func mutatedBytesNeverTrapAndGiveTheSameByteByByte(seed: UInt64) throws {
    var generator = SeededRandom(seed)
    let messages = try RTMPNastyInputTests.bodies()
    for _ in 0..<30 {
      var bytes: [UInt8] = []
      for _ in 0..<6 {
        let message = try #require(messages.randomElement(using: &generator))
        ChunkWriter().write(message, on: UInt8.random(in: 2...7, using: &generator), into: &bytes)
      }
      mutate(&bytes, &generator)
      var whole = RawServer.connected()
      var parts = RawServer.connected()
      let expected = whole.feed(bytes)
      var found: [RTMPServer.Output] = []
      for byte in bytes { found += parts.feed([byte]) }
      // The shell sees the same, but for sentences that count what waits.
      #expect(String(describing: found) == String(describing: expected))
      #expect(parts.replies() == whole.replies())
    }
  }

  @Test(arguments: FuzzSeeds.upTo(3))
  func noiseFromTheFirstByteNeverTraps(seed: UInt64) {
    var generator = SeededRandom(seed)
    for _ in 0..<8 {
      var server = RTMPServer(seed: seed, at: RTMPLink.start)
      var client = RTMPClient(seed: seed, at: RTMPLink.start)
      let noise = [3] + (0..<4_000).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
      server.handle(.bytes(noise), at: RTMPLink.start)
      client.handle(.bytes(noise), at: RTMPLink.start)
      while server.next() != nil {}
      while client.next() != nil {}
    }
  }

  @Test func hostileValuesInCallsAndSlotsCostTheirMessageOnly() throws {
    var server = RawServer.connected()
    for row in try RTMPVectors.read("malformed.json", as: RTMPVectors.Value.self) {
      server.now = server.now + .seconds(1)
      let value = Hex.bytes(row.hex)
      let call = RTMPCommand("echo", transaction: 9).message().body + value
      let slot: [UInt8] = [0, 1, 0x6B] + value
      var object = RTMPObjectMessage("demo", []).message().body + [3]
      object.append(UInt64(slot.count), octets: 4)
      var calls = 0
      for message in [RTMPMessage(type: 20, body: call), RTMPMessage(type: 19, body: object + slot)] {
        let outputs = server.send(message)
        calls += outputs.calls.count
        #expect(outputs.closing == nil, "\(row.name)")
      }
      let answers = server.commands()
      // A value that is only strange is handed on, and the room has to answer.
      #expect(answers.count + calls > 0, "\(row.name)")
      #expect(answers.allSatisfy { $0.name == "_error" && $0.transaction == 9 }, "\(row.name)")
    }
  }
}
