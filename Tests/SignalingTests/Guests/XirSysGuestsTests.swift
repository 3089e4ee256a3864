import Machines
import Testing

@testable import Signaling

/// A bot as a peer of a mesh; whole conversations with such a server are in BotRoomsTests.
struct XirSysGuestsTests {
  private static let start = MonotonicTime(nanoseconds: 1_000_000_000)
  private static let bob = GuestKey("bob")
  private static let answer = "v=0\r\na=group:BUNDLE 0\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=mid:0\r\n"

  /// A bot with what it has said, and what it has asked its shell for.
  private struct Visit {
    var guests: XirSysGuests
    var sent: [JSONObject] = []
    var asked: [GuestOutput] = []

    init(_ vocabulary: XirSysVocabulary = .perch) {
      guests = XirSysGuests(name: "Jamjar", path: "studio/app/jam", vocabulary: vocabulary, prefix: "c")
      guests.begin(at: XirSysGuestsTests.start)
      drain()
    }

    mutating func hear(_ text: String, at now: MonotonicTime = XirSysGuestsTests.start) { tell(.text(text), at: now) }

    mutating func tell(_ input: GuestInput, at now: MonotonicTime = XirSysGuestsTests.start) {
      guests.handle(input, at: now)
      drain()
    }

    mutating func wait(until now: MonotonicTime) {
      guests.advance(to: now)
      drain()
    }

    private mutating func drain() {
      (sent, asked) = ([], [])
      while let output = guests.next() {
        if case .send(let text) = output {
          if let object = (try? JSONValue(parsing: text))?.object { sent.append(object) }
        } else {
          asked.append(output)
        }
      }
    }

    // In the words of PerchRTC.

    mutating func peers(_ names: String) {
      hear(#"{"type":"peers","userid":"server","room":"jam","message":{"users":[\#(names)]}}"#)
    }

    mutating func presence(_ word: String, _ name: String = "bob", at now: MonotonicTime = XirSysGuestsTests.start) {
      hear(#"{"type":"\#(word)","userid":"\#(name)","room":"jam","message":"\#(name)"}"#, at: now)
    }

    mutating func says(_ word: String, _ data: String, at now: MonotonicTime = XirSysGuestsTests.start) {
      let inner = #"{"eventName":"\#(word)","targetUserId":"Jamjar","data":\#(data)}"#
      hear(#"{"type":"\#(word)","userid":"bob","room":"jam","message":\#(inner)}"#, at: now)
    }

    mutating func offers(_ connection: String = "5D0C", at now: MonotonicTime = XirSysGuestsTests.start) {
      let offer = #"{"sdp":"v=0\r\nm=audio 9 X 111\r\n","type":"offer"}"#
      says("offer", #"{"connectionId":"\#(connection)","offer":\#(offer)}"#, at: now)
    }

    /// Bob was there and has a connection.
    static func withBob() -> Visit {
      var visit = Visit()
      visit.peers(#""bob","Jamjar""#)
      visit.offers()
      visit.tell(.answer(XirSysGuestsTests.bob, sdp: XirSysGuestsTests.answer))
      return visit
    }
  }

  @Test func whoIsThereIsAnsweredAndWhoComesIsOfferedTo() {
    var visit = Visit()
    visit.peers(#"{"id":"bob"},"Jamjar""#)
    let joined: [GuestOutput] = [.joined]
    #expect(visit.asked == joined, "bob has seen the bot come, and offers")
    visit.offers()
    let sdp = "v=0\r\nm=audio 9 X 111\r\n"
    let offered: [GuestOutput] = [.offered(XirSysGuestsTests.bob, name: "bob", sdp: sdp)]
    #expect(visit.asked == offered)
    visit.tell(.answer(XirSysGuestsTests.bob, sdp: XirSysGuestsTests.answer))
    let data = visit.sent.first?["data"]?.object
    #expect(visit.sent.first?["eventName"] == "answer")
    #expect(visit.sent.first?["targetUserId"] == "bob")
    #expect(data?["connectionId"] == "5D0C")
    #expect(data?["answer"]?.object?["sdp"]?.string == XirSysGuestsTests.answer)
    visit.tell(.candidate(XirSysGuestsTests.bob, CandidateMessage(candidate: "candidate:1")))
    let candidate: JSONValue = ["label": 0, "id": "0", "candidate": "candidate:1"]
    #expect(visit.sent.first?["data"]?.object?["iceCandidate"] == candidate)
    visit.tell(.candidate(XirSysGuestsTests.bob, .end))
    #expect(visit.sent.isEmpty)

    let cy = GuestKey("cy")
    visit.presence("peer_connected", "cy")
    let invited: [GuestOutput] = [.invited(cy, name: "cy")]
    #expect(visit.asked == invited)
    visit.presence("peer_connected", "cy")
    visit.presence("peer_connected", "Jamjar")
    #expect(visit.asked.isEmpty)
    visit.tell(.offer(cy, sdp: XirSysGuestsTests.answer))
    let offer = visit.sent.first?["data"]?.object
    #expect(visit.sent.first?["eventName"] == "offer")
    #expect(offer?["connectionId"] == "c-1")
    #expect(offer?["offer"]?.object?["sdp"]?.string?.contains("m=video") == true, "PerchRTC ends without one")
  }

  @Test func theAnswerIsCutToItsSoundAndMayBeOfAFormerConnection() {
    var visit = Visit()
    visit.peers(#""Jamjar""#)
    visit.presence("peer_connected")
    visit.tell(.offer(XirSysGuestsTests.bob, sdp: XirSysGuestsTests.answer))
    let both = #"v=0\r\nm=audio 9 X 111\r\na=mid:audio\r\nm=video 9 X 100\r\na=mid:video\r\n"#
    visit.says("answer", #"{"connectionId":"old","answer":{"sdp":"\#(both)","type":"answer"}}"#)
    #expect(visit.asked.isEmpty)
    visit.says("answer", #"{"connectionId":"c-1","answer":{"sdp":"\#(both)","type":"answer"}}"#)
    let answered: [GuestOutput] = [
      .answered(XirSysGuestsTests.bob, sdp: "v=0\r\nm=audio 9 X 111\r\na=mid:audio\r\n")
    ]
    #expect(visit.asked == answered)
    visit.says("answer", #"{"connectionId":"c-1","answer":{"sdp":"\#(both)","type":"answer"}}"#)
    #expect(visit.asked.isEmpty, "one answer to an offer")
    let ice = #"{"connectionId":"c-1","iceCandidate":{"label":%,"id":"","candidate":"candidate:2"}}"#
    visit.says("ice", ice.replacing("%", with: "1"))
    #expect(visit.asked.isEmpty, "of the pictures")
    visit.says("ice", ice.replacing("%", with: "0"))
    let candidate: [GuestOutput] = [.candidate(XirSysGuestsTests.bob, CandidateMessage(candidate: "candidate:2"))]
    #expect(visit.asked == candidate)
  }

  /// PerchRTC offers anew whenever the number of its connections changes.
  @Test func anOfferOnTheSameConnectionRenewsItAndAnotherOneReplacesIt() {
    var visit = Visit.withBob()
    visit.offers()
    let sdp = "v=0\r\nm=audio 9 X 111\r\n"
    let renewed: [GuestOutput] = [.reoffered(XirSysGuestsTests.bob, sdp: sdp)]
    #expect(visit.asked == renewed)
    visit.tell(.answer(XirSysGuestsTests.bob, sdp: XirSysGuestsTests.answer))
    #expect(visit.sent.first?["data"]?.object?["connectionId"] == "5D0C")
    visit.offers("6E1D")
    let replaced: [GuestOutput] = [.offered(XirSysGuestsTests.bob, name: "bob", sdp: sdp)]
    #expect(visit.asked == replaced)
  }

  /// The complaint about XirSys: a presence that was missed, and both wait for ever.
  @Test func whoDoesNotOfferIsOfferedTo() {
    var visit = Visit()
    visit.peers(#""bob","Jamjar""#)
    let late = XirSysGuestsTests.start + GuestList.patience
    visit.wait(until: late)
    let lost: [GuestOutput] = [.lost(XirSysGuestsTests.bob)]
    #expect(visit.asked == lost)
    visit.wait(until: late + GuestList.pause)
    let invited: [GuestOutput] = [.invited(XirSysGuestsTests.bob, name: "bob")]
    #expect(visit.asked == invited)
    visit.tell(.offer(XirSysGuestsTests.bob, sdp: XirSysGuestsTests.answer), at: late + GuestList.pause)
    #expect(visit.sent.first?["eventName"] == "offer")
    // The other end has a connection that we do not have any more: it refuses, and is asked later.
    visit.says("bye", #"{"connectionId":"c-1","bye":{}}"#, at: late + GuestList.pause)
    #expect(visit.asked == lost)
    // Meanwhile it offers by itself.
    visit.offers("7F2E", at: late + GuestList.pause)
    #expect(visit.asked.count == 1)
    visit.wait(until: late + .seconds(60))
    #expect(!visit.asked.contains(.invited(XirSysGuestsTests.bob, name: "bob")))
  }

  @Test func aGoodbyeEndsTheConnectionThatItNames() {
    var visit = Visit.withBob()
    visit.says("bye", #"{"connectionId":"old","bye":{}}"#)
    #expect(visit.asked.isEmpty)
    visit.says("bye", #"{"connectionId":"5D0C","bye":{}}"#)
    let left: [GuestOutput] = [.left(XirSysGuestsTests.bob)]
    #expect(visit.asked == left)
    visit.presence("peer_removed")
    #expect(visit.asked.isEmpty)
    visit.presence("peer_connected")
    #expect(visit.asked.count == 1, "bob is new")
  }

  @Test func whoHangsUpAndStaysIsOfferedToAgain() {
    var visit = Visit.withBob()
    visit.says("bye", #"{"connectionId":"5D0C","bye":{}}"#)
    visit.wait(until: XirSysGuestsTests.start + GuestList.pause)
    let invited: [GuestOutput] = [.invited(XirSysGuestsTests.bob, name: "bob")]
    #expect(visit.asked == invited)
    visit.tell(.offer(XirSysGuestsTests.bob, sdp: XirSysGuestsTests.answer))
    #expect(visit.sent.first?["eventName"] == "offer")
    visit.presence("peer_removed")
    let left: [GuestOutput] = [.left(XirSysGuestsTests.bob)]
    #expect(visit.asked == left)
  }

  @Test func aGoodbyeAfterTheEndOfTheMediaIsADepartureOnce() {
    let left: [GuestOutput] = [.left(XirSysGuestsTests.bob)]
    var visit = Visit.withBob()
    visit.tell(.lost(XirSysGuestsTests.bob))
    visit.says("bye", #"{"connectionId":"old","bye":{}}"#)
    #expect(visit.asked.isEmpty, "of another connection")
    visit.says("bye", #"{"connectionId":"5D0C","bye":{}}"#)
    #expect(visit.asked == left)
    visit.says("bye", #"{"connectionId":"5D0C","bye":{}}"#)
    #expect(visit.asked.isEmpty)
    visit.presence("peer_removed")
    #expect(visit.asked.isEmpty, "that was said already")
  }

  /// Presence is the socket's: the sound may go on without it.
  @Test func whoseSocketIsGoneIsHeardUntilTheSoundIsGone() {
    var visit = Visit.withBob()
    visit.presence("peer_removed")
    #expect(visit.asked.isEmpty)
    visit.presence("peer_connected")
    #expect(visit.asked.isEmpty, "the connection stands")
    visit.tell(.lost(XirSysGuestsTests.bob))
    let lost: [GuestOutput] = [.lost(XirSysGuestsTests.bob)]
    #expect(visit.asked == lost)
    #expect(visit.sent.first?["eventName"] == "bye", "an answering PerchRTC waits for a restart otherwise")

    visit = Visit.withBob()
    visit.presence("peer_removed")
    visit.tell(.lost(XirSysGuestsTests.bob))
    let left: [GuestOutput] = [.left(XirSysGuestsTests.bob)]
    #expect(visit.asked == left)

    visit = Visit()
    visit.peers(#""bob","Jamjar""#)
    visit.presence("peer_removed")
    #expect(visit.asked == left, "without a connection there is nothing to wait for")
  }

  /// Each is answered in their own words, whatever the bot's are.
  @Test(arguments: [
    (
      XirSysVocabulary.perch,
      #"{"type":"receiveoffer","userid":"bob","message":{"data":{"offer":{"offer":"v=0"}}}}"#, "receiveanswer"
    ),
    (.perch, #"{"type":"offer","userid":"bob","message":{"data":{"offer":{"sdp":"v=0"}}}}"#, "answer"),
    (.message, #"{"t":"u","m":{"f":"a/jam/bob","o":"message"},"p":{"msg":{"type":"offer","sdp":"v=0"}}}"#, "message"),
    (.message, #"{"t":"u","m":{"f":"a/jam/bob","o":"session"},"p":{"type":"offer","sdp":"v=0"}}"#, "session"),
  ])
  func everybodyIsAnsweredInTheirWords(vocabulary: XirSysVocabulary, offer: String, word: String) {
    var visit = Visit(vocabulary)
    visit.hear(offer)
    let offered: [GuestOutput] = [.offered(XirSysGuestsTests.bob, name: "bob", sdp: "v=0")]
    #expect(visit.asked == offered)
    visit.tell(.answer(XirSysGuestsTests.bob, sdp: XirSysGuestsTests.answer))
    let said = visit.sent.first?["eventName"]?.string ?? visit.sent.first?["m"]?.object?["o"]?.string
    #expect(said == word)
    if vocabulary == .message {
      let head: JSONValue = ["f": "studio/app/jam/Jamjar", "o": .string(word), "t": "bob"]
      #expect(visit.sent.first?["m"] == head)
    }
  }

  @Test func theBotSaysGoodbyeToEverybody() {
    var visit = Visit.withBob()
    visit.presence("peer_connected", "cy")
    visit.tell(.leave)
    #expect(visit.sent.map { $0["eventName"] } == ["bye"], "cy has no connection yet")
    let over: [GuestOutput] = [.over(.left)]
    #expect(visit.asked == over)
  }

  @Test(arguments: [
    (#""Token invalid""#, GuestFault.Kind.refused), (#""the service stops""#, .lost), ("no JSON", .nonsense),
  ])
  func whatEndsAVisit(text: String, kind: GuestFault.Kind) {
    var visit = Visit()
    visit.hear(text)
    guard case .over(let fault) = visit.asked.last else {
      Issue.record("the visit goes on: \(visit.asked)")
      return
    }
    #expect(fault.kind == kind)
  }

  @Test func aServerThatNeverSpeaksIsLeftAndAQuietOneIsNot() {
    var silent = Visit()
    silent.wait(until: XirSysGuestsTests.start + LinkWatch.patience)
    let over: [GuestOutput] = [.over(.silent)]
    #expect(silent.asked == over)
    var quiet = Visit()
    quiet.peers(#""Jamjar""#)
    for minute in 1...60 { quiet.wait(until: XirSysGuestsTests.start + .seconds(Int64(minute) * 60)) }
    #expect(quiet.asked.isEmpty)
    #expect(quiet.sent.isEmpty)
  }

  @Test func theBrokersAnswersAreRead() throws {
    let (old, new) = (XirSysGuestsTests.entrance(.legacy), XirSysGuestsTests.entrance(.channel))
    let form = "ident=band&secret=s%263&domain=default&application=app&room=jam&username=Jam%20jar&secure=1"
    #expect(old.token.form == form)
    #expect(new.token.target == "/_token/app/jam?k=Jam%20jar&expire=60")
    #expect(new.token.authorization == "Basic YmFuZDpzJjM=")
    let token = try old.token(in: #"{"s":200,"e":null,"d":{"token":"6f/1c"}}"#, status: 200)
    #expect(old.target(of: token, below: "/") == "/6f%2F1c")
    let base = try new.sockets(in: #"{"s":"ok","v":"wss://ws.example/sub"}"#, status: 200)
    #expect(base == "wss://ws.example/sub")
    #expect(new.target(of: "t", below: "/sub") == "/sub/v2/t")
  }

  private static func entrance(_ framing: XirSysVocabulary.Framing) -> XirSysEntrance {
    XirSysEntrance(channel: ["app", "jam"], user: "Jam jar", ident: "band", secret: "s&3", framing: framing)
  }

  @Test(arguments: [
    (XirSysVocabulary.Framing.legacy, #"{"s":401,"e":"Unauthorized","d":null}"#, 200, GuestFault.Kind.refused),
    (.legacy, #"{"s":403,"e":"the room is full","d":null}"#, 200, .full),
    (.legacy, #"{"s":409,"e":"the name is taken","d":null}"#, 200, .full),
    (.legacy, #"{"s":503,"e":"the service stops","d":null}"#, 200, .lost),
    (.legacy, #"{"s":200,"e":null,"d":{}}"#, 200, .nonsense),
    (.channel, #"{"s":"error","v":"unauthorized"}"#, 401, .refused),
    (.channel, #"{"s":"error","v":"locked"}"#, 403, .full),
    (.channel, #"{"s":"error","v":"internal"}"#, 500, .lost), (.channel, #"{"s":"ok"}"#, 200, .nonsense),
    (.channel, "<html>", 404, .refused), (.channel, "<html>", 502, .lost),
  ])
  func aRefusalOfTheBrokerSaysWhatItMeans(
    framing: XirSysVocabulary.Framing, answer: String, status: Int, kind: GuestFault.Kind
  ) {
    let fault = #expect(throws: GuestFault.self) {
      try XirSysGuestsTests.entrance(framing).token(in: answer, status: status)
    }
    #expect(fault?.kind == kind)
  }
}
