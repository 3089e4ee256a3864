import Machines
import Music
import Testing

@testable import Signaling

/// Presence and messages of both dialects; the texts are those of docs/xirsys.md.
@Suite struct XirSysPresenceTests {
  @Test func theFirstMusicianGetsTheOwnNameOnly() {
    var rig = XirSysRig()
    let outputs = rig.join([])
    #expect(outputs.texts == [#"{"type":"peers","userid":"server","room":"take5","message":{"users":["anna"]}}"#])
    #expect(outputs.commands.isEmpty)
  }

  @Test func aNewcomerIsNamedOnceInBothPlaces() {
    var rig = XirSysRig.joined()
    let text = #"{"type":"peer_connected","userid":"bob","room":"take5","message":"bob"}"#
    #expect(rig.arrives("bob").texts == [text])
    // Presence is idempotent.
    #expect(rig.arrives("bob").texts.isEmpty)
    #expect(rig.event(.changed(KurentoSample.member("bob", publishes: true))).texts.isEmpty)
    let removed = #"{"type":"peer_removed","userid":"bob","room":"take5","message":"bob"}"#
    #expect(rig.leaves("bob").texts == [removed])
    #expect(rig.leaves("bob").texts.isEmpty)
  }

  @Test func listenersAreInvisible() {
    var rig = XirSysRig.joined()
    #expect(rig.event(.joined(KurentoSample.member("bot", role: .listener))).texts.isEmpty)
    #expect(rig.event(.left(KurentoSample.id("bot"))).texts.isEmpty)
  }

  @Test func dialectBSaysTheSameInItsFrames() {
    var rig = XirSysRig(.channel)
    let path = "studio.example/default/take5"
    let peers = "{\"t\":\"u\",\"m\":{\"f\":\"\(path)/__sys__\",\"o\":\"peers\"},\"p\":{\"users\":[\"anna\"]}}"
    #expect(rig.join([]).texts == [peers])
    let connected = "{\"t\":\"u\",\"m\":{\"f\":\"\(path)/bob\",\"o\":\"peer_connected\"},\"p\":{}}"
    #expect(rig.arrives("bob").texts == [connected])
    // Asked for again, the names come again.
    #expect(rig.say(#"{"t":"u","m":{"f":"x/anna","o":"peers"}}"#).frames.count == 1)
  }

  @Test(arguments: [
    "{}", "ping", "", "[]", "null", "\u{0}", "{\"eventName\":7}", "{\"t\":\"tm\",\"m\":{}}", "{\"t\":\"u\"}",
  ])
  func keepalivesAndNonsenseAreIgnored(text: String) {
    var rig = XirSysRig.joined(["bob"])
    #expect(rig.say(text).isEmpty)
  }

  @Test func aWrongTokenIsToldAsAString() {
    var rig = XirSysRig(opening: .invalidToken)
    let outputs = rig.drain()
    #expect(outputs == [.end(code: 1008, reason: "Token invalid")])
    #expect(XirSysFraming().closing(code: 1008, reason: "Token invalid") == "\"Token invalid\"")
    #expect(rig.say("{}").isEmpty)
  }

  @Test func aRefusedJoinIsToldInWords() {
    var rig = XirSysRig()
    guard case .join(let operation, _)? = rig.drain().first else {
      Issue.record("no join")
      return
    }
    let outputs = rig.feed(.refused(operation, RoomRefusal(.roomFull, "room is full")))
    #expect(outputs == [.end(code: 1008, reason: RoomRefusal(.roomFull, "room is full").description)])
  }

  @Test func anApplicationsOwnMessagesPassAsTheyAre() {
    var rig = XirSysRig.joined(["bob"])
    let outputs = rig.send("chat", to: "bob", ["text": "one two"])
    #expect(outputs.relayed.map(\.1) == ["bob"])
    var bob = XirSysRig.joined(["anna"])
    guard let message = outputs.relayed.first?.0 else {
      Issue.record("nothing is passed on")
      return
    }
    let inner = #"{"eventName":"chat","targetUserId":"anna","data":{"text":"one two"}}"#
    let text = "{\"type\":\"chat\",\"userid\":\"anna\",\"room\":\"take5\",\"message\":\(inner)}"
    #expect(bob.feed(.event(.relayed(message, from: "anna"))).texts == [text])
  }

  @Test(arguments: RoomPolicy.Topology.allCases)
  func nobodyIsToldOfMessagesToUsersWhoAreNotThere(topology: RoomPolicy.Topology) {
    var rig = XirSysRig.joined(["bob"], topology: topology)
    _ = rig.event(.left(KurentoSample.id("bob")))
    for name in ["bob", "carl"] {
      #expect(rig.send("chat", to: name, [:]).isEmpty)
      // Its sender's entry would stay and wait for ever.
      let outputs = rig.offer(to: name, connection: "c")
      #expect(outputs.told == ["bye \(name)"] && outputs.relayed.isEmpty && outputs.commands.isEmpty)
    }
  }

  @Test func inAMeshDescriptionsArePassedOn() {
    var rig = XirSysRig.joined(["bob"], topology: .mesh)
    let outputs = rig.offer(to: "bob", connection: "c1")
    #expect(outputs.commands.isEmpty && outputs.relayed.count == 1)
    #expect(outputs.relayed.first?.0.content == .offer(sdp: XirSysRig.offer))
    // The same from the other end, whose client is "anna" too.
    var receiver = XirSysRig.joined(["bob"], topology: .mesh)
    guard let message = outputs.relayed.first?.0 else { return }
    let frame = receiver.feed(.event(.relayed(message, from: "bob"))).frames.first
    let data = frame?["message"]?.object?["data"]?.object
    #expect(frame?["userid"] == "bob" && data?["connectionId"] == "c1")
    #expect(data?["offer"]?.object?["sdp"]?.string == XirSysRig.offer)
  }

  @Test(arguments: XirSysVocabulary.allCases, XirSysVocabulary.allCases)
  func everyVocabularySaysWhatTheOthersSay(from: XirSysVocabulary, to: XirSysVocabulary) {
    let candidate = CandidateMessage(candidate: "candidate:1 1 udp 1 192.0.2.1 9 typ host", mid: "audio", mLineIndex: 0)
    let contents: [XirSysMessage.Content] = [
      .offer(sdp: "v=0\r\n"), .answer(sdp: "v=0\r\n"), .candidate(candidate), .bye,
    ]
    for content in contents {
      let said = XirSysMessage(content, connection: "c").words(in: from)
      let read = parse(said, from)
      let again = parse(read.words(in: to), to)
      #expect(read.content == content && again.content == content, "\(from) \(to) \(content)")
      #expect(read.connection == "c" && again.connection == "c", "\(from) \(to) \(content)")
    }
  }

  private func parse(_ said: (name: String, data: JSONValue), _ vocabulary: XirSysVocabulary) -> XirSysMessage {
    switch vocabulary.framing {
    case .legacy: .legacy(name: said.name, data: said.data)
    case .channel: .channel(operation: said.name, payload: said.data)
    }
  }
}
