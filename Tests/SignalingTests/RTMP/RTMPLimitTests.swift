import Machines
import Testing

@testable import Signaling

@Suite struct RTMPLimitTests {
  /// A full header of a message of that length on that chunk stream.
  private func header(_ id: UInt8, _ length: Int, type: UInt8) -> [UInt8] {
    var bytes: [UInt8] = [id, 0, 0, 0]
    bytes.append(UInt64(length), octets: 3)
    return bytes + [type, 0, 0, 0, 0]
  }

  @Test func aMessageIsRefusedByItsHeaderAlone() {
    let rows: [(Int, UInt8, Bool, Bool)] = [
      (1 << 20, 19, true, true), (1 << 20 + 1, 19, true, false), (256 << 10, 20, true, true),
      (256 << 10 + 1, 20, true, false), (256 << 10 + 1, 17, true, false), (256 << 10, 8, true, true),
      (256 << 10 + 1, 8, true, false), (64 << 10, 20, false, true), (64 << 10 + 1, 20, false, false),
      (65, 4, true, false), (5, 2, true, false), (3, 3, true, false), (6, 6, true, false), (4, 6, true, false),
    ]
    for (length, type, isConnected, isTaken) in rows {
      var server = isConnected ? RawServer.connected() : RawServer()
      let outputs = server.feed(header(3, length, type: type))
      #expect((outputs.closing == nil) == isTaken, "\(length) \(type)")
    }
  }

  @Test func thirtyTwoChunkStreamsAreTakenAndOneMoreIsNot() {
    var server = RawServer.connected()
    // Stream 3 is known from the connect.
    for id in 0..<31 {
      #expect(server.feed([0, UInt8(id)] + header(0, 1, type: 9).dropFirst() + [0]).closing == nil)
    }
    #expect(server.feed([0, 200] + header(0, 1, type: 9).dropFirst() + [0]).closing?.contains("32") == true)
  }

  @Test func unfinishedMessagesMayNotPileUp() {
    var server = RawServer.connected()
    var closing: String?
    _ = server.send(RTMPControl.chunkSize(1_000_000).message, on: 2)
    for id: UInt8 in 10..<13 where closing == nil {
      closing = server.feed(header(id, 1 << 20, type: 19) + [UInt8](repeating: 0, count: 1_000_000)).closing
    }
    #expect(closing?.contains("incomplete") == true)
  }

  @Test func anAbortMakesRoomAgain() {
    var server = RawServer.connected()
    _ = server.send(RTMPControl.chunkSize(1_000_000).message, on: 2)
    for _ in 0..<8 {
      let body = [UInt8](repeating: 0, count: 1_000_000)
      #expect(server.feed(header(10, 1 << 20, type: 19) + body).closing == nil)
      #expect(server.send(RTMPControl.abort(10).message, on: 2).closing == nil)
    }
  }

  @Test func tinyChunksAreTakenBeforeTheConnectOnly() {
    var early = RawServer()
    #expect(early.send(RTMPControl.chunkSize(1).message, on: 2).closing == nil)
    var server = RawServer.connected()
    #expect(server.send(RTMPControl.chunkSize(64).message, on: 2).closing == nil)
    #expect(server.send(RTMPControl.chunkSize(63).message, on: 2).closing?.contains("64") == true)
  }

  @Test func aMessageInsideOfAnotherOfItsChunkStreamEndsTheConnection() {
    var server = RawServer.connected()
    let bytes = header(9, 200, type: 20) + [UInt8](repeating: 0, count: 128) + header(9, 1, type: 20)
    #expect(server.feed(bytes).closing != nil)
  }

  @Test func theRateOfCommandsHasABurstAndALimit() {
    var server = RawServer.connected()
    for _ in 0..<200 { #expect(server.send(RTMPCommand("x").message()).calls.count == 1) }
    #expect(server.send(RTMPCommand("x").message()).closing?.contains("50") == true)
    var patient = RawServer.connected()
    for _ in 0..<1_000 {
      patient.now = patient.now + .milliseconds(20)
      #expect(patient.send(RTMPCommand("x").message()).calls.count == 1)
    }
  }

  @Test func onlyFivePingsASecondAreAnswered() {
    var server = RawServer.connected()
    for clock: UInt32 in 0..<9 { _ = server.send(RTMPControl.user(.pingRequest(clock)).message, on: 2) }
    #expect(server.replies().map { try? RTMPControl($0) } == (0..<5).map { .user(.pingResponse($0)) })
    server.now = server.now + .seconds(1)
    _ = server.send(RTMPControl.user(.pingRequest(77)).message, on: 2)
    #expect(server.replies().map { try? RTMPControl($0) } == [.user(.pingResponse(77))])
  }

  @Test func eightStreamsAreTakenAndOneMoreIsNot() {
    var server = RawServer.connected()
    for number in 1...9 { _ = server.send(RTMPCommand("createStream", transaction: Double(number)).message()) }
    let commands = server.commands()
    #expect(commands.prefix(8).allSatisfy { $0.name == "_result" } && commands.last?.name == "_error")
    #expect(commands.prefix(8).map(\.arguments) == (1...8).map { [AMFValue.number(Double($0))] })
    _ = server.send(RTMPCommand("deleteStream", [3]).message())
    _ = server.send(RTMPCommand("createStream", transaction: 10).message())
    #expect(server.commands().last?.arguments == [9])
  }

  @Test func aClientThatReadsTooSlowlyIsLeft() {
    var server = RawServer.connected()
    #expect(server.tell(.backlog(bytes: 4 << 20, messages: 1024)).isEmpty)
    #expect(server.tell(.backlog(bytes: 4 << 20 + 1, messages: 1)).closing?.contains("slowly") == true)
    var other = RawServer.connected()
    #expect(other.tell(.backlog(bytes: 1, messages: 1025)).closing != nil)
  }

  @Test func bytesAreAcknowledgedByTheWindow() {
    var server = RawServer.connected()
    _ = server.send(RTMPControl.windowSize(5_000).message, on: 2)
    _ = server.replies()
    var acknowledged: [UInt32] = []
    for _ in 0..<10 {
      _ = server.send(RTMPMessage(type: 9, stream: 1, body: [UInt8](repeating: 0, count: 1_000)), on: 6)
      _ = server.tell(.caughtUp)
      for case .acknowledgement(let total)? in server.replies().map({ try? RTMPControl($0) }) {
        acknowledged.append(total)
      }
    }
    #expect(acknowledged.count == 2 && acknowledged.allSatisfy { $0 > 5_000 })
  }

  /// It may have sent everything and gone: an answer would cost what nobody has read yet.
  @Test func whoIsNotReadToTheEndIsToldNothing() {
    var server = RawServer.connected()
    _ = server.send(RTMPControl.windowSize(5_000).message, on: 2)
    _ = server.replies()
    for _ in 0..<100 {
      _ = server.send(RTMPMessage(type: 9, stream: 1, body: [UInt8](repeating: 0, count: 1_000)), on: 6)
      _ = server.tell(.busy)
      #expect(server.wait(.seconds(10)).isEmpty)
    }
    #expect(server.replies().isEmpty)
    _ = server.tell(.caughtUp)
    #expect(server.replies().count == 1)
  }

  @Test func anotherBandwidthIsAnsweredOnce() {
    var server = RawServer.connected()
    for _ in 0..<3 { _ = server.send(RTMPControl.peerBandwidth(9_000, limit: 2).message, on: 2) }
    #expect(server.replies().map { try? RTMPControl($0) } == [.windowSize(9_000)])
  }

  @Test func aClientCannotFillTheLog() {
    var server = RawServer.connected()
    var sentences = 0
    for _ in 0..<40 { sentences += server.send(RTMPMessage(type: 19, body: [1])).dropped.count }
    #expect(sentences == RTMPLimits().sentences)
  }
}
