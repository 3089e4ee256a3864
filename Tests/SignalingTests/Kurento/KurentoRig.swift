import Machines
import Music

@testable import Signaling

/// One session's machine of Kurento Room.
typealias KurentoRig = DialectRig<KurentoServer>

extension DialectRig where Speaker == KurentoServer {
  init(traits: KurentoClientTraits = KurentoSample.iOS) {
    self.init(KurentoServer(sessionID: KurentoSample.session, traits: traits, at: KurentoSample.start))
  }

  /// A session of "ann" in "take5" with these others.
  static func joined(
    _ members: [RoomSnapshot.Member] = [], traits: KurentoClientTraits = KurentoSample.iOS,
    take: RoomSnapshot.RollingTake? = nil
  ) -> KurentoRig {
    var rig = KurentoRig(traits: traits)
    _ = rig.join(members, take: take)
    return rig
  }

  mutating func join(_ members: [RoomSnapshot.Member] = [], take: RoomSnapshot.RollingTake? = nil) -> [Output] {
    _ = ask("joinRoom", #"{"user":"ann","room":"take5"}"#)
    let all = [KurentoSample.member("ann")] + members
    return enter { _ in KurentoSample.seating(KurentoSample.snapshot(all, take: take)) }
  }

  /// A request under a new identifier.
  mutating func ask(_ method: String, _ parameters: String = "{}") -> [Output] {
    let id = newID() + 99
    return say("{\"jsonrpc\":\"2.0\",\"id\":\(id),\"method\":\"\(method)\",\"params\":\(parameters)}")
  }

  /// A request that the room carries out at once with this reply.
  mutating func ask(_ method: String, _ parameters: String = "{}", answered reply: RoomReply) -> [Output] {
    let outputs = ask(method, parameters)
    guard let operation = outputs.operation else { return outputs }
    return feed(.replied(operation, reply))
  }

  mutating func subscribe(to sender: String) -> [Output] {
    ask(
      "receiveVideoFrom", "{\"sender\":\"\(sender)\",\"sdpOffer\":\"v=0\"}",
      answered: .answer(Sample.peer, sdp: KurentoSample.answer))
  }

  mutating func publish() -> [Output] {
    ask("publishVideo", #"{"sdpOffer":"v=0"}"#, answered: .answer(Sample.peer, sdp: KurentoSample.answer))
  }
}

extension [KurentoServer.Output] {
  /// The commands that the room is asked for.
  var commands: [RoomCommand] { performed.map(\.command) }

  /// The notifications as "method first-string".
  var told: [String] {
    texts.objects.map { message in
      let words = message["params"]?.object?.members.compactMap(\.value.string) ?? []
      return ([message["method"]?.string ?? ""] + words).joined(separator: " ")
    }
  }

  /// The messages that go out, taken apart.
  var answers: [JSONObject] { responses.objects }

  /// The code of the only answer, where it is an error.
  var code: Int64? { answers.count == 1 ? answers[0]["error"]?.object?["code"]?.integer : nil }

  /// The result of the only answer.
  var result: JSONObject? { answers.count == 1 ? answers[0]["result"]?.object : nil }
}
