import Machines
import Testing

@testable import Signaling

/// What real clients sent, in their order, to the server's machine.
@Suite struct RTMPTranscriptTests {
  private func messages(_ capture: String) throws -> [RTMPMessage] {
    try RTMPVectors.read("messages.json", as: RTMPVectors.Message.self)
      .filter { $0.capture == capture && $0.direction == "c2s" }
      .sorted { $0.offset < $1.offset }
      .map { RTMPMessage(type: $0.type, stream: $0.msid, timestamp: $0.timestamp, body: Hex.bytes($0.body)) }
  }

  @Test(arguments: [
    "red5-ios-full", "ref-ios-quirks", "red5-js-full", "red5-red5client-amf0", "ref-profile-ios-full", "ref-ios-ping",
    "ref-profile-ios-so-lifecycle", "ref-profile-red5client", "red5-ios-two-A", "ref-profile-js-full",
  ])
  func aClientsMessagesArriveAndNoneIsDropped(capture: String) throws {
    var messages = try messages(capture)
    // Captures hold each distinct message once, so that a connect may be in another one.
    if messages.first.flatMap({ try? RTMPCommand($0) })?.name != "connect" {
      messages.insert(RTMPCommand("connect", transaction: 1, object: [:]).message(), at: 0)
    }
    var server = RawServer()
    var outputs: [RTMPServer.Output] = []
    for message in messages {
      server.now = server.now + .milliseconds(50)
      outputs += server.send(message)
      if !outputs.connects.isEmpty { outputs += server.tell(.accept(properties: [])) }
    }
    #expect(outputs.dropped.isEmpty && outputs.closing == nil)
    let names = try messages.filter { $0.type == 20 }.map { try RTMPCommand($0).name }
    #expect(outputs.calls.map(\.name) == names.filter { $0 != "connect" && $0 != "_result" })
    #expect(outputs.objects.count == messages.filter { $0.type == 19 }.count)
  }

  @Test(arguments: [
    "nginx-ffmpeg51-publish-aac", "nginx-gst-rtmp2sink-publish", "ref-ffmpeg81-publish-opus-mono",
    "nginx-ffmpeg81-publish-opus-2tracks",
  ])
  func anEncoderPublishesAndEnds(capture: String) throws {
    var server = RawServer()
    var outputs: [RTMPServer.Output] = []
    var messages = try messages(capture)
    // Messages that another capture had too are not repeated in this one.
    if messages.first(where: { (try? RTMPCommand($0))?.name == "connect" }) == nil {
      messages.insert(RTMPCommand("connect", transaction: 1, object: [:]).message(), at: 0)
    }
    if !messages.contains(where: { $0.type == 20 && (try? RTMPCommand($0))?.name == "createStream" }) {
      messages.insert(RTMPCommand("createStream", transaction: 4).message(), at: 1)
    }
    if !messages.contains(where: { $0.type == 20 && (try? RTMPCommand($0))?.name == "publish" }) {
      messages.insert(RTMPCommand("publish", transaction: 5, ["s", "live"]).message(stream: 1), at: 2)
    }
    for message in messages {
      let step = server.send(message)
      outputs += step
      if !step.connects.isEmpty { outputs += server.tell(.accept(properties: [])) }
      for case .publish(let stream, _, .live) in step { outputs += server.tell(.allowPublish(stream: stream)) }
    }
    outputs += server.tell(.lost)
    let heard = outputs.filter { if case .audio = $0 { true } else { false } }.count
    let sent = messages.filter { $0.type == 8 }.count
    #expect(outputs.dropped.isEmpty && outputs.calls.isEmpty)
    #expect(heard == sent, "\(heard) of \(sent)")
    #expect(outputs.filter { $0 == .unpublish(stream: 1) }.count == 1)
  }
}
