import Machines
import Music

@testable import Signaling

/// One session's machine with a shell of a few lines around it.
struct KurentoRig: ~Copyable {
  typealias Output = KurentoServer.Output

  var server: KurentoServer
  var now = KurentoSample.start
  private var lastID: Int64 = 99

  init(traits: KurentoClientTraits = KurentoSample.iOS) {
    server = KurentoServer(sessionID: KurentoSample.session, traits: traits, at: KurentoSample.start)
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
    guard case .join(let operation, _)? = ask("joinRoom", #"{"user":"ann","room":"take5"}"#).first else {
      return []
    }
    let all = [KurentoSample.member("ann")] + members
    return feed(.joined(operation, KurentoSample.seating(KurentoSample.snapshot(all, take: take))))
  }

  mutating func feed(_ input: KurentoServer.Input) -> [Output] {
    server.handle(input, at: now)
    return drain()
  }

  mutating func drain() -> [Output] {
    var outputs: [Output] = []
    while let output = server.next() { outputs.append(output) }
    return outputs
  }

  mutating func say(_ text: String, from link: LinkNumber = KurentoSample.link) -> [Output] {
    feed(.text(text, from: link))
  }

  /// A request under a new identifier.
  mutating func ask(_ method: String, _ parameters: String = "{}") -> [Output] {
    lastID += 1
    return say("{\"jsonrpc\":\"2.0\",\"id\":\(lastID),\"method\":\"\(method)\",\"params\":\(parameters)}")
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
  /// The operation that the first output asks for.
  var operation: OperationNumber? {
    switch first {
    case .join(let operation, _), .perform(let operation, _): operation
    default: nil
    }
  }

  /// The commands that the room is asked for.
  var commands: [RoomCommand] {
    compactMap { if case .perform(_, let command) = $0 { command } else { nil } }
  }

  /// The notifications as "method first-string".
  var told: [String] {
    compactMap { output in
      guard case .notify(let text) = output, let message = (try? JSONValue(parsing: text))?.object else { return nil }
      let words = message["params"]?.object?.members.compactMap(\.value.string) ?? []
      return ([message["method"]?.string ?? ""] + words).joined(separator: " ")
    }
  }

  /// The messages that go out, taken apart.
  var answers: [JSONObject] {
    compactMap { output in
      guard case .answer(let text, _) = output else { return nil }
      return (try? JSONValue(parsing: text))?.object
    }
  }

  /// The code of the only answer, where it is an error.
  var code: Int64? { answers.count == 1 ? answers[0]["error"]?.object?["code"]?.integer : nil }

  /// The result of the only answer.
  var result: JSONObject? { answers.count == 1 ? answers[0]["result"]?.object : nil }
}
