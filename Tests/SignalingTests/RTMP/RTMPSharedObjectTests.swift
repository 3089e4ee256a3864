import Testing

@testable import Signaling

@Suite struct RTMPSharedObjectTests {
  @Test(arguments: [0, 3], [1, Int.max])
  func everyEventCrossesBothWays(encoding: Int, step: Int) {
    var options = RTMPClientOptions(app: "live")
    options.objectEncoding = encoding
    var link = RTMPLink.connected(options, step: step)
    let wishes = RTMPObjectMessage(
      "demo", isPersistent: true,
      [
        .use, .requestChange("k", ["x": 1]), .requestChange("ü", "v"), .requestRemove("a"),
        .message("onMsg", ["hi", 3]), .clear, .requestClear,
      ])
    link.ask(.sharedObject(wishes))
    #expect(link.serverOutputs() == [.sharedObject(wishes)])
    let news = RTMPObjectMessage(
      "demo", version: 7, isPersistent: true,
      [
        .useSuccess, .clear, .change("k", ["x": 1]), .success("b", "two"), .success("c", nil), .message("onMsg", []),
        .status(code: "SharedObject.NoWriteAccess", level: "error"), .remove("a"), .changeEcho("p", true),
      ])
    link.tell(.sharedObject(news))
    #expect(link.clientOutputs() == [.sharedObject(news)])
    // The client repeats the version that it saw.
    link.ask(.sharedObject(RTMPObjectMessage("demo", [.release])))
    #expect(link.serverOutputs().objects.map(\.version) == [7])
  }

  @Test func theTypeOfTheAnswerIsThatOfTheUse() {
    for type: UInt8 in [19, 16] {
      var server = RawServer.connected()
      _ = server.send(RTMPObjectMessage("demo", [.use]).message(isAMF3: type == 16))
      _ = server.tell(.sharedObject(RTMPObjectMessage("demo", version: 1, [.useSuccess, .clear])))
      #expect(server.replies().map(\.type) == [type])
    }
  }

  @Test func theWireIsThatOfTheSpecification() {
    var object = RTMPObjectMessage("demo", version: 2, [.useSuccess, .clear])
    #expect(
      Hex.text(object.message().body) == "000464656d6f0000000200000000000000000b000000000800000000")
    object.events = [RTMPObjectStatus.noWriteAccess.event]
    #expect(
      Hex.text(object.message().body.suffix(40))
        == "0700000023001a5368617265644f626a6563742e4e6f577269746541636365737300056572726f72")
  }

  @Test func nullIsNeverSentAsAValueAndFlagsAre0Or2() {
    var server = RawServer.connected()
    var object = RTMPObjectMessage("demo", version: 2, [.change("a", .null), .success("b", .undefined)])
    object.flags = 0x32
    _ = server.tell(.sharedObject(object))
    let sent = server.replies().first.flatMap { try? RTMPObjectMessage($0, limits: RTMPLimits()) }
    #expect(sent?.events == [.remove("a"), .remove("b")] && sent?.flags == 2)
  }

  @Test func flagsUnknownEventsAndEmptyMessagesAreTaken() {
    var server = RawServer.connected()
    // Flag 0x10, event 12 with data, event 200, several pairs in one request.
    let body = Hex.bytes(
      "000464656d6f 00000000 00000010 00000000 0c 00000002 ffff c8 00000000 03 00000009 000161 05 000162 0100")
    let object = server.send(RTMPMessage(type: 19, body: body)).objects.first
    #expect(object?.wantsChangeEcho == true && object?.isPersistent == false)
    #expect(object?.events == [.requestChange("a", .null), .requestChange("b", false)])
    let foreign = RTMPObjectMessage("demo", [.useSuccess, .change("a", 1), .clear])
    #expect(server.send(foreign.message()).objects.map(\.events) == [[.clear]])
    let empty = RTMPObjectMessage("demo", [])
    #expect(server.send(empty.message()).objects == [empty])
  }

  @Test func brokenMessagesAreDroppedAndTheConnectionStays() {
    var server = RawServer.connected()
    let good = RTMPObjectMessage("demo", [.requestChange("k", ["a": [1, 2]])]).message().body
    for length in 1..<good.count {
      let outputs = server.send(RTMPMessage(type: 19, body: Array(good.prefix(length))))
      #expect(outputs.closing == nil)
      // Cut behind the head it is a message without events.
      #expect(outputs.objects.count == (length == 18 ? 1 : 0), "\(length)")
    }
    #expect(server.send(RTMPMessage(type: 19, body: good)).objects.count == 1)
  }

  @Test func namesThatAreNoneAndTooManyObjectsAreRefused() {
    var server = RawServer.connected()
    for name in ["", "a\u{0}b", String(repeating: "n", count: 256)] {
      #expect(server.send(RTMPObjectMessage(name, [.use]).message()).objects.isEmpty)
      let reply = server.replies().first.flatMap { try? RTMPObjectMessage($0, limits: RTMPLimits()) }
      #expect(reply?.events == [RTMPObjectStatus.objectCreationFailed.event] && reply?.version == 0)
    }
    for index in 0..<64 {
      #expect(server.send(RTMPObjectMessage("o\(index)", [.use]).message()).objects.count == 1)
    }
    #expect(server.send(RTMPObjectMessage("o64", [.use]).message()).objects.isEmpty)
    // A second use of one that is used is none more; a release makes room, a refused use too.
    #expect(server.send(RTMPObjectMessage("o0", [.use]).message()).objects.count == 1)
    _ = server.send(RTMPObjectMessage("o0", [.release]).message())
    #expect(server.send(RTMPObjectMessage("o64", [.use]).message()).objects.count == 1)
    _ = server.tell(.sharedObject(RTMPObjectMessage("o64", [RTMPObjectStatus.badPersistence.event])))
    #expect(server.send(RTMPObjectMessage("o65", [.use]).message()).objects.count == 1)
  }

  @Test func aThousandEventsAreTakenAndOneMoreEndsTheConnection() {
    var server = RawServer.connected()
    let full = RTMPObjectMessage("demo", [RTMPObjectEvent](repeating: .clear, count: 1000))
    #expect(server.send(full.message()).objects.first?.events.count == 1000)
    let over = RTMPObjectMessage("demo", [RTMPObjectEvent](repeating: .clear, count: 1001))
    #expect(server.send(over.message()).closing?.contains("1000") == true)
  }
}
