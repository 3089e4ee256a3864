import Testing

@testable import Signaling

@Suite struct MessageVectorTests {
  private func rows(_ types: Set<UInt8>) throws -> [(RTMPVectors.Message, RTMPMessage)] {
    try RTMPVectors.read("messages.json", as: RTMPVectors.Message.self).filter { types.contains($0.type) }.map {
      ($0, RTMPMessage(type: $0.type, stream: $0.msid, timestamp: $0.timestamp, body: Hex.bytes($0.body)))
    }
  }

  @Test func everyCapturedControlMessageIsReadAndWrittenBack() throws {
    let rows = try rows([1, 2, 3, 4, 5, 6])
    #expect(rows.count == 114)
    for (row, message) in rows {
      let control = try #require(try RTMPControl(message), "\(row.decoded)")
      #expect(control.message.body == message.body, "\(row.decoded)")
    }
  }

  @Test func everyCapturedCommandIsReadAndWrittenBack() throws {
    let rows = try rows([20])
    #expect(rows.count == 204)
    var same = 0
    for (row, message) in rows {
      let command = try RTMPCommand(message)
      #expect(row.decoded.contains(command.name), "\(row.decoded)")
      let written = command.message(stream: message.stream)
      // A map of Java is written as an object: after that nothing changes any more.
      let again = try RTMPCommand(written)
      #expect(again.name == command.name && again.transaction == command.transaction)
      #expect(again.message(stream: message.stream) == written, "\(row.capture) \(row.decoded)")
      if written.body == message.body { same += 1 }
    }
    // The others have AMF3 values, ECMA arrays or the iOS library's own forms.
    #expect(same > 180, "\(same)")
  }

  @Test func theIOSLibrarysQuirksMeanWhatTheyWereMeantFor() throws {
    let commands = try rows([20]).filter { $0.0.capture == "ref-ios-quirks" && $0.0.decoded.contains("echoAny") }
    let values = try commands.map { try RTMPCommand($0.1) }.sorted { $0.transaction < $1.transaction }
    #expect(values.count == 4)
    #expect(values[0].arguments == [""])
    #expect(values[1].arguments == [.bytes([1, 2, 255])])
    #expect(values[2].arguments.count == 1 && values[2].arguments[0].members?.count == 1)
    #expect(values[3].arguments.count == 1 && values[3].arguments[0].members != nil)
  }

  @Test func everyCapturedSharedObjectMessageIsReadAndMostAreWrittenTheSame() throws {
    let rows = try rows([19])
    #expect(rows.count == 177)
    var same = 0
    for (row, message) in rows {
      let object = try RTMPObjectMessage(message, limits: RTMPLimits())
      #expect(row.decoded.hasPrefix("SO name='\(object.name)' version=\(object.version)"), "\(row.decoded)")
      let events = row.decoded.split(separator: "\n").dropFirst().filter { $0.contains("len=") }
      #expect(events.count == object.events.count, "\(row.decoded)")
      for (line, event) in zip(events, object.events) {
        #expect(line.contains("(\(event.number)) "), "\(line): \(event)")
      }
      if object.message().body == message.body { same += 1 }
      let again = try RTMPObjectMessage(object.message(), limits: RTMPLimits())
      #expect(again.events.count == object.events.count && again.flags == object.flags)
    }
    #expect(same > 165, "\(same)")
  }

  @Test func keysWithLettersBeyondASCIIAreReadWhereTheirLengthIsWrong() throws {
    // A request to remove "коды…" of 8 bytes, announced as 6; then one more event.
    let head = Hex.bytes("000464656d6f000000080000000200000000")
    let body = head + Hex.bytes("0a000000060008d0bad0bed0b4d18b") + Hex.bytes("0a00000003000161")
    let full = try RTMPObjectMessage(RTMPMessage(type: 19, body: body), limits: RTMPLimits())
    #expect(full.events == [.requestRemove("коды"), .requestRemove("a")])
  }

  @Test func everyCapturedDataMessageIsRead() throws {
    let rows = try rows([18])
    #expect(rows.count == 16)
    var withMetadata = 0
    for (row, message) in rows {
      let data = try StreamData(message)
      #expect(row.decoded.contains(data.name))
      if data.metadata != nil { withMetadata += 1 }
    }
    #expect(withMetadata >= 10)
  }

  @Test func bothEncodingsOfACommandAreOne() throws {
    let amf3 = try RTMPCommand(RTMPMessage(type: 20, body: Hex.bytes("11060f6563686f496e74110402110111040c")))
    #expect(amf3 == RTMPCommand("echoInt", transaction: 2, [12]))
    var seventeen = RTMPCommand("echoInt", transaction: 2, [12], isAMF3: true)
    #expect(seventeen.message().body.first == 0 && seventeen.message().type == 17)
    #expect(try RTMPCommand(seventeen.message()) == seventeen)
    seventeen.isAMF3 = false
    #expect(seventeen == amf3)
  }

  @Test func anAggregatesMessagesGetTheOuterTimeAndStream() throws {
    // Inner times 1000 and 1020 inside of an outer 5000; the last size is left out.
    let body = Hex.bytes("08000002 0003e8 00 000000 9101 0000000d 12000001 0003fc 00 000007 05")
    let outer = RTMPMessage(type: 22, stream: 4, timestamp: 5000, body: body)
    #expect(
      try AggregateMessage.messages(in: outer) == [
        RTMPMessage(type: 8, stream: 4, timestamp: 5000, body: [0x91, 0x01]),
        RTMPMessage(type: 18, stream: 4, timestamp: 5020, body: [0x05]),
      ])
    #expect(throws: RTMPViolation.self) {
      try AggregateMessage.messages(in: RTMPMessage(type: 22, body: Array(body.prefix(12))))
    }
  }
}
