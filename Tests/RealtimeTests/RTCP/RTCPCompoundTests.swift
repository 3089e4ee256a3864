import Testing

@testable import Realtime

@Suite struct RTCPCompoundTests {
  static let block = ReportBlock(
    ssrc: 0xAABB_CCDD, fractionLost: 25, cumulativeLost: -3, highestSequence: 0x0002_0007, jitter: 42,
    lastSenderReport: 0x1122_3344, delaySinceLastSenderReport: 0x5566_7788)

  /// Each as aiortc 1.16 writes it, beside what it means.
  static let golden: [(String, RTCPPacket)] = [
    (
      """
      81c8000c 00000001 e1e2e3e480000000 00017700 00000007 000002bc
      aabbccdd 19fffffd 00020007 0000002a 11223344 55667788
      """,
      .senderReport(
        SenderReport(
          ssrc: 1, time: NTPTime(bits: 0xE1E2_E3E4_8000_0000), timestamp: 96_000, packetCount: 7, byteCount: 700,
          blocks: [block]))
    ),
    (
      """
      82c9000d 00000009
      aabbccdd 19fffffd 00020007 0000002a 11223344 55667788
      aabbccdd 19fffffd 00020007 0000002a 11223344 55667788
      """,
      .receiverReport(ReceiverReport(ssrc: 9, blocks: [block, block]))
    ),
    (
      "81ca0004 00000001 01076a616d406a6172 000000",
      .sourceDescription(SourceDescription(ssrc: 1, cname: "jam@jar"))
    ),
    ("82cb0002 00000001 00000002", .goodbye(Goodbye(sources: [1, 2]))),
    (
      "81cd0005 00000005 00000006 000a8005 001b0000 00c80000",
      .nack(GenericNack(sender: 5, media: 6, sequenceNumbers: [10, 11, 13, 26, 27, 200]))
    ),
    ("81ce0002 00000005 00000006", .unknown(UnknownRTCP(payloadType: 206, count: 1, body: [0, 0, 0, 5, 0, 0, 0, 6]))),
  ]

  @Test(arguments: golden) func readsAndWritesWhatAiortcWrites(hex: String, packet: RTCPPacket) throws {
    #expect(try RTCPCompound.parse(hexadecimal(hex)) == [packet])
    #expect(RTCPCompound.write([packet]) == hexadecimal(hex))
  }

  @Test func readsAllOfADatagramInOrder() throws {
    let packets = Self.golden.map(\.1)
    #expect(try RTCPCompound.parse(RTCPCompound.write(packets)) == packets)
  }

  @Test func endsEachChunkOfNamesAtAWordBorder() throws {
    let names = SourceDescription(chunks: [
      .init(ssrc: 1, items: [.init(type: 1, text: "jam@jar")]),
      .init(ssrc: 2, items: [.init(type: 1, text: "xy"), .init(type: 2, text: "Gitarre äöü")]),
      .init(ssrc: 3, items: []),
    ])
    let bytes = RTCPCompound.write([.sourceDescription(names)])
    #expect(bytes.count % 4 == 0)
    #expect(try RTCPCompound.parse(bytes) == [.sourceDescription(names)])
    #expect(names.cname(of: 2) == "xy")
    #expect(names.cname(of: 3) == nil)
  }

  @Test func takesReducedSizeDatagrams() throws {
    let nack = RTCPPacket.nack(GenericNack(sender: 1, media: 2, sequenceNumbers: [7]))
    #expect(try RTCPCompound.parse(RTCPCompound.write([nack])) == [nack])
  }

  @Test func readsAndWritesTheReasonOfAGoodbye() throws {
    let goodbye = RTCPPacket.goodbye(Goodbye(sources: [3], reason: "string broke"))
    #expect(try RTCPCompound.parse(RTCPCompound.write([goodbye])) == [goodbye])
    // Some write an empty reason.
    #expect(try RTCPCompound.parse(hexadecimal("81cb0002 00000003 00000000")) == [.goodbye(Goodbye(sources: [3]))])
  }

  @Test func skipsThePaddingOfTheLastPacketOnly() throws {
    let padded =
      hexadecimal("81c90007")
      + RTCPCompound.write([.receiverReport(ReceiverReport(ssrc: 9, blocks: [Self.block]))]).dropFirst(4)
    #expect(try RTCPCompound.parse(padded).count == 1)
    let last = hexadecimal("a1cb0002 00000003 00000004")
    #expect(try RTCPCompound.parse(last) == [.goodbye(Goodbye(sources: [3]))])
    #expect(throws: RTCPError.wrongPadding(offset: 0)) {
      try RTCPCompound.parse(last + hexadecimal("80c90001 00000001"))
    }
    #expect(throws: RTCPError.wrongPadding(offset: 0)) {
      try RTCPCompound.parse(hexadecimal("a1cb0002 00000003 00000003"))
    }
    #expect(throws: RTCPError.wrongPadding(offset: 0)) {
      try RTCPCompound.parse(hexadecimal("a1cb0002 00000003 0000000c"))
    }
  }

  @Test func saysWhereADatagramIsWrong() {
    #expect(throws: RTCPError.empty(length: 2)) { try RTCPCompound.parse([0x80, 0xC9]) }
    #expect(throws: RTCPError.wrongVersion(1, offset: 8)) {
      try RTCPCompound.parse(hexadecimal("80c90001 00000001 40c90001 00000001"))
    }
    #expect(throws: RTCPError.truncated(offset: 0, needed: 12, available: 8)) {
      try RTCPCompound.parse(hexadecimal("80c90002 00000001"))
    }
    #expect(throws: RTCPError.truncated(offset: 8, needed: 4, available: 1)) {
      try RTCPCompound.parse(hexadecimal("80c90001 00000001 80"))
    }
    #expect(throws: RTCPError.shortBody(payloadType: 201, offset: 0, needed: 28, available: 4)) {
      try RTCPCompound.parse(hexadecimal("81c90001 00000001"))
    }
  }

  @Test func keepsTheSignOfTheLossCountAndClampsIt() throws {
    for (lost, read) in [(-1, -1), (0x7F_FFFF, 0x7F_FFFF), (0x80_0000, 0x7F_FFFF), (-0x80_0001, -0x80_0000)]
      as [(Int32, Int32)]
    {
      let report = RTCPPacket.receiverReport(
        ReceiverReport(ssrc: 1, blocks: [ReportBlock(ssrc: 2, cumulativeLost: lost)]))
      #expect(
        try RTCPCompound.parse(RTCPCompound.write([report]))
          == [.receiverReport(ReceiverReport(ssrc: 1, blocks: [ReportBlock(ssrc: 2, cumulativeLost: read)]))])
    }
  }

  @Test func writesNoMoreBlocksThanTheCountCanSay() throws {
    let many = ReceiverReport(ssrc: 1, blocks: (0..<40).map { ReportBlock(ssrc: $0) })
    guard
      case .receiverReport(let read) = try #require(
        try RTCPCompound.parse(RTCPCompound.write([.receiverReport(many)])).first)
    else { return #expect(Bool(false), "a receiver report became something else") }
    #expect(read.blocks.count == 31)
  }
}
