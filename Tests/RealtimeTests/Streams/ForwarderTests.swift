import Machines
import Testing

@testable import Realtime

@Suite struct ForwarderTests {
  private let source = Forwarder.Source(
    opusPayloadType: 111, redPayloadType: 63, extensions: .init(mid: 4, audioLevel: 1, absoluteCaptureTime: 9))

  private func forwarder(extensions: NegotiatedSession.ExtensionIDs = .init()) -> Forwarder {
    Forwarder(
      .init(
        ssrc: 0xF00D, payloadType: 96, mid: "audio0", extensions: extensions, firstSequenceNumber: 65_530,
        firstTimestamp: UInt32.max - 1_000))
  }

  private func packet(_ forwarder: inout Forwarder, _ received: ReceivedPacket?) throws -> RTPPacket? {
    let received = try #require(received)
    guard let head = forwarder.head(of: received) else { return nil }
    var bytes: [UInt8] = [1, 2, 3]
    forwarder.write(head, received.packet, from: source, into: &bytes)
    return try RTPPacket(parsing: bytes)
  }

  @Test func givesThePacketsTheSubscribersFace() throws {
    var forwarder = forwarder()
    var receiver = StreamReceiver(ssrc: 0xA11CE)
    let musician = OpusSource(sequenceNumber: 500, timestamp: 77_000)
    for index in 0..<20 {
      let received = receiver.handle(try musician.packet(index, payload: [UInt8(index)]), at: .at(Int64(index) * 20))
      let out = try #require(try packet(&forwarder, received))
      #expect(out.header.ssrc == 0xF00D)
      #expect(out.header.payloadType == 96)
      #expect(out.header.marker == (index == 0))
      #expect(out.header.sequenceNumber == 65_530 &+ UInt16(index))
      #expect(out.header.timestamp == UInt32.max - 1_000 &+ UInt32(index) * 960)
      #expect(Array(out.payload) == [UInt8(index)])
      #expect(out.bytes.count == 13)
    }
  }

  @Test func passesOnOnlyTheExtensionsOfTheSubscriberUnderItsIds() throws {
    var forwarder = forwarder(extensions: .init(mid: 3, audioLevel: 12))
    var receiver = StreamReceiver(ssrc: 0xA11CE)
    let level = AudioLevel(hasVoice: true, belowFullScale: 20)
    let time = AbsoluteCaptureTime(captured: NTPTime(bits: 5))
    let received = receiver.handle(
      try OpusSource().packet(
        0, extensions: [.mid("theirs", id: 4), .audioLevel(level, id: 1), .absoluteCaptureTime(time, id: 9)]),
      at: .at(0))
    let out = try #require(try packet(&forwarder, received))
    #expect(out.mid(3) == "audio0")
    #expect(out.audioLevel(12) == level)
    for id in UInt8.min ... .max where id != 3 && id != 12 { #expect(out.extensionElement(id) == nil) }
  }

  @Test func passesOnTheCaptureTimeInTheFormThatItsIdNeeds() throws {
    for id: UInt8 in [5, 40] {
      var forwarder = forwarder(extensions: .init(absoluteCaptureTime: id))
      var receiver = StreamReceiver(ssrc: 0xA11CE)
      let time = AbsoluteCaptureTime(captured: NTPTime(bits: 5), clockOffset: -9)
      let received = receiver.handle(
        try OpusSource().packet(0, extensions: [.absoluteCaptureTime(time, id: 9)]), at: .at(0))
      #expect(try packet(&forwarder, received)?.absoluteCaptureTime(id) == time)
    }
  }

  @Test func keepsHolesAndFillsThemWithRepairs() throws {
    var forwarder = forwarder()
    var receiver = StreamReceiver(ssrc: 0xA11CE)
    var numbers: [UInt16] = []
    for index in [0, 1, 4, 3, 2, 2, 5] {
      let received = receiver.handle(try OpusSource().packet(index), at: .at(Int64(index) * 20))
      if let out = try packet(&forwarder, received) { numbers.append(out.header.sequenceNumber &- 65_530) }
    }
    #expect(numbers == [0, 1, 4, 3, 2, 5])
    #expect(forwarder.skipped == 1)
  }

  @Test func drawsOneLineOverAChangeOfSource() throws {
    var forwarder = forwarder()
    var streams = IncomingStreams()
    var last: RTPHeader?
    var time: Int64 = 0
    for (ssrc, start) in [(1, 40_000), (2, 3), (1, 40_020)] as [(UInt32, UInt16)] {
      for index in 0..<10 {
        let musician = OpusSource(ssrc: ssrc, sequenceNumber: start, timestamp: UInt32(start) &* 960_000)
        let received = streams.handle(try musician.packet(index), at: .at(time))
        let header = try #require(try packet(&forwarder, received)).header
        if let last {
          #expect(header.sequenceNumber == last.sequenceNumber &+ 1)
          #expect(header.timestamp &- last.timestamp == (index == 0 ? 48_000 / 1000 * 120 : 960))
          #expect(header.marker == (index == 0))
        }
        last = header
        time += index == 9 ? 120 : 20
      }
    }
    #expect(forwarder.sourceChanges == 2)
  }

  @Test func neverStepsBackInTimeWhereTheTakeOverIsQuick() throws {
    var forwarder = forwarder()
    var streams = IncomingStreams()
    let first = try #require(try packet(&forwarder, streams.handle(try OpusSource(ssrc: 1).packet(0), at: .at(50))))
      .header
    let second = try #require(try packet(&forwarder, streams.handle(try OpusSource(ssrc: 2).packet(0), at: .at(50))))
      .header
    #expect(second.timestamp &- first.timestamp == 480)
  }

  @Test func leavesOutWhatIsOlderThanTheTakeOver() throws {
    var forwarder = forwarder()
    var receiver = StreamReceiver(ssrc: 0xA11CE)
    _ = try packet(&forwarder, receiver.handle(try OpusSource().packet(10), at: .at(0)))
    #expect(try packet(&forwarder, receiver.handle(try OpusSource().packet(9), at: .at(1))) == nil)
    #expect(forwarder.skipped == 1)
  }

  @Test func continuesWhereTheSenderBeginsAnew() throws {
    var forwarder = forwarder()
    var receiver = StreamReceiver(ssrc: 0xA11CE)
    let before = try #require(
      try packet(&forwarder, receiver.handle(try OpusSource(sequenceNumber: 20_000).packet(0), at: .at(0))))
    let after = try #require(
      try packet(
        &forwarder, receiver.handle(try OpusSource(sequenceNumber: 5, timestamp: 0x7000_0000).packet(0), at: .at(20))))
    #expect(after.header.sequenceNumber == before.header.sequenceNumber &+ 1)
    #expect(after.header.timestamp &- before.header.timestamp == 960)
  }

  @Test func unwrapsRedAndSendsWhatIsNoOpusEmpty() throws {
    var forwarder = forwarder()
    var receiver = StreamReceiver(ssrc: 1)
    let red = RedundantAudio(
      redundant: [.init(payloadType: 111, timestampOffset: 960, payload: [1, 1])], primaryPayloadType: 111,
      primary: [2, 2])
    var payloads: [[UInt8]] = []
    for (index, (type, payload)) in [(63, try red.payload()), (63, [0xEF]), (13, [9]), (111, [3]), (111, [])]
      .enumerated()
    {
      let writer = RTPWriter(
        payloadType: UInt8(type), sequenceNumber: UInt16(index), timestamp: UInt32(index) * 960, ssrc: 1)
      let received = receiver.handle(
        try RTPPacket(parsing: writer.packet(payload: payload)), at: .at(Int64(index) * 20))
      let out = try #require(try packet(&forwarder, received))
      #expect(out.header.payloadType == 96)
      #expect(out.header.sequenceNumber == 65_530 &+ UInt16(index))
      payloads.append(Array(out.payload))
    }
    #expect(payloads == [[2, 2], [], [], [3], []])
  }
}
