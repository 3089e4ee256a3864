import Machines
import Music
import Testing

@testable import Signaling

@Suite struct KurentoTreeServerTests {
  private let gig = KurentoSample.room("gig")

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
    var rig = KurentoTreeRig()
    #expect(rig.ask(method, parameters).code == code)
  }

  @Test func aNameIsToldOnlyWhereTheClientChoseNone() {
    var rig = KurentoTreeRig()
    _ = rig.ask("createTree", #"{"treeId":"gig"}"#)
    #expect(
      rig.answer(.created(gig))
        == [.answer(#"{"jsonrpc":"2.0","id":16,"result":{"sessionId":"5kq8v0a1rt7c"}}"#, to: KurentoSample.link)])
    let unnamed = rig.ask("createTree", #"{"treeId":null}"#)
    #expect(unnamed.performed.map(\.command) == [.init(.create(nil))])
    let answer = rig.answer(.created(gig))
    guard case .answer(let text, _)? = answer.first else { return _ = Issue.record("\(answer)") }
    #expect(text.contains(#""value":"gig""#))
  }

  @Test(arguments: [(TreeRefusal.Code.tree, 2), (.failure, -1)] as [(TreeRefusal.Code, Int64)])
  func refusalsHaveTheWiresCodes(code: TreeRefusal.Code, expected: Int64) {
    var rig = KurentoTreeRig()
    _ = rig.ask("addTreeSink", #"{"treeId":"gig","offerSdp":"v=0"}"#)
    #expect(rig.refuse(TreeRefusal(code, "no source")).code == expected)
    _ = rig.ask("createTree", "{}")
    #expect(rig.answer(.done).code == -1)
  }

  @Test func candidatesOfASinkWaitForItsName() {
    var rig = KurentoTreeRig()
    _ = rig.ask("addTreeSink", #"{"treeId":"gig","offerSdp":"v=0"}"#)
    let event = KurentoTreeServer.Input.event(.candidate(gig, sink: "a", KurentoSample.candidate))
    #expect(rig.feed(event).isEmpty)
    #expect(rig.feed(.event(.candidate(gig, sink: "a", .end))).isEmpty)
    let outputs = rig.answer(.sink("a", answer: KurentoSample.answer))
    guard case .answer = outputs.first else { return _ = Issue.record("the answer does not come first") }
    #expect(outputs.texts.count == 1)
    #expect(outputs.texts.first?.contains(#""sinkId":"a","#) == true)
    #expect(outputs.texts.first?.hasSuffix(#""sdpMid":"audio","sdpMLineIndex":0}}"#) == true)
    #expect(rig.feed(event).texts.count == 1)
    // Those of other sessions' connections are not for this one.
    #expect(rig.feed(.event(.candidate(gig, sink: "b", KurentoSample.candidate))).isEmpty)
    #expect(rig.feed(.event(.candidate(gig, sink: nil, KurentoSample.candidate))).isEmpty)
    _ = rig.ask("removeTreeSink", #"{"treeId":"gig","sinkId":"a"}"#)
    #expect(rig.answer(.done).count == 1)
    #expect(rig.feed(event).isEmpty)
  }

  @Test func aSourceMayBeReplacedByTheMixAndHasNoCandidatesThen() {
    var rig = KurentoTreeRig()
    let event = KurentoTreeServer.Input.event(.candidate(gig, sink: nil, KurentoSample.candidate))
    let offer = rig.ask("setTreeSource", #"{"treeId":"gig","offerSdp":"v=0"}"#)
    #expect(offer.performed.map(\.command) == [.init(.setSource(gig, .offer("v=0")))])
    #expect(rig.feed(event).isEmpty)
    let outputs = rig.answer(.answer(KurentoSample.answer))
    #expect(outputs.texts.count == 1)
    // A refused second offer leaves the first standing, with what was held meanwhile.
    _ = rig.ask("setTreeSource", #"{"treeId":"gig","offerSdp":"v=10"}"#)
    #expect(rig.feed(event).isEmpty)
    #expect(rig.refuse(TreeRefusal(.tree, "no")).texts.count == 1)
    let mix = rig.ask("setTreeSource", #"{"treeId":"gig","source":"mix"}"#)
    #expect(mix.performed.map(\.command) == [.init(.setSource(gig, .mix))])
    #expect(rig.answer(.done).count == 1)
    #expect(rig.feed(event).isEmpty)
  }

  @Test func aSessionMayComeBackAndIsNeverTimedOut() {
    var rig = KurentoTreeRig()
    _ = rig.ask("ping", #"{"interval":3000}"#)
    #expect(rig.server.deadline == nil)
    #expect(
      rig.ask("connect", #"{"sessionId":"x"}"#) == [.resume(sessionID: "x", JSONRPCID(17), on: KurentoSample.link)])
    #expect(rig.feed(.unknownSession(JSONRPCID(17), on: KurentoSample.link)).code == 40_007)
    #expect(rig.feed(.resumed(JSONRPCID(1), on: KurentoSample.otherLink, nil)).count == 1)
    #expect(rig.feed(.linkLost(KurentoSample.otherLink)).isEmpty)
    #expect(rig.feed(.unreadable("too long", from: KurentoSample.link)).code == -32_600)
    #expect(rig.ask("closeSession", "{}").last == .end(code: 1000, reason: "closeSession"))
    #expect(rig.ask("createTree", "{}").isEmpty)
  }

  @Test func theConnectionsOfASessionAreBounded() {
    var rig = KurentoTreeRig()
    for number in 0..<TreeLegs.maximum {
      _ = rig.say("{\"id\":\(number),\"method\":\"addTreeSink\",\"params\":{\"treeId\":\"gig\",\"offerSdp\":\"v\"}}")
      _ = rig.answer(.sink("\(number)", answer: ""))
    }
    #expect(rig.ask("addTreeSink", #"{"treeId":"gig","offerSdp":"vv"}"#).code == 2)
  }
}
