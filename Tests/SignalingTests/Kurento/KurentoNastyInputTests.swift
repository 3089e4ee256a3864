import Machines
import Music
import TestSupport
import Testing

@testable import Signaling

@Suite struct KurentoNastyInputTests {
  private static let wrong = [
    "null", "true", "7", "-1", "1e300", "99999999999999999999", "\"\"", "\"x\"", "[]", "{}", "[[[]]]",
    "\"\\u0000\"", "{\"a\":{\"b\":[1]}}",
  ]

  private static let parameters: [(KurentoMethod, [String: String])] = [
    (.joinRoom, ["user": "\"ann\"", "room": "\"take5\"", "token": "\"t\"", "part": "\"p\"", "consent": "true"]),
    (.publishVideo, ["sdpOffer": "\"v=0\"", "doLoopback": "false"]),
    (.receiveVideoFrom, ["sender": "\"bob_webcam\"", "sdpOffer": "\"v=0\""]),
    (.unsubscribeFromVideo, ["sender": "\"bob_webcam\""]),
    (.onIceCandidate, ["endpointName": "\"bob\"", "candidate": "\"c\"", "sdpMid": "\"0\"", "sdpMLineIndex": "0"]),
    (.sendMessage, ["message": "\"m\"", "userMessage": "\"ann\"", "roomMessage": "\"take5\""]),
    (.customRequest, ["recorder": "\"song\"", "song": "\"s\"", "text": "\"t\"", "value": "\"on\""]),
    (.leaveRoom, ["x": "1"]), (.unpublishVideo, ["x": "1"]),
  ]

  @Test(arguments: parameters)
  func aWrongTypeForAnyParameterIsAnsweredOnce(method: KurentoMethod, parameters: [String: String]) {
    for (name, _) in parameters {
      for wrong in KurentoNastyInputTests.wrong {
        var rig = method == .joinRoom ? KurentoRig() : KurentoRig.joined([KurentoSample.member("bob", publishes: true)])
        var given = parameters
        given[name] = wrong
        let text = "{" + given.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
        var outputs = rig.ask(method.rawValue, text)
        if let operation = outputs.operation {
          outputs = rig.feed(.refused(operation, RoomRefusal(.wrongState, "no")))
        }
        #expect(outputs.answers.count == 1, "\(method) \(text): \(outputs)")
      }
    }
  }

  @Test(arguments: [
    ("joinRoom", "user"), ("joinRoom", "room"), ("publishVideo", "sdpOffer"), ("receiveVideoFrom", "sender"),
    ("unsubscribeFromVideo", "sender"), ("onIceCandidate", "endpointName"), ("sendMessage", "message"),
  ])
  func aMissingParameterIsNamed(method: String, key: String) {
    var rig = method == "joinRoom" ? KurentoRig() : KurentoRig.joined()
    let present = key == "room" ? #"{"user":"ann"}"# : "{}"
    let outputs = rig.ask(method, present)
    #expect(outputs.code == -32_602)
    let message = outputs.answers.first?["error"]?.object?["message"]?.string ?? ""
    #expect(message.hasPrefix("\"\(key)\" in the parameters of \(method) is missing"))
  }

  @Test func mutatedMessagesNeverTrapAndAreAnsweredAtMostOnce() {
    var generator = SeededRandom(7)
    let messages = Transcript.kurento.flatMap(\.lines).map { Array($0.text.utf8) }
    var rig = KurentoRig.joined([KurentoSample.member("bob", publishes: true)])
    var tree = KurentoTreeRig()
    var client = DialectClient<KurentoClient>()
    var treeClient = DialectClient<KurentoTreeClient>()
    for _ in 0..<4_000 {
      var bytes = messages.randomElement(using: &generator) ?? []
      for _ in 0..<Int.random(in: 0...4, using: &generator) where !bytes.isEmpty {
        let index = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes[index] = UInt8.random(in: .min ... .max, using: &generator)
        case 1: bytes.remove(at: index)
        case 2: bytes.removeLast(Int.random(in: 0...min(8, bytes.count), using: &generator))
        default: bytes.insert(contentsOf: bytes[index...].prefix(12), at: index)
        }
      }
      let text = String(decoding: bytes, as: UTF8.self)
      var outputs = rig.say(text)
      if let operation = outputs.operation { outputs += rig.feed(.refused(operation, RoomRefusal(.wrongState, "no"))) }
      if outputs.answers.count > 1 { Issue.record("\(outputs.answers.count) answers to \(text)") }
      if outputs.contains(where: { if case .end = $0 { true } else { false } }) { rig = KurentoRig.joined() }
      var heard = tree.say(text)
      for (operation, _) in heard.performed { heard += tree.feed(.refused(operation, TreeRefusal(.tree, "no"))) }
      if heard.responses.count > 1 { Issue.record("\(heard.responses.count) answers of the tree to \(text)") }
      if heard.end != nil { tree = KurentoTreeRig() }
      client.handle(.text(text), at: KurentoSample.start)
      while client.next() != nil {}
      treeClient.handle(.text(text), at: KurentoSample.start)
      while treeClient.next() != nil {}
    }
  }

  @Test func randomBytesAreAnsweredAsNoJSON() {
    var generator = SeededRandom(11)
    var rig = KurentoRig()
    for _ in 0..<500 {
      let bytes = (0..<Int.random(in: 0...200, using: &generator)).map { _ in
        UInt8.random(in: .min ... .max, using: &generator)
      }
      // A text that begins so is no JSON, whatever follows.
      #expect(rig.say("?" + String(decoding: bytes, as: UTF8.self)).code == -32_700)
    }
  }
}
