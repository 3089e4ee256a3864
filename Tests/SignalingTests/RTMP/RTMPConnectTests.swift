import Testing

@testable import Signaling

@Suite struct RTMPConnectTests {
  @Test func theRootIsConnectedToByAnObjectWithNothingInIt() {
    var link = RTMPLink(RTMPClientOptions())
    let request = link.serverOutputs().connects.first
    #expect(request?.scope.parts == [] && request?.query == nil && request?.parameters == [])
    #expect(request?.objectEncoding == 0 && request?.isEnhanced == false)
    link.tell(.accept(properties: []))
    guard case .connected(let information)? = link.clientOutputs().first else {
      Issue.record("not connected")
      return
    }
    #expect(information["code"] == "NetConnection.Connect.Success" && information["objectEncoding"] == 0)
  }

  @Test func aNamedAppWithQueryAndParametersArrivesWhole() {
    let parameters: [AMFValue] = ["user", "pw", ["x": 1], [1, 2], true, .null]
    var options = RTMPClientOptions(app: "/a/b-2/c_3.x/?key=a%2Fb&k2", tcURL: "rtmp://host/a", parameters: parameters)
    options.codecs = ["hvc1", "Opus"]
    options.objectEncoding = 3
    var link = RTMPLink(options)
    let request = link.serverOutputs().connects.first
    #expect(request?.scope.parts == ["a", "b-2", "c_3.x"] && request?.scope.description == "a/b-2/c_3.x")
    #expect(request?.query?["key"] == "a/b" && request?.query?["k2"] == "" && request?.query?["no"] == nil)
    #expect(request?.parameters == parameters && request?.codecs == ["hvc1", "Opus"])
    #expect(request?.tcURL == "rtmp://host/a" && request?.flashVersion == "Jamjar" && request?.objectEncoding == 3)
    link.tell(.accept(properties: [AMFMember("room", "a")]))
    guard case .connected(let information)? = link.clientOutputs().first else {
      Issue.record("not connected")
      return
    }
    #expect(information["audioFourCcInfoMap"]?["Opus"] == 1 && information["capsEx"] == 14)
    #expect(information["fourCcList"] == ["Opus", "fLaC", "mp4a"] && information["objectEncoding"] == 3)
  }

  @Test func theAnswerIsThatOfTheProfileToTheByte() throws {
    var link = RTMPLink(RTMPClientOptions())
    let before = link.fromServer.count
    #expect(before == 3073)
    link.tell(.accept(properties: []))
    let expected =
      "02000000000004050000000000 2625a0" + "02000000000005060000000000 2625a002"
      + "02000000000006040000000000 0000000000" + "02000000000004010000000000 001000"
    #expect(Hex.text(link.fromServer[before..<before + 67]) == Hex.text(Hex.bytes(expected)))
    let result = link.fromServer[(before + 67)...]
    #expect(Hex.text(result.prefix(12)).hasPrefix("0300000000") && result[before + 67 + 7] == 20)
    let body = AMFSequence(ByteReader(Array(result.dropFirst(12)))).values
    try #require(body.count == 4)
    #expect(body[0] == "_result")
    #expect(body[1] == 1)
    #expect(body[2] == ["fmsVer": "FMS/3,5,7,7009", "capabilities": 31, "mode": 1])
    #expect(body[3].members?.map(\.name) == ["level", "code", "description", "objectEncoding"])
  }

  @Test func aRefusalSaysWhyAndEndsTheConnection() {
    var link = RTMPLink()
    link.tell(.reject(RTMPCallError(.accessDenied, "The room is full.").connectStatus))
    #expect(link.serverOutputs().closing?.contains("The room is full.") == true)
    guard case .rejected(let status)? = link.clientOutputs().first else {
      Issue.record("not rejected")
      return
    }
    #expect(status.code == "NetConnection.Connect.Rejected" && status.level == "error")
    #expect(status.description == "The room is full." && status.more == [AMFMember("status", 0x12)])
  }

  @Test(arguments: ["a//b", "..", "a..b", "a/b/c/d/e", "a b", "ä", String(repeating: "x", count: 65)])
  func anAppThatIsNoScopeIsRefusedWithoutAsking(app: String) {
    var link = RTMPLink(RTMPClientOptions(app: app))
    let outputs = link.serverOutputs()
    #expect(outputs.connects.isEmpty && outputs.closing != nil)
    guard case .rejected(let status)? = link.clientOutputs().first else {
      Issue.record("not rejected")
      return
    }
    #expect(status.code == "NetConnection.Connect.InvalidApp")
  }

  @Test func scopesAreReadAsTheSpecificationSays() {
    #expect(RTMPScope(app: nil)?.parts == [] && RTMPScope(app: "")?.parts == [] && RTMPScope(app: "///")?.parts == [])
    #expect(RTMPScope(app: "?key=1")?.parts == [] && RTMPScope(app: "live/")?.parts == ["live"])
    #expect(RTMPScope(app: String(repeating: "x", count: 64))?.parts.count == 1)
  }

  @Test func theKindsOfRefusalHaveTheirCodes() {
    let codes = RTMPCallError.Kind.allCases.map { kind in
      let error = RTMPCallError(kind, "x")
      return [error.connectStatus.code, error.callStatus.code].map { $0.split(separator: ".").last ?? "" }
    }
    #expect(
      codes == [
        ["InvalidApp", "Failed"], ["Failed", "Failed"], ["Rejected", "Prohibited"], ["Rejected", "Failed"],
        ["Failed", "Failed"], ["AppShutdown", "Failed"],
      ])
  }

  @Test func somethingElseThanConnectFirstEndsTheConnection() {
    let first: [RTMPMessage] = [
      RTMPCommand("createStream", transaction: 1).message(), RTMPMessage(type: 8, stream: 1, body: [0xAF, 0]),
      RTMPMessage(type: 20, body: [0x12]), RTMPMessage(type: 19, body: [0]),
    ]
    for message in first {
      var server = RawServer()
      #expect(server.send(message).closing != nil, "\(message)")
    }
    // Control messages may come before.
    var server = RawServer()
    _ = server.send(RTMPControl.windowSize(5_000_000).message)
    #expect(server.send(RTMPCommand("connect", transaction: 1, object: [:]).message()).connects.count == 1)
  }

  @Test func whatComesBeforeTheDecisionIsCarriedOutAfterIt() {
    var server = RawServer()
    _ = server.send(RTMPCommand("connect", transaction: 1, object: [:]).message())
    #expect(server.send(RTMPCommand("early", transaction: 2, [1]).message()).calls.isEmpty)
    #expect(server.tell(.accept(properties: [])).calls.map(\.name) == ["early"])
  }

  @Test func aClientMayNotSendWithoutEndBeforeTheDecision() {
    var server = RawServer()
    _ = server.send(RTMPCommand("connect", transaction: 1, object: [:]).message())
    #expect(server.feed([UInt8](repeating: 0, count: 1 << 20)).isEmpty)
    #expect(server.feed([0]).closing?.contains("before its connect was answered") == true)
  }

  @Test func theServersCloseIsToldFirst() {
    var link = RTMPLink.connected()
    link.tell(.close("The server stops."))
    #expect(link.clientOutputs().statuses == ["NetConnection.Connect.Closed"])
    #expect(link.serverOutputs().closing == "The server stops.")
    link.tell(.push("late", []))
    #expect(link.clientOutputs().isEmpty)
  }
}
