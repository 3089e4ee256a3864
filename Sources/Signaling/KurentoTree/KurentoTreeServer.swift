import Machines
import Music

/// The vocabulary of Kurento Tree: a client controls trees and enters no room.
package enum KurentoTreeWords: Vocabulary {
  package typealias Ticket = OperationNumber
  package typealias Reconnection = JSONRPCID
  package typealias Entry = Never
  package typealias Welcome = Never
  package typealias Scene = Never
  package typealias Reply = TreeReply
  package typealias Refusal = TreeRefusal
  package typealias Event = TreeEvent

  /// A command with the token that authorizes it.
  package struct Command: Hashable, Sendable {
    package var command: TreeCommand
    package var token: String?

    package init(_ command: TreeCommand, token: String? = nil) {
      self.command = command
      self.token = token
    }
  }
}

/// The server's side of one Kurento Tree session: one source, many viewers.
///
/// As `KurentoServer`, but without a watchdog. When the session ends, the shell releases its sources and sinks; Kurento
/// keeps them.
package struct KurentoTreeServer: ~Copyable, Dialect {
  package typealias Words = KurentoTreeWords
  package typealias Input = ConversationInput<KurentoTreeWords>
  package typealias Output = ConversationOutput<KurentoTreeWords>

  package static let patience = ConversationPatience(afterLoss: .seconds(10), betweenRequests: .seconds(10))

  private var session: JSONRPCSession
  private var awaited: (operation: OperationNumber, command: TreeCommand)?
  private var legs = TreeLegs()
  /// The time of the last input.
  private var time: MonotonicTime
  private var outputs = OutputQueue<Output>()
  private var waiting: JSONRPCRequest?
  private var lastOperation = OperationNumber(0)

  /// A machine for a session that began at `now`; `sessionID` is for reconnecting.
  /// Without `rates` any number of requests is taken.
  package init(
    sessionID: String, traits: KurentoClientTraits, limits: JSONLimits = .signaling, rates: JSONRPCRates? = nil,
    at now: MonotonicTime
  ) {
    time = now
    session = JSONRPCSession(
      sessionID: sessionID, hasWatchdog: false, limits: limits,
      candidateMethod: KurentoTreeMethod.addIceCandidate.rawValue,
      rates: rates)
  }

  package var deadline: MonotonicTime? { session.deadline }

  package mutating func next() -> Output? { outputs.next() }

  package mutating func advance(to now: MonotonicTime) {
    time = now
    session.advance(to: now)
    transfer()
  }

  package mutating func handle(_ input: Input, at now: MonotonicTime) {
    guard !session.isEnded else { return }
    time = now
    switch input {
    case .text(let text, let link): session.handle(.text(text, from: link), at: now)
    case .unreadable(let sentence, let link): session.handle(.unreadable(sentence, from: link), at: now)
    case .resumed(let id, let link, _): session.handle(.resumed(id, on: link), at: now)
    case .unknownSession(let id, let link): session.handle(.unknownSession(id, on: link), at: now)
    case .linkLost(let link): session.handle(.linkLost(link), at: now)
    case .replied(let operation, let reply): replied(operation, reply)
    case .refused(let operation, let refusal): refused(operation, refusal)
    case .event(.candidate(let tree, let sink, let candidate)):
      if let placed = legs.pass(candidate, tree, sink: sink) { tell([placed], tree, sink: sink) }
    }
    transfer()
    while let request = waiting, !session.isEnded {
      waiting = nil
      run(request)
      transfer()
    }
  }

  private mutating func transfer() {
    if let request = session.transfer(to: &outputs) { waiting = request }
  }

  private mutating func run(_ request: JSONRPCRequest) {
    do throws(JSONRPCError) {
      guard let method = KurentoTreeMethod(rawValue: request.method) else {
        throw JSONRPCError(code: TreeCommand.incomplete, "Unrecognized method '\(request.method.prefix(64))'")
      }
      let (command, token) = try TreeCommand.read(method, request.parameters)
      switch command {
      case .setSource(_, .offer), .addSink:
        guard !legs.isFull else {
          throw JSONRPCError(
            code: TreeRefusal.Code.tree.rawValue, "this session has \(TreeLegs.maximum) connections; remove one")
        }
      default: break
      }
      lastOperation = lastOperation.next
      awaited = (lastOperation, command)
      legs.begin(command)
      outputs.append(.perform(lastOperation, KurentoTreeWords.Command(command, token: token)))
    } catch {
      finish(.failure(error))
    }
  }

  private mutating func finish(_ outcome: Result<JSONRPCResult, JSONRPCError>) {
    awaited = nil
    session.handle(.finished(outcome), at: time)
    transfer()
  }

  private mutating func replied(_ operation: OperationNumber, _ reply: TreeReply) {
    guard let awaited, awaited.operation == operation else { return }
    switch (awaited.command, reply) {
    // If the client chose the name, the result is empty; Android could not read the name anyway.
    case (.create(nil), .created(let tree)): finish(.success(.value(.string(tree.description))))
    case (.create(.some), .created): finish(.success(.done))
    case (.setSource(let tree, .offer), .answer(let answer)):
      finish(.success(.members(["answerSdp": .string(answer)])))
      tell(legs.answered(tree, sink: nil, answer), tree, sink: nil)
    case (.addSink(let tree, _), .sink(let sink, let answer)):
      finish(.success(.members(["sinkId": .string(sink), "answerSdp": .string(answer)])))
      tell(legs.answered(tree, sink: sink, answer), tree, sink: sink)
    case (.create(nil), _), (.setSource(_, .offer), _), (.addSink, _):
      finish(.failure(JSONRPCError(code: TreeRefusal.Code.failure.rawValue, "the tree answered something else")))
    case (let command, _):
      legs.giveUp(command)
      finish(.success(.done))
    }
  }

  private mutating func refused(_ operation: OperationNumber, _ refusal: TreeRefusal) {
    guard let awaited, awaited.operation == operation else { return }
    finish(.failure(JSONRPCError(code: refusal.code.rawValue, refusal.description)))
    let candidates = legs.refused(awaited.command)
    if case .setSource(let tree, _) = awaited.command { tell(candidates, tree, sink: nil) }
  }

  private mutating func tell(_ candidates: [CandidateMessage], _ tree: RoomName, sink: String?) {
    for candidate in candidates {
      outputs.append(.notify(KurentoTreeNotification.iceCandidate(tree: tree, sink: sink, candidate).text))
    }
  }
}

/// A notification from the server to a client of Kurento Tree.
package enum KurentoTreeNotification: Hashable, Sendable {
  /// Our candidate for a sink, or for the source if there is no sink.
  case iceCandidate(tree: RoomName, sink: String?, CandidateMessage)

  private static let method = "iceCandidate"

  var text: String {
    switch self {
    case .iceCandidate(let tree, let sink, let candidate):
      JSONRPCText.notification(
        KurentoTreeNotification.method, TreeCommand.parameters(tree, sink: sink, candidate.rpcMembers))
    }
  }

  /// Reads a notification; every key must be there and have its type.
  package init(_ method: String, _ parameters: JSONObject) throws(JSONRPCError) {
    let fields = JSONRPCFields(parameters, of: "the parameters of \(method)")
    guard method == KurentoTreeNotification.method else {
      throw JSONRPCError(code: JSONRPCError.unknownMethod, "there is no notification \"\(method)\"")
    }
    guard let tree = RoomName(try fields.string("treeId")) else {
      throw fields.error("treeId", mustBe: "a room name")
    }
    self = .iceCandidate(
      tree: tree, sink: try fields.optionalString("sinkId"),
      CandidateMessage(
        candidate: try fields.string("candidate"), mid: try fields.string("sdpMid"),
        mLineIndex: Int(exactly: try fields.integer("sdpMLineIndex"))))
  }
}
