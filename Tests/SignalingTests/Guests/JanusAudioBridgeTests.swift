import Machines
import Testing

@testable import Signaling

struct JanusAudioBridgeTests {
  private static let start = MonotonicTime(nanoseconds: 1_000_000_000)

  private func drain(_ client: inout JanusAudioBridge) -> (sent: [JSONObject], asked: [GuestOutput]) {
    var sent: [JSONObject] = []
    var asked: [GuestOutput] = []
    while let output = client.next() {
      if case .send(let text) = output {
        if let object = (try? JSONValue(parsing: text))?.object { sent.append(object) }
      } else {
        asked.append(output)
      }
    }
    return (sent, asked)
  }

  @Test func theMixIsOneGuestWhileSomebodyIsThere() {
    let now = JanusAudioBridgeTests.start
    var client = JanusAudioBridge(JanusRoom(.audioBridge, room: "5678", display: "Jamjar"), name: "mix of 5678")
    client.begin(at: now)
    let create = drain(&client).sent
    #expect(create.first?["janus"] == "create")
    client.handle(.text(#"{"janus":"success","transaction":"1","data":{"id":1}}"#), at: now)
    client.handle(.text(#"{"janus":"success","transaction":"2","data":{"id":2}}"#), at: now)
    let join = drain(&client).sent.last?["body"]
    let expected: JSONValue = ["request": "join", "room": 5678, "display": "Jamjar", "muted": true]
    #expect(join == expected)
    client.handle(
      .text(
        #"{"janus":"event","transaction":"3","sender":2,"plugindata":{"data":{"audiobridge":"joined","room":5678,"id":7,"participants":[]}}}"#
      ), at: now)
    let joined: [GuestOutput] = [.joined]
    #expect(drain(&client).asked == joined)
    let ada =
      #"{"janus":"event","sender":2,"plugindata":{"data":{"audiobridge":"joined","room":5678,"participants":[{"id":9,"display":"Ada"}]}}}"#
    client.handle(.text(ada), at: now)
    client.handle(.text(ada), at: now)
    let invited: [GuestOutput] = [.invited(JanusAudioBridge.mix, name: "mix of 5678")]
    #expect(drain(&client).asked == invited)
    client.handle(.offer(JanusAudioBridge.mix, sdp: "v=0"), at: now)
    let jsep: JSONValue = ["type": "offer", "sdp": "v=0"]
    #expect(drain(&client).sent.last?["jsep"] == jsep)
    client.handle(
      .text(
        #"{"janus":"event","transaction":"4","sender":2,"plugindata":{"data":{"audiobridge":"event","result":"ok"}},"jsep":{"type":"answer","sdp":"v=1"}}"#
      ), at: now)
    let answered: [GuestOutput] = [.answered(JanusAudioBridge.mix, sdp: "v=1")]
    #expect(drain(&client).asked == answered)
    client.handle(
      .text(#"{"janus":"event","sender":2,"plugindata":{"data":{"audiobridge":"event","room":5678,"leaving":9}}}"#),
      at: now)
    let left: [GuestOutput] = [.left(JanusAudioBridge.mix)]
    #expect(drain(&client).asked == left)
  }

  /// Debian's Janus answers "not in a room" to a participant whose media was over.
  @Test func afterTheEndOfItsMediaTheBotTakesAnotherPlace() {
    let now = JanusAudioBridgeTests.start
    var client = JanusAudioBridge(JanusRoom(.audioBridge, room: "5678", display: "Jamjar"), name: "mix")
    client.begin(at: now)
    client.handle(.text(#"{"janus":"success","transaction":"1","data":{"id":1}}"#), at: now)
    client.handle(.text(#"{"janus":"success","transaction":"2","data":{"id":2}}"#), at: now)
    let room = #""data":{"audiobridge":"joined","room":5678,"participants":[{"id":9}]}"#
    client.handle(.text(#"{"janus":"event","transaction":"3","sender":2,"plugindata":{\#(room)}}"#), at: now)
    let invited: [GuestOutput] = [.joined, .invited(JanusAudioBridge.mix, name: "mix")]
    #expect(drain(&client).asked == invited)
    client.handle(.text(#"{"janus":"hangup","sender":2,"reason":"DTLS alert"}"#), at: now)
    let (sent, asked) = drain(&client)
    let words = sent.map { $0["janus"]?.string ?? "" }
    #expect(words == ["detach", "attach"])
    let lost: [GuestOutput] = [.lost(JanusAudioBridge.mix)]
    #expect(asked == lost)
    client.handle(.text(#"{"janus":"success","transaction":"5","data":{"id":3}}"#), at: now)
    #expect(drain(&client).sent.last?["handle_id"] == 3)
    client.handle(.text(#"{"janus":"event","transaction":"6","sender":3,"plugindata":{\#(room)}}"#), at: now)
    client.advance(to: now + .seconds(5))
    let again: [GuestOutput] = [.invited(JanusAudioBridge.mix, name: "mix")]
    #expect(drain(&client).asked == again)
  }
}
