import Machines
import Music
import Testing

@testable import Signaling

@Suite struct KurentoTreeServerTests {
  private typealias Output = KurentoTreeServer.Output
  private let gig = KurentoSample.room("gig")

  private func server() -> KurentoTreeServer {
    KurentoTreeServer(sessionID: KurentoSample.session, traits: KurentoSample.iOS, at: KurentoSample.start)
  }

  private func drain(_ server: inout KurentoTreeServer) -> [Output] {
    var outputs: [Output] = []
    while let output = server.next() { outputs.append(output) }
    return outputs
  }

  private func feed(_ input: KurentoTreeServer.Input, to server: inout KurentoTreeServer) -> [Output] {
    server.handle(input, at: KurentoSample.start)
    return drain(&server)
  }

  private func ask(_ method: String, _ parameters: String, of server: inout KurentoTreeServer) -> [Output] {
    feed(
      .text(
        "{\"jsonrpc\":\"2.0\",\"id\":\(parameters.utf8.count),\"method\":\"\(method)\",\"params\":\(parameters)}",
        from: KurentoSample.link), to: &server)
  }

  private func operation(_ outputs: [Output]) -> OperationNumber {
    if case .perform(let operation, _)? = outputs.first { operation } else { OperationNumber(0) }
  }

  private func error(_ outputs: [Output]) -> Int64? {
    guard outputs.count == 1, case .answer(let text, _)? = outputs.first else { return nil }
    return (try? JSONValue(parsing: text))?.object?["error"]?.object?["code"]?.integer
  }

  private func told(_ outputs: [Output]) -> [String] {
    outputs.compactMap { if case .notify(let text) = $0 { text } else { nil } }
  }

  @Test(
    arguments: [
      ("createTree", #"{"treeId":7}"#, 2), ("createTree", #"{"treeId":""}"#, 2),
      ("createTree", #"{"treeId":"a/b"}"#, 2),
      ("releaseTree", "{}", 1), ("setTreeSource", #"{"treeId":"gig"}"#, 1),
      ("setTreeSource", #"{"treeId":"gig","offerSdp":7}"#, 2),
      ("setTreeSource", #"{"treeId":"gig","offerSdp":"v=0","source":"mix"}"#, 2),
      ("setTreeSource", #"{"treeId":"gig","source":" x"}"#, 2), ("setTreeSource", #"{"treeId":"gig","source":[]}"#, 2),
      ("addTreeSink", #"{"treeId":"gig"}"#, 1), ("removeTreeSink", #"{"treeId":"gig"}"#, 1),
      ("removeTreeSink", #"{"treeId":"gig","sinkId":7}"#, 2), ("addIceCandidate", #"{"treeId":"gig"}"#, 1),
      ("addIceCandidate", #"{"treeId":"gig","candidate":"c","sdpMLineIndex":"x"}"#, 2),
      ("createTree", #"{"treeId":"gig","token":7}"#, 2), ("register", #"{"ws":"x"}"#, 1), ("", "{}", 1),
    ] as [(String, String, Int64)])
  func wrongRequestsAreAnsweredByTheTreesCodes(method: String, parameters: String, code: Int64) {
    var server = server()
    #expect(error(ask(method, parameters, of: &server)) == code)
  }

  @Test func aNameIsToldOnlyWhereTheClientChoseNone() {
    var server = server()
    let named = ask("createTree", #"{"treeId":"gig"}"#, of: &server)
    #expect(
      feed(.replied(operation(named), .created(gig)), to: &server)
        == [.answer(#"{"jsonrpc":"2.0","id":16,"result":{"sessionId":"5kq8v0a1rt7c"}}"#, to: KurentoSample.link)])
    let unnamed = ask("createTree", #"{"treeId":null}"#, of: &server)
    #expect(unnamed == [.perform(operation(unnamed), .init(.create(nil)))])
    let answer = feed(.replied(operation(unnamed), .created(gig)), to: &server)
    guard case .answer(let text, _)? = answer.first else { return _ = Issue.record("\(answer)") }
    #expect(text.contains(#""value":"gig""#))
  }

  @Test(arguments: [(TreeRefusal.Code.tree, 2), (.failure, -1)] as [(TreeRefusal.Code, Int64)])
  func refusalsHaveTheWiresCodes(code: TreeRefusal.Code, expected: Int64) {
    var server = server()
    let asked = ask("addTreeSink", #"{"treeId":"gig","offerSdp":"v=0"}"#, of: &server)
    #expect(error(feed(.refused(operation(asked), TreeRefusal(code, "no source")), to: &server)) == expected)
    let create = ask("createTree", "{}", of: &server)
    #expect(error(feed(.replied(operation(create), .done), to: &server)) == -1)
  }

  @Test func candidatesOfASinkWaitForItsName() {
    var server = server()
    let asked = ask("addTreeSink", #"{"treeId":"gig","offerSdp":"v=0"}"#, of: &server)
    let event = KurentoTreeServer.Input.event(.candidate(gig, sink: "a", KurentoSample.candidate))
    #expect(feed(event, to: &server).isEmpty)
    #expect(feed(.event(.candidate(gig, sink: "a", .end)), to: &server).isEmpty)
    let outputs = feed(.replied(operation(asked), .sink("a", answer: KurentoSample.answer)), to: &server)
    guard case .answer = outputs.first else { return _ = Issue.record("the answer does not come first") }
    #expect(told(outputs).count == 1)
    #expect(told(outputs).first?.contains(#""sinkId":"a","#) == true)
    #expect(told(outputs).first?.hasSuffix(#""sdpMid":"audio","sdpMLineIndex":0}}"#) == true)
    #expect(told(feed(event, to: &server)).count == 1)
    // Those of other sessions' connections are not for this one.
    #expect(feed(.event(.candidate(gig, sink: "b", KurentoSample.candidate)), to: &server).isEmpty)
    #expect(feed(.event(.candidate(gig, sink: nil, KurentoSample.candidate)), to: &server).isEmpty)
    let removed = ask("removeTreeSink", #"{"treeId":"gig","sinkId":"a"}"#, of: &server)
    #expect(feed(.replied(operation(removed), .done), to: &server).count == 1)
    #expect(feed(event, to: &server).isEmpty)
  }

  @Test func aSourceMayBeReplacedByTheMixAndHasNoCandidatesThen() {
    var server = server()
    let event = KurentoTreeServer.Input.event(.candidate(gig, sink: nil, KurentoSample.candidate))
    let offer = ask("setTreeSource", #"{"treeId":"gig","offerSdp":"v=0"}"#, of: &server)
    #expect(offer == [.perform(operation(offer), .init(.setSource(gig, .offer("v=0"))))])
    #expect(feed(event, to: &server).isEmpty)
    let outputs = feed(.replied(operation(offer), .answer(KurentoSample.answer)), to: &server)
    #expect(told(outputs).count == 1)
    // A refused second offer leaves the first standing, with what was held meanwhile.
    let second = ask("setTreeSource", #"{"treeId":"gig","offerSdp":"v=10"}"#, of: &server)
    #expect(feed(event, to: &server).isEmpty)
    #expect(told(feed(.refused(operation(second), TreeRefusal(.tree, "no")), to: &server)).count == 1)
    let mix = ask("setTreeSource", #"{"treeId":"gig","source":"mix"}"#, of: &server)
    #expect(mix == [.perform(operation(mix), .init(.setSource(gig, .mix)))])
    #expect(feed(.replied(operation(mix), .done), to: &server).count == 1)
    #expect(feed(event, to: &server).isEmpty)
  }

  @Test func aSessionMayComeBackAndIsNeverTimedOut() {
    var server = server()
    _ = ask("ping", #"{"interval":3000}"#, of: &server)
    #expect(server.deadline == nil)
    #expect(
      ask("connect", #"{"sessionId":"x"}"#, of: &server) == [
        .resume(sessionID: "x", JSONRPCID(17), on: KurentoSample.link)
      ])
    #expect(error(feed(.unknownSession(JSONRPCID(17), on: KurentoSample.link), to: &server)) == 40_007)
    #expect(feed(.resumed(JSONRPCID(1), on: KurentoSample.otherLink, nil), to: &server).count == 1)
    #expect(feed(.linkLost(KurentoSample.otherLink), to: &server).isEmpty)
    #expect(error(feed(.unreadable("too long", from: KurentoSample.link), to: &server)) == -32_600)
    #expect(ask("closeSession", "{}", of: &server).last == .end(code: 1000, reason: "closeSession"))
    #expect(ask("createTree", "{}", of: &server).isEmpty)
  }

  @Test func theConnectionsOfASessionAreBounded() {
    var server = server()
    for number in 0..<TreeLegs.maximum {
      let asked = feed(
        .text(
          "{\"id\":\(number),\"method\":\"addTreeSink\",\"params\":{\"treeId\":\"gig\",\"offerSdp\":\"v\"}}",
          from: KurentoSample.link), to: &server)
      _ = feed(.replied(operation(asked), .sink("\(number)", answer: "")), to: &server)
    }
    #expect(error(ask("addTreeSink", #"{"treeId":"gig","offerSdp":"vv"}"#, of: &server)) == 2)
  }
}
