import Testing

@testable import Signaling

@Suite struct RTMPStreamTests {
  private static let head = AudioTag(
    .opus, .header(Array("OpusHead".utf8) + [1, 2, 0x38, 1, 0x80, 0xBB, 0, 0, 0, 0, 0]))

  @Test(arguments: [1, 333, Int.max])
  func opusIsPublishedAndArrives(step: Int) {
    var link = RTMPLink.connected(step: step)
    link.ask(.publish(name: "guitar?key=abc"))
    guard case .publish(let stream, let name, .live)? = link.serverOutputs().first else {
      Issue.record("nobody publishes")
      return
    }
    #expect(stream == 1 && name.name == "guitar" && name.query?["key"] == "abc")
    // Nothing is taken before it is allowed.
    link.ask(.audio(stream: 1, timestamp: 0, RTMPStreamTests.head))
    #expect(link.serverOutputs().isEmpty)
    link.tell(.allowPublish(stream: 1))
    #expect(link.clientOutputs().statuses == ["NetStream.Publish.Start"])
    let frames = (0..<50).map { AudioTag(.opus, .frame([UInt8](repeating: UInt8($0), count: 100 + 7 * $0))) }
    link.ask(.metadata(stream: 1, [AMFMember("audiocodecid", 1_332_770_163)]))
    link.ask(.audio(stream: 1, timestamp: 0, RTMPStreamTests.head))
    for (index, frame) in frames.enumerated() {
      link.ask(.audio(stream: 1, timestamp: UInt32(index * 20), frame))
    }
    var expected: [RTMPServer.Output] = [
      .metadata(stream: 1, [AMFMember("audiocodecid", 1_332_770_163)]),
      .audio(stream: 1, timestamp: 0, RTMPStreamTests.head),
    ]
    for (index, frame) in frames.enumerated() {
      expected.append(.audio(stream: 1, timestamp: UInt32(index * 20), frame))
    }
    #expect(link.serverOutputs() == expected)
    link.ask(.unpublish(stream: 1))
    #expect(link.serverOutputs() == [.unpublish(stream: 1)])
    #expect(link.clientOutputs().statuses == ["NetStream.Unpublish.Success"])
  }

  @Test func aRefusedNameIsToldAndMayBeTriedAgain() {
    var link = RTMPLink.connected()
    link.ask(.publish(name: "guitar"))
    link.tell(.refuse(stream: 1, .error(RTMPStatus.Code.publishBadName, "The name is in use.")))
    #expect(link.clientOutputs().statuses == ["NetStream.Publish.BadName"])
    link.ask(.audio(stream: 1, timestamp: 0, RTMPStreamTests.head))
    #expect(link.serverOutputs().count == 1)
    link.ask(.publish(name: "bass"))
    #expect(link.serverOutputs().count == 1)
  }

  @Test func aPublishersEndIsToldHoweverItComes() {
    for ending in 0..<5 {
      var server = RawServer.connected()
      _ = server.send(RTMPCommand("createStream", transaction: 2).message())
      _ = server.send(RTMPCommand("publish", ["a", "live"]).message(stream: 1))
      _ = server.tell(.allowPublish(stream: 1))
      let outputs =
        switch ending {
        case 0: server.send(RTMPCommand("deleteStream", [1]).message())
        // GStreamer names the stream.
        case 1: server.send(RTMPCommand("deleteStream", ["a"]).message())
        case 2: server.send(RTMPCommand("FCUnpublish", ["a"]).message())
        case 3: server.send(RTMPCommand("closeStream").message(stream: 1))
        default: server.tell(.lost)
        }
      #expect(outputs.first == .unpublish(stream: 1), "\(ending)")
      #expect(outputs.count == (ending == 4 ? 2 : 1))
      guard ending != 4 else { continue }
      #expect(server.commands().last?.arguments.first?["code"] == "NetStream.Unpublish.Success" || ending == 2)
      #expect(server.send(RTMPCommand("closeStream").message(stream: 1)).isEmpty)
    }
  }

  @Test func mediaOfAStreamThatDoesNotPublishAreDropped() {
    var server = RawServer.connected()
    _ = server.send(RTMPCommand("createStream", transaction: 2).message())
    #expect(server.send(RTMPMessage(type: 8, stream: 1, body: [0xAF, 1, 2])).isEmpty)
    #expect(server.send(RTMPMessage(type: 8, stream: 9, body: [0xAF, 1, 2])).isEmpty)
    #expect(server.send(RTMPCommand("publish", ["a"]).message(stream: 9)).dropped.count == 1)
    #expect(server.commands().last?.arguments.first?["code"] == "NetStream.Publish.BadName")
    for name in ["", "a\u{1}b", String(repeating: "n", count: 256)] {
      #expect(server.send(RTMPCommand("publish", [.string(name)]).message(stream: 1)).dropped.count == 1)
      #expect(server.commands().last?.arguments.first?["code"] == "NetStream.Publish.BadName")
    }
  }

  /// It is a join token as a rule, which alone may have 4096 bytes.
  @Test func aStreamsKeyMayBeLong() {
    var server = RawServer.connected()
    _ = server.send(RTMPCommand("createStream", transaction: 2).message())
    let tooLong = "a?token=" + String(repeating: "k", count: 8_192)
    #expect(server.send(RTMPCommand("publish", [.string(tooLong)]).message(stream: 1)).dropped.count == 1)
    let name = "a?token=" + String(repeating: "k", count: 4_096)
    let outputs = server.send(RTMPCommand("publish", [.string(name)]).message(stream: 1))
    #expect(
      outputs.contains {
        if case .publish(stream: 1, let found, _) = $0 { found.name == "a" } else { false }
      })
  }

  @Test func silenceAggregatesAndBrokenAudioOfAPublisher() {
    var server = RawServer.connected()
    _ = server.send(RTMPCommand("createStream", transaction: 2).message())
    _ = server.send(RTMPCommand("publish", ["a"]).message(stream: 1))
    _ = server.tell(.allowPublish(stream: 1))
    // An empty message by hand: nobody here writes one.
    #expect(
      server.feed(Hex.bytes("04 000009 000000 08 01000000")) == [
        .audio(stream: 1, timestamp: 9, AudioTag(nil, .end))
      ])
    let aggregate = Hex.bytes("08000003 0003e8 00 000000 af0121 0000000e 14000001 0003fc 00 000000 05 0000000c")
    #expect(
      server.send(RTMPMessage(type: 22, stream: 1, timestamp: 40, body: aggregate)) == [
        .audio(stream: 1, timestamp: 40, AudioTag(.aac, .frame([0x21])))
      ])
    let outputs = server.send(RTMPMessage(type: 8, stream: 1, body: [0x91, 0x4F]))
    #expect(outputs.dropped.count == 1 && outputs.closing == nil)
    #expect(server.send(RTMPMessage(type: 22, stream: 1, body: [8, 0])).dropped.count == 1)
    #expect(server.send(RTMPMessage(type: 9, stream: 1, body: [1])).isEmpty)
  }

  @Test func aPlayerHearsTheAudioAndTheEnd() {
    var link = RTMPLink.connected()
    link.ask(.play(name: "mix"))
    guard case .play(let stream, let name)? = link.serverOutputs().first else {
      Issue.record("nobody plays")
      return
    }
    #expect(name.text == "mix")
    link.tell(.audio(stream: stream, timestamp: 0, RTMPStreamTests.head))
    #expect(link.clientOutputs().isEmpty)
    link.tell(.allowPlay(stream: stream))
    #expect(link.clientOutputs().statuses == ["NetStream.Play.Reset", "NetStream.Play.Start"])
    link.tell(.metadata(stream: stream, [AMFMember("a", 1)]))
    link.tell(.audio(stream: stream, timestamp: 20_000_000, AudioTag(.opus, .frame([1]))))
    #expect(
      link.clientOutputs() == [
        .metadata(stream: 1, [AMFMember("a", 1)]),
        .audio(stream: 1, timestamp: 20_000_000, AudioTag(.opus, .frame([1]))),
      ])
    link.tell(.endPlay(stream: stream))
    let outputs = link.clientOutputs()
    #expect(outputs.statuses == ["NetStream.Play.UnpublishNotify"] && outputs.last == .streamEnd(1))
  }

  @Test func aPausingPlayerGetsNoAudio() {
    var server = RawServer.connected()
    _ = server.send(RTMPCommand("createStream", transaction: 2).message())
    _ = server.send(RTMPCommand("play", ["mix", -2000]).message(stream: 1))
    _ = server.tell(.allowPlay(stream: 1))
    _ = server.replies()
    let wishes: [(RTMPCommand, Bool)] = [
      (RTMPCommand("pause", [true, 0]), false), (RTMPCommand("pause", [false, 0]), true),
      (RTMPCommand("receiveAudio", [false]), false), (RTMPCommand("receiveAudio", [true]), true),
    ]
    for (wish, isHeard) in wishes {
      _ = server.send(wish.message(stream: 1))
      _ = server.replies()
      _ = server.tell(.audio(stream: 1, timestamp: 0, AudioTag(.aac, .frame([1]))))
      #expect(server.replies().contains { $0.type == 8 } == isHeard, "\(wish)")
    }
    #expect(server.send(RTMPCommand("deleteStream", [1]).message()) == [.stopPlay(stream: 1)])
  }
}
