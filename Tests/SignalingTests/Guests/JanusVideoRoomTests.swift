import Machines
import Testing

@testable import Signaling

/// The texts of the server are those of Debian's Janus 1.1.2, shortened.
struct JanusVideoRoomTests {
  private static let start = MonotonicTime(nanoseconds: 1_000_000_000)

  private static func time(_ seconds: Int64) -> MonotonicTime { start + .seconds(seconds) }

  /// A client with what it has said, and what it has asked its shell for.
  private struct Visit: ~Copyable {
    var client: JanusVideoRoom
    var sent: [JSONObject] = []
    var asked: [GuestOutput] = []

    init(_ room: JanusRoom) {
      client = JanusVideoRoom(room)
      client.begin(at: JanusVideoRoomTests.start)
      drain()
    }

    mutating func hear(_ text: String, at now: MonotonicTime = JanusVideoRoomTests.start) {
      client.handle(.text(text), at: now)
      drain()
    }

    mutating func tell(_ input: GuestInput, at now: MonotonicTime = JanusVideoRoomTests.start) {
      client.handle(input, at: now)
      drain()
    }

    mutating func wait(until now: MonotonicTime) {
      client.advance(to: now)
      drain()
    }

    private mutating func drain() {
      while let output = client.next() {
        if case .send(let text) = output {
          if let object = (try? JSONValue(parsing: text))?.object { sent.append(object) }
        } else {
          asked.append(output)
        }
      }
    }

    /// The last request, without its transaction.
    var last: JSONValue? {
      guard var object = sent.last else { return nil }
      object["transaction"] = nil
      return .object(object)
    }

    var transaction: String { sent.last?["transaction"]?.string ?? "" }

    /// Comes as far as the room.
    mutating func join() {
      hear(#"{"janus":"success","transaction":"\#(transaction)","data":{"id":63}}"#)
      hear(#"{"janus":"success","session_id":63,"transaction":"\#(transaction)","data":{"id":33}}"#)
      let request = transaction
      hear(#"{"janus":"ack","session_id":63,"transaction":"\#(request)"}"#)
      hear(
        #"""
        {"janus":"event","session_id":63,"transaction":"\#(request)","sender":33,"plugindata":{"plugin":
        "janus.plugin.videoroom","data":{"videoroom":"joined","room":1234,"id":76,"private_id":2,"publishers":[]}}}
        """#)
    }

    /// Ada publishes; Janus makes a handle for the subscription.
    mutating func hearAda() {
      hear(JanusVideoRoomTests.published)
      hear(#"{"janus":"success","session_id":63,"transaction":"\#(transaction)","data":{"id":40}}"#)
    }

    mutating func hearOffer() {
      hear(
        #"""
        {"janus":"event","session_id":63,"transaction":"\#(transaction)","sender":40,"plugindata":{"plugin":
        "janus.plugin.videoroom","data":{"videoroom":"attached","room":1234}},"jsep":{"type":"offer","sdp":"v=0"}}
        """#)
    }
  }

  private static let published = #"""
    {"janus":"event","session_id":63,"sender":33,"plugindata":{"plugin":"janus.plugin.videoroom","data":{"videoroom":
    "event","room":1234,"publishers":[{"id":75,"display":"Ada","audio_codec":"opus","streams":[{"type":"video","mid":"1"},
    {"type":"audio","mindex":0,"mid":"0","codec":"opus"}]}]}}}
    """#

  private static let ada = GuestKey("75")

  @Test func joinsSubscribesToTheSoundAnswersAndLeaves() {
    var visit = Visit(JanusRoom(.videoRoom, room: "1234", display: "Jamjar", pin: "sesame", token: "t", secret: "s"))
    let create: JSONValue = ["janus": "create", "token": "t", "apisecret": "s"]
    #expect(visit.last == create)
    visit.join()
    let join: JSONValue = [
      "janus": "message", "session_id": 63, "token": "t", "apisecret": "s", "handle_id": 33,
      "body": [
        "request": "join", "ptype": "publisher", "room": 1234, "display": "Jamjar", "pin": "sesame",
      ],
    ]
    #expect(visit.last == join)
    let joined: [GuestOutput] = [.joined]
    #expect(visit.asked == joined)
    visit.hearAda()
    let body = visit.last?.object?["body"]
    let subscription: JSONValue = [
      "request": "join", "ptype": "subscriber", "room": 1234, "streams": [["feed": 75, "mid": "0"]], "pin": "sesame",
      "private_id": 2,
    ]
    #expect(body == subscription)
    visit.hearOffer()
    let offered = GuestOutput.offered(JanusVideoRoomTests.ada, name: "Ada", sdp: "v=0")
    #expect(visit.asked.last == offered)
    visit.tell(.answer(JanusVideoRoomTests.ada, sdp: "v=1"))
    let jsep: JSONValue = ["type": "answer", "sdp": "v=1"]
    #expect(visit.last?.object?["jsep"] == jsep)
    #expect(visit.last?.object?["handle_id"] == 40)
    visit.hear(
      #"{"janus":"event","sender":33,"plugindata":{"data":{"videoroom":"event","room":1234,"leaving":75}}}"#)
    let left = GuestOutput.left(JanusVideoRoomTests.ada)
    #expect(visit.asked.last == left)
    visit.tell(.leave)
    #expect(visit.last?.object?["janus"] == "destroy")
    let over = GuestOutput.over(.left)
    #expect(visit.asked.last == over)
  }

  @Test func whoseMediaIsGoneIsSubscribedToAgainAfterAWhile() {
    var visit = Visit(JanusRoom(.videoRoom, room: "1234", display: "Jamjar"))
    visit.join()
    visit.hearAda()
    visit.hearOffer()
    visit.hear(#"{"janus":"hangup","session_id":63,"sender":40,"reason":"DTLS alert"}"#)
    let lost = GuestOutput.lost(JanusVideoRoomTests.ada)
    #expect(visit.asked.last == lost)
    #expect(visit.last?.object?["janus"] == "detach")
    let count = visit.sent.count
    visit.wait(until: JanusVideoRoomTests.time(4))
    #expect(visit.sent.count == count)
    visit.wait(until: JanusVideoRoomTests.time(5))
    #expect(visit.last?.object?["janus"] == "attach")
  }

  @Test func aPublisherOfPicturesIsNotHeard() {
    var visit = Visit(JanusRoom(.videoRoom, room: "1234", display: "Jamjar"))
    visit.join()
    let count = visit.sent.count
    visit.hear(
      #"{"janus":"event","sender":33,"plugindata":{"data":{"videoroom":"event","publishers":[{"id":9,"streams":[{"type":"video","mid":"0"}]}]}}}"#
    )
    #expect(visit.sent.count == count)
  }

  @Test func aRoomThatDoesNotExistIsARefusalAndAForgottenSessionALoss() {
    var visit = Visit(JanusRoom(.videoRoom, room: "9", display: "Jamjar"))
    visit.hear(#"{"janus":"success","transaction":"\#(visit.transaction)","data":{"id":63}}"#)
    visit.hear(#"{"janus":"success","transaction":"\#(visit.transaction)","data":{"id":33}}"#)
    visit.hear(
      #"{"janus":"event","transaction":"\#(visit.transaction)","sender":33,"plugindata":{"data":{"videoroom":"event","error_code":426,"error":"No such room (9)"}}}"#
    )
    guard case .over(let fault) = visit.asked.last else {
      Issue.record("the visit goes on")
      return
    }
    #expect(fault.kind == .refused)
    #expect(fault.description.contains("No such room (9)"))
    var other = Visit(JanusRoom(.videoRoom, room: "1234", display: "Jamjar"))
    other.join()
    other.hear(#"{"janus":"timeout","session_id":63}"#)
    guard case .over(let loss) = other.asked.last else {
      Issue.record("the visit goes on")
      return
    }
    #expect(loss.kind == .lost)
  }

  @Test(arguments: ["", "[]", "{}", "no JSON", #"{"janus":5}"#, #"{"event":"joined"}"#])
  func nonsenseEndsTheVisit(_ text: String) {
    var visit = Visit(JanusRoom(.videoRoom, room: "1234", display: "Jamjar"))
    visit.hear(text)
    guard case .over(let fault) = visit.asked.last else {
      Issue.record("the visit goes on")
      return
    }
    #expect(fault.kind == .nonsense)
  }

  @Test func aServerThatNeverAnswersIsGivenUpAndAQuietOneIsKeptAlive() {
    var silent = Visit(JanusRoom(.videoRoom, room: "1234", display: "Jamjar"))
    silent.wait(until: JanusVideoRoomTests.time(11))
    #expect(silent.asked.isEmpty)
    silent.wait(until: JanusVideoRoomTests.time(12))
    let over: [GuestOutput] = [.over(.silent)]
    #expect(silent.asked == over)
    var quiet = Visit(JanusRoom(.videoRoom, room: "1234", display: "Jamjar"))
    quiet.join()
    quiet.wait(until: JanusVideoRoomTests.time(20))
    #expect(quiet.last?.object?["janus"] == "keepalive")
    quiet.hear(
      #"{"janus":"ack","session_id":63,"transaction":"\#(quiet.transaction)"}"#, at: JanusVideoRoomTests.time(21))
    quiet.wait(until: JanusVideoRoomTests.time(35))
    let joined: [GuestOutput] = [.joined]
    #expect(quiet.asked == joined)
  }

  @Test(arguments: ["control", "create", "detach", "trickle", "keepalive", "room"])
  func aPublisherMayHaveAnyIdentifier(_ id: String) {
    var visit = Visit(JanusRoom(.videoRoom, room: "jam", display: "Jamjar"))
    visit.join()
    visit.hear(
      #"{"janus":"event","sender":33,"plugindata":{"data":{"videoroom":"event","publishers":[{"id":"\#(id)","display":"Eve","streams":[{"type":"audio","mid":"0"}]}]}}}"#
    )
    visit.hear(#"{"janus":"ack","session_id":63,"transaction":"\#(visit.transaction)"}"#)
    visit.hear(#"{"janus":"success","session_id":63,"transaction":"\#(visit.transaction)","data":{"id":40}}"#)
    let body = visit.last?.object?["body"]?.object
    #expect(body?["ptype"] == "subscriber")
    #expect(visit.last?.object?["session_id"] == 63)
    visit.hearOffer()
    let offered = GuestOutput.offered(GuestKey(id), name: "Eve", sdp: "v=0")
    #expect(visit.asked.last == offered)
  }

  @Test func aSubscriptionThatIsNeverAnsweredIsAskedForAgainEverMoreSeldom() {
    var visit = Visit(JanusRoom(.videoRoom, room: "1234", display: "Jamjar"))
    visit.join()
    visit.hear(JanusVideoRoomTests.published)
    var attempts: [Int64] = []
    for second in 1...120 {
      let now = JanusVideoRoomTests.time(Int64(second))
      let count = visit.sent.count
      visit.wait(until: now)
      for request in visit.sent[count...] {
        if request["janus"] == "attach" { attempts.append(Int64(second)) }
        // Janus lives, but does not answer what concerns Ada.
        if request["janus"] == "keepalive" {
          visit.hear(#"{"janus":"ack","transaction":"\#(visit.transaction)"}"#, at: now)
        }
      }
      visit.hear(#"{"janus":"webrtcup","sender":1}"#, at: now)
    }
    #expect(attempts == [20, 45, 80])
  }

  @Test func aSecondHandleForTheSamePublisherIsGivenBack() {
    var visit = Visit(JanusRoom(.videoRoom, room: "1234", display: "Jamjar"))
    visit.join()
    visit.hear(JanusVideoRoomTests.published)
    let first = visit.transaction
    visit.hear(
      #"{"janus":"event","sender":33,"plugindata":{"data":{"videoroom":"event","room":1234,"leaving":75}}}"#)
    visit.hear(JanusVideoRoomTests.published)
    let second = visit.transaction
    visit.hear(#"{"janus":"success","transaction":"\#(first)","data":{"id":40}}"#)
    visit.hear(#"{"janus":"success","transaction":"\#(second)","data":{"id":41}}"#)
    #expect(visit.last?.object?["janus"] == "detach")
    #expect(visit.last?.object?["handle_id"] == 41)
  }

  @Test func thousandsOfPublishersWithEndlessNamesAreBounded() {
    var visit = Visit(JanusRoom(.videoRoom, room: "1234", display: "Jamjar"))
    visit.join()
    let count = visit.sent.count
    let publishers = (0..<5_000).map { #"{"id":\#($0),"display":"Eve","streams":[{"type":"audio","mid":"0"}]}"# }
    let list = publishers.joined(separator: ",")
    visit.hear(
      #"{"janus":"event","sender":33,"plugindata":{"data":{"videoroom":"event","publishers":[\#(list)]}}}"#)
    #expect(visit.sent.count - count == 64)
    var other = Visit(JanusRoom(.videoRoom, room: "1234", display: "Jamjar"))
    other.join()
    let before = other.sent.count
    let id = String(repeating: "x", count: 300)
    other.hear(
      #"{"janus":"event","sender":33,"plugindata":{"data":{"videoroom":"event","publishers":[{"id":"\#(id)","streams":[{"type":"audio","mid":"0"}]}]}}}"#
    )
    #expect(other.sent.count == before)
  }

  @Test func roomsCanHaveNames() {
    #expect(JanusRoom(.videoRoom, room: "1234", display: "x").identifier == 1234)
    #expect(JanusRoom(.videoRoom, room: "jam", display: "x").identifier == "jam")
  }
}
