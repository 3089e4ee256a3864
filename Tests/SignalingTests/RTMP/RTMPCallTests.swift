import Testing

@testable import Signaling

@Suite struct RTMPCallTests {
  private static let values: [AMFValue] = [
    .undefined, .null, true, false, 0, -3.5, 1e300, "", "Привет 🎸", .string(String(repeating: "x", count: 70_000)),
    .date(milliseconds: 1.5e12), [1, "two", [.null, [:]]], .array([1], named: [AMFMember("n", 2)]),
    ["b": 1, "a": ["c": []]],
    .object([AMFMember("x", 1)], className: "demo.Pt"), .bytes([]), .bytes([0, 255, 9]), .xml("<a/>"),
  ]

  @Test(arguments: [0, 3], [5, Int.max])
  func everyKindOfValueComesBackFromAnEcho(encoding: Int, step: Int) throws {
    var options = RTMPClientOptions(app: "live")
    options.objectEncoding = encoding
    var link = RTMPLink.connected(options, step: step)
    for (label, value) in RTMPCallTests.values.enumerated() {
      link.ask(.call(label: label, "echo", [value, 1]))
      let call = try #require(link.serverOutputs().calls.first)
      #expect(call.name == "echo" && call.arguments == [value, 1])
      link.tell(.answer(call.ticket, .value(call.arguments[0])))
      #expect(link.clientOutputs() == [.answered(label: label, .value(value))])
    }
  }

  @Test func aVoidMethodsAnswerEndsBeforeTheValue() {
    var server = RawServer.connected()
    let calls = server.send(RTMPCommand("doNothing", transaction: 5).message()).calls
    guard let call = calls.first else {
      Issue.record("no call")
      return
    }
    _ = server.tell(.answer(call.ticket, .void))
    #expect(Hex.text(server.replies().first?.body ?? []) == "0200075f726573756c7400401400000000000005")
    _ = server.tell(.answer(call.ticket, .value(.null)))
    #expect(Hex.text(server.replies().first?.body ?? []) == "0200075f726573756c740040140000000000000505")
  }

  @Test func errorsHaveTheirCodeAndNumber() throws {
    var link = RTMPLink.connected()
    let errors = [
      RTMPCallError.serviceNotFound("svc"), .methodNotFound("noSuch"), RTMPCallError(.accessDenied, "no"),
      RTMPCallError(.invocationException, "boom"), RTMPCallError(.generalException, "?"),
      RTMPCallError(.shuttingDown, "bye"),
    ]
    for (label, error) in errors.enumerated() {
      link.ask(.call(label: label, "svc.method", []))
      let call = try #require(link.serverOutputs().calls.first)
      link.tell(.fail(call.ticket, error))
      #expect(link.clientOutputs() == [.failed(label: label, error)])
    }
    #expect(RTMPCallError.methodNotFound("noSuch").description == "Method noSuch not found")
  }

  @Test func aCallThatWantsNoAnswerGetsNone() {
    var link = RTMPLink.connected()
    link.ask(.tell("fire", ["x"]))
    guard let call = link.serverOutputs().calls.first else {
      Issue.record("no call")
      return
    }
    #expect(!call.ticket.wantsAnswer)
    let before = link.fromServer.count
    link.tell(.answer(call.ticket, .value(1)))
    link.tell(.fail(call.ticket, .methodNotFound("fire")))
    #expect(link.fromServer.count == before)
  }

  @Test func repeatedTransactionsAreAnsweredEach() {
    var server = RawServer.connected()
    let first = server.send(RTMPCommand("a", transaction: 1).message()).calls
    let second = server.send(RTMPCommand("b", transaction: 1).message()).calls
    for call in second + first { _ = server.tell(.answer(call.ticket, .value(.string(call.name)))) }
    let commands = server.commands()
    #expect(commands.map(\.transaction) == [1, 1] && commands.map(\.arguments) == [["b"], ["a"]])
  }

  @Test func aPushIsAMessage20WithTransaction0() {
    var server = RawServer.connected()
    _ = server.tell(.push("onPush", ["hi", 42, .null]))
    let message = server.replies().first
    #expect(message?.type == 20 && message?.stream == 0)
    #expect(message.flatMap { try? RTMPCommand($0) } == RTMPCommand("onPush", ["hi", 42, .null]))
    var link = RTMPLink.connected()
    link.tell(.push("onPush", ["hi"]))
    #expect(link.clientOutputs() == [.called("onPush", ["hi"])])
  }

  @Test func anUnreadableCallIsAnsweredByAnErrorAndTheConnectionStays() {
    var server = RawServer.connected()
    let deep = (0..<33).reduce(AMFValue.null) { value, _ in .array([value]) }
    let outputs = server.send(RTMPCommand("echo", transaction: 7, [deep]).message())
    #expect(outputs.calls.isEmpty && outputs.closing == nil && outputs.dropped.count == 1)
    let error = server.commands().first
    #expect(error?.name == "_error" && error?.transaction == 7)
    #expect(error?.arguments.first?["status"] == 0x14)
    #expect(server.send(RTMPCommand("echo", transaction: 8).message()).calls.count == 1)
    // Where even the name is missing there is nobody to answer.
    #expect(server.send(RTMPMessage(type: 20, body: [5])).dropped.count == 1)
    #expect(server.commands().isEmpty)
  }

  @Test(arguments: ["releaseStream", "FCPublish", "FCUnpublish", "FCSubscribe", "_checkbw", "checkBandwidth"])
  func reservedNamesAreAnsweredByVoidAndNeverReachTheApplication(name: String) {
    var server = RawServer.connected()
    #expect(server.send(RTMPCommand(name, transaction: 3, ["x"]).message()).isEmpty)
    #expect(server.commands() == [RTMPCommand("_result", transaction: 3)])
    #expect(server.send(RTMPCommand(name, ["x"]).message()).isEmpty)
    #expect(server.commands().isEmpty)
  }

  @Test(arguments: ["_result", "_error", "onStatus", "onFCPublish", "receiveVideo", "seek", "pause", "connect"])
  func namesOfTheProtocolNeverReachTheApplication(name: String) {
    var server = RawServer.connected()
    #expect(server.send(RTMPCommand(name, transaction: 0, [true]).message()).isEmpty)
    #expect(server.commands().isEmpty)
  }
}
