import Music
import Testing

@testable import Signaling

/// What clients should not send: told in their form, and the connection is kept.
@Suite struct RemonInputTests {
  @Test(arguments: [
    ("no JSON", "{\"command\":"), ("an array", "[]"), ("no command", "{\"token\":\"tok-anna\"}"),
    ("a code that is a number", "{\"command\":\"message\",\"token\":\"tok-anna\",\"code\":500}"),
    ("a body that is an object", "{\"command\":\"sdp\",\"token\":\"tok-anna\",\"body\":{\"type\":\"offer\"}}"),
    ("a body that is no JSON", "{\"command\":\"sdp\",\"token\":\"tok-anna\",\"body\":\"v=0\"}"),
    ("a channel that is a text", "{\"command\":\"connect\",\"token\":\"tok-anna\",\"channel\":\"take5\"}"),
    ("an unknown type", "{\"command\":\"connect\",\"token\":\"tok-anna\",\"channel\":{\"id\":\"x\",\"type\":\"Q\"}}"),
    ("an unknown command", "{\"command\":\"dance\",\"token\":\"tok-anna\"}"),
    ("an unknown state", "{\"command\":\"stateChange\",\"token\":\"tok-anna\",\"body\":\"HAPPY\"}"),
    ("an unknown layer", "{\"command\":\"switchStream\",\"token\":\"tok-anna\",\"body\":\"TINY\"}"),
    ("health that is no JSON", "{\"command\":\"health\",\"token\":\"tok-anna\",\"body\":\"fine\"}"),
    ("a second channel", "{\"command\":\"connect\",\"token\":\"tok-anna\",\"channel\":{\"id\":\"again\"}}"),
  ])
  func isAnsweredAndTheConnectionKept(what: String, text: String) {
    var rig = RemonRig.call(["bob"])
    let outputs = rig.say(text)
    #expect(outputs.told == ["onError 500"], "\(what): \(outputs)")
    #expect(outputs.asked.isEmpty && outputs.end == nil, "\(what)")
    let sentence = outputs.frames.first?["body"]?.string ?? ""
    #expect(sentence.count > 10, "\(what): \(sentence)")
    #expect(rig.send("message", ["body": "still here"]).asked.count == 1, "\(what)")
  }

  @Test(arguments: ["abc", "with blank", "한국어채널", "a/b/c/d", String(repeating: "a", count: 1_025)])
  func channelIDsHaveFourTo1024LettersAndDigits(id: String) {
    let rig = RemonRig.entering("connect", ["id": .string(id), "type": "P2P"])
    #expect(rig.lastJoin == nil)
    #expect(throws: RemonFault.self) { try RemonChannelID.room(id) }
  }

  @Test func aLongIDHasARoomOfItsOwn() throws {
    let one = String(repeating: "a", count: 1_023)
    let room = try RemonChannelID.room(one + "b")
    #expect(room.description.count == 64)
    #expect(try RemonChannelID.room(one + "c") != room)
    #expect(try RemonChannelID.room(one + "b") == room)
    let bound = KurentoSample.room("den")
    #expect(try RemonChannelID.room("take5", bound: bound) == bound)
  }

  @Test func theTokenBindsTheSocket() {
    var rig = RemonRig.call(["bob"])
    let foreign = rig.send("message", ["body": "I am bob"], token: "tok-bob")
    #expect(foreign.told == ["onError 502"] && foreign.asked.isEmpty)
    #expect(rig.send("message", ["body": "x", "serviceId": "other"]).told == ["onError 502"])
    // Before it is bound, nothing is carried out.
    var stranger = RemonRig()
    #expect(stranger.send("connect", token: nil).told == ["onError 502"])
    _ = stranger.send("create", ["channel": ["type": "BROADCAST"]])
    #expect(stranger.send("message").isEmpty, "waits for the token to be looked at")
    let refused = stranger.refuse(RoomRefusal(.unauthorized, "unknown token"))
    #expect(refused.told.first == "onCreate 502" && refused.entries.isEmpty)
  }

  @Test func tooMuchAtOnceEndsTheSocket() {
    var rig = RemonRig.call(["bob"])
    var code: UInt16?
    for _ in 0..<600 where code == nil { code = rig.send("message", ["body": "x"]).end }
    #expect(code == 1008)
  }

  @Test func bodiesOfInitSayWhatIsWrong() throws {
    for body in ["", "[]", "{}", #"{"credential":"x"}"#, #"{"credential":{"key":5,"serviceId":"a"}}"#] {
      #expect(throws: RemonFault.self, "\(body)") { try RemonInit(parsing: Array(body.utf8)) }
    }
    let long = String(repeating: "m", count: 1_025)
    #expect(throws: RemonFault.self) {
      try RemonInit(parsing: Array("{\"credential\":{},\"userMeta\":\"\(long)\"}".utf8))
    }
    let text = #"{"credential":{"key":"k","serviceId":"s"},"id":"den1","userMeta":{"name":"Anna"}}"#
    let wish = try RemonInit(parsing: Array(text.utf8))
    #expect(wish.serviceID == "s" && wish.key == "k" && wish.conference == "den1")
    #expect(wish.meta == #"{"name":"Anna"}"# && RemonMeta.name(in: wish.meta)?.description == "Anna")
    #expect(RemonMeta.name(in: "Bob")?.description == "Bob")
    #expect(RemonMeta.name(in: "[1]") == nil && RemonMeta.name(in: nil) == nil)
  }

  @Test func healthIsReadInBothVendorsUnits() throws {
    let web = try JSONValue(parsing: #"{"rating":2,"audioRtt":0.08,"remoteAudioPacketsLost":3,"jitter":"0.004"}"#)
    let ofWeb = RemonHealth(try #require(web.object))
    #expect(ofWeb.roundTrip == 80 && ofWeb.lost == 3 && ofWeb.jitter == 4 && ofWeb.level == 2)
    let phone = try JSONValue(parsing: #"{"rtt":120,"healthRating":{"level":3,"value":120},"packetsReceived":"150"}"#)
    let ofPhone = RemonHealth(try #require(phone.object))
    #expect(ofPhone.roundTrip == 120 && ofPhone.level == 3 && ofPhone.received == 150)
    let nonsense = try JSONValue(parsing: #"{"rtt":-1,"audioRtt":1e300,"packetsLost":9e18,"rating":9}"#)
    #expect(RemonHealth(try #require(nonsense.object)) == RemonHealth([:]))
  }

  @Test func ourDescriptionsAreWhatTheMusicPatchLooksFor() {
    let ours = """
      m=audio 9 UDP/TLS/RTP/SAVPF 111 63\r\na=rtpmap:111 opus/48000/2\r\na=rtcp-fb:111 nack\r
      a=fmtp:111 minptime=10;useinbandfec=1;stereo=1;sprop-stereo=1;maxaveragebitrate=256000;cbr=1;usedtx=0\r
      a=rtpmap:63 red/48000/2\r\na=fmtp:63 111/111\r\n
      """
    let lines = RemonDescription.literal(ours).split(whereSeparator: \.isNewline).map(String.init)
    #expect(lines.contains("a=rtpmap:111 opus/48000/2"))
    #expect(lines.contains("a=fmtp:111 minptime=10;useinbandfec=1"))
    #expect(lines.contains("a=fmtp:63 111/111") && lines.contains("a=rtcp-fb:111 nack"))
    #expect(lines.count == 6)
  }
}
