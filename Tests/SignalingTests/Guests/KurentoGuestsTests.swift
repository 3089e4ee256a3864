import Machines
import Music
import Testing

@testable import Signaling

/// A bot in a room of Kurento Room; a whole conversation with such a server is in BotTests.
struct KurentoGuestsTests {
  private static let start = MonotonicTime(nanoseconds: 1_000_000_000)
  private static let bob = GuestKey("bob")

  private func listener(token: String? = nil) throws -> KurentoGuests {
    KurentoGuests(
      room: try RoomName(checking: "take5"), name: try DisplayName(checking: "Jamjar"), token: token)
  }

  private func drain(_ guests: inout KurentoGuests) -> (sent: [JSONObject], asked: [GuestOutput]) {
    var sent: [JSONObject] = []
    var asked: [GuestOutput] = []
    while let output = guests.next() {
      if case .send(let text) = output {
        if let object = (try? JSONValue(parsing: text))?.object { sent.append(object) }
      } else {
        asked.append(output)
      }
    }
    return (sent, asked)
  }

  private func hear(_ guests: inout KurentoGuests, _ text: String) -> [GuestOutput] {
    guests.handle(.text(text), at: KurentoGuestsTests.start)
    return drain(&guests).asked
  }

  private func notify(_ guests: inout KurentoGuests, _ method: String, _ parameters: String) -> [GuestOutput] {
    hear(&guests, #"{"jsonrpc":"2.0","method":"\#(method)","params":\#(parameters)}"#)
  }

  /// Answers a request with these members of a result, or with an error.
  private func answer(
    _ guests: inout KurentoGuests, _ request: JSONObject, result: String? = nil, error: Int = 999
  ) -> [GuestOutput] {
    let id = request["id"]?.text ?? ""
    let outcome =
      result.map { #""result":{\#($0)"sessionId":"s"}"# }
      ?? #""error":{"code":\#(error),"message":"that is not possible","sessionId":"s"}"#
    return hear(&guests, #"{"jsonrpc":"2.0","id":\#(id),\#(outcome)}"#)
  }

  /// Joins, with bob, who publishes, in the room.
  private func joined(token: String? = nil) throws -> KurentoGuests {
    var guests = try listener(token: token)
    guests.begin(at: KurentoGuestsTests.start)
    let join = try #require(drain(&guests).sent.first)
    _ = answer(&guests, join, result: #""value":[{"id":"bob","streams":[{"id":"webcam"}]}],"#)
    return guests
  }

  /// The request for bob's sound.
  private func offer(_ guests: inout KurentoGuests) throws -> JSONObject {
    guests.handle(.offer(KurentoGuestsTests.bob, sdp: "v=0"), at: KurentoGuestsTests.start)
    return try #require(drain(&guests).sent.first)
  }

  @Test func whoPublishesIsInvitedOnceAndLeavesOnce() throws {
    var guests = try listener(token: "secret")
    guests.begin(at: KurentoGuestsTests.start)
    let join = try #require(drain(&guests).sent.first)
    #expect(join["method"] == "joinRoom")
    let expected: JSONValue = ["user": "Jamjar", "room": "take5", "token": "secret"]
    #expect(join["params"] == expected)
    let members = #""value":[{"id":"bob","streams":[{"id":"webcam"}]},{"id":"cy","streams":[]},{"id":"dan"}],"#
    let first = answer(&guests, join, result: members)
    let joined: [GuestOutput] = [.joined, .invited(KurentoGuestsTests.bob, name: "bob")]
    #expect(first == joined)

    let streams = #""streams":[{"id":"webcam"}]"#
    #expect(notify(&guests, "participantJoined", #"{"id":"cy"}"#).isEmpty)
    let second = notify(&guests, "participantPublished", #"{"id":"cy",\#(streams)}"#)
    let invited: [GuestOutput] = [.invited(GuestKey("cy"), name: "cy")]
    #expect(second == invited)
    #expect(notify(&guests, "participantPublished", #"{"id":"cy",\#(streams)}"#).isEmpty, "known already")
    #expect(notify(&guests, "participantPublished", #"{"id":"Jamjar",\#(streams)}"#).isEmpty, "the bot itself")

    let left: [GuestOutput] = [.left(GuestKey("cy"))]
    let third = notify(&guests, "participantUnpublished", #"{"name":"cy"}"#)
    #expect(third == left)
    #expect(notify(&guests, "participantLeft", #"{"name":"cy"}"#).isEmpty)
    #expect(notify(&guests, "participantLeft", #"{"name":"nobody"}"#).isEmpty)
  }

  @Test func anOfferIsAnsweredAndCandidatesGoBothWays() throws {
    var guests = try joined()
    let request = try offer(&guests)
    #expect(request["method"] == "receiveVideoFrom")
    let expected: JSONValue = ["sender": "bob_webcam", "sdpOffer": "v=0"]
    #expect(request["params"] == expected)
    let answered: [GuestOutput] = [.answered(KurentoGuestsTests.bob, sdp: "v=1")]
    let outputs = answer(&guests, request, result: #""sdpAnswer":"v=1","#)
    #expect(outputs == answered)

    let ours = CandidateMessage(candidate: "candidate:1 1 udp 1 192.0.2.1 9 typ host", mid: "0", mLineIndex: 0)
    guests.handle(.candidate(KurentoGuestsTests.bob, ours), at: KurentoGuestsTests.start)
    let sent = try #require(drain(&guests).sent.first)
    #expect(sent["method"] == "onIceCandidate")
    #expect(sent["params"]?.object?["endpointName"] == "bob")
    // Kurento has no word for the end, and nobody else has a connection.
    guests.handle(.candidate(KurentoGuestsTests.bob, .end), at: KurentoGuestsTests.start)
    guests.handle(.candidate(GuestKey("cy"), ours), at: KurentoGuestsTests.start)
    guests.handle(.offer(GuestKey("cy"), sdp: "v=0"), at: KurentoGuestsTests.start)
    #expect(drain(&guests).sent.isEmpty)

    let theirs = notify(
      &guests, "iceCandidate", #"{"endpointName":"bob","candidate":"candidate:2","sdpMid":"0","sdpMLineIndex":0}"#)
    let heard: [GuestOutput] = [
      .candidate(KurentoGuestsTests.bob, CandidateMessage(candidate: "candidate:2", mid: "0", mLineIndex: 0))
    ]
    #expect(theirs == heard)
  }

  /// A musician who does not play yet, or whose connection fails, is not given up.
  @Test func whoCannotBeHeardNowIsInvitedAgainLater() throws {
    let lost: [GuestOutput] = [.lost(KurentoGuestsTests.bob)]
    let invited: [GuestOutput] = [.invited(KurentoGuestsTests.bob, name: "bob")]
    var guests = try joined()
    let request = try offer(&guests)
    let refused = answer(&guests, request, error: 105)
    #expect(refused == lost)
    guests.advance(to: KurentoGuestsTests.start + GuestList.pause)
    #expect(drain(&guests).asked == invited)

    guests = try joined()
    guests.handle(.lost(KurentoGuestsTests.bob), at: KurentoGuestsTests.start)
    #expect(drain(&guests).asked == lost)
    guests.advance(to: KurentoGuestsTests.start + GuestList.pause)
    #expect(drain(&guests).asked == invited)
  }

  @Test func whatOthersSayIsHeardAndWhatTheBotSaysIsNot() throws {
    var guests = try joined()
    let heard = notify(&guests, "sendMessage", #"{"room":"take5","user":"bob","message":"!take"}"#)
    let said: [GuestOutput] = [.said(KurentoGuestsTests.bob, text: "!take")]
    #expect(heard == said)
    #expect(notify(&guests, "sendMessage", #"{"room":"take5","user":"Jamjar","message":"!take"}"#).isEmpty)
    guests.handle(.say("I record take 1"), at: KurentoGuestsTests.start)
    let sent = try #require(drain(&guests).sent.first)
    let expected: JSONValue = ["message": "I record take 1", "userMessage": "Jamjar", "roomMessage": "take5"]
    #expect(sent["method"] == "sendMessage")
    #expect(sent["params"] == expected)
  }

  /// After the loss of a link, the place of before keeps the bot's name.
  @Test func aTakenNameIsFollowedByANumber() throws {
    var guests = try listener()
    guests.begin(at: KurentoGuestsTests.start)
    var names: [String] = []
    var fault: GuestFault?
    var (sent, asked) = drain(&guests)
    while let join = sent.first, fault == nil {
      names.append(join["params"]?.object?["user"]?.string ?? "")
      let id = join["id"]?.text ?? ""
      guests.handle(
        .text(#"{"jsonrpc":"2.0","id":\#(id),"error":{"code":104,"message":"that is not possible"}}"#),
        at: KurentoGuestsTests.start)
      (sent, asked) = drain(&guests)
      if case .over(let end)? = asked.last { fault = end }
    }
    #expect(names == ["Jamjar", "Jamjar 2", "Jamjar 3", "Jamjar 4"])
    #expect(fault?.kind == .full)
  }

  @Test(arguments: [(201, GuestFault.Kind.full), (203, .lost), (999, .refused), (-32_601, .refused)])
  func aRefusedJoinEndsTheVisitWithItsSentence(code: Int, kind: GuestFault.Kind) throws {
    var guests = try listener()
    guests.begin(at: KurentoGuestsTests.start)
    let join = try #require(drain(&guests).sent.first)
    let outputs = answer(&guests, join, error: code)
    guard case .over(let fault) = outputs.last else {
      Issue.record("the visit goes on: \(outputs)")
      return
    }
    #expect(fault.kind == kind)
    #expect(fault.description.contains("that is not possible"))
    #expect(guests.deadline == nil)
  }

  @Test(arguments: [
    (#"{"jsonrpc":"2.0","method":"participantEvicted","params":{}}"#, GuestFault.Kind.refused),
    (#"{"jsonrpc":"2.0","method":"roomClosed","params":{"room":"take5"}}"#, .lost),
    (#"{"janus":"ack"}"#, .nonsense), ("no JSON", .nonsense),
    (#"{"jsonrpc":"2.0","id":77,"result":{"sessionId":"s"}}"#, .nonsense),
  ])
  func whatEndsAVisit(text: String, kind: GuestFault.Kind) throws {
    var guests = try joined()
    let outputs = hear(&guests, text)
    guard case .over(let fault) = outputs.last else {
      Issue.record("the visit goes on: \(outputs)")
      return
    }
    #expect(fault.kind == kind)
    let streams = #""streams":[{"id":"webcam"}]"#
    #expect(notify(&guests, "participantPublished", #"{"id":"cy",\#(streams)}"#).isEmpty, "nothing follows")
  }

  @Test func theBotLeavesWithAWord() throws {
    var guests = try joined()
    guests.handle(.leave, at: KurentoGuestsTests.start)
    let (sent, asked) = drain(&guests)
    #expect(sent.map { $0["method"] } == ["leaveRoom"])
    let over: [GuestOutput] = [.over(.left)]
    #expect(asked == over)
  }

  @Test func aServerThatFallsSilentIsLeft() throws {
    var guests = try joined()
    let later = KurentoGuestsTests.start + LinkWatch.interval
    guests.advance(to: later)
    let sign = try #require(drain(&guests).sent.first)
    #expect(sign["method"] == "ping")
    guests.advance(to: later + LinkWatch.patience)
    let over: [GuestOutput] = [.over(.silent)]
    #expect(drain(&guests).asked == over)
    #expect(guests.deadline == nil)
  }
}
