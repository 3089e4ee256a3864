import Machines
import Music

/// The client's side of one link to Kurento Tree: converts requests to JSON-RPC texts, and texts to results and events.
package struct KurentoTreeClient: ~Copyable, Machine {
  package enum Input: Sendable {
    /// A text message of the server.
    case text(String)
  }

  package enum Output: Hashable, Sendable {
    /// A text message for the server.
    case send(String)
    case result(JSONRPCID, KurentoTreeResult)
    /// The server refused a request; without an identifier it could not read our text.
    case refused(JSONRPCID?, JSONRPCError)
    case notification(KurentoTreeNotification)
    /// The server violated the protocol; the sentence says how.
    case violation(String)
  }

  private var client: JSONRPCClient
  private var outputs = OutputQueue<Output>()

  package init(limits: JSONLimits = .signaling) {
    client = JSONRPCClient(limits: limits)
  }

  /// The last session named by the server, for reconnecting by `connect`.
  package var sessionID: String? { client.sessionID }

  package var deadline: MonotonicTime? { nil }

  package mutating func advance(to now: MonotonicTime) {}

  package mutating func next() -> Output? { outputs.next() }

  package mutating func ask(_ command: TreeCommand, token: String? = nil) -> JSONRPCID {
    var (method, parameters) = command.request
    if let token { parameters["token"] = .string(token) }
    return ask(method.rawValue, parameters)
  }

  /// Sends a ping; `interval` in milliseconds.
  package mutating func ping(interval: Int64? = nil) -> JSONRPCID {
    ask(JSONRPCControl.ping.rawValue, interval.map { ["interval": .integer($0)] })
  }

  /// Names the session to continue; nil requests a new one.
  package mutating func connect(sessionID: String? = nil) -> JSONRPCID {
    ask(JSONRPCControl.connect.rawValue, sessionID.map { ["sessionId": .string($0)] })
  }

  package mutating func closeSession() -> JSONRPCID {
    ask(JSONRPCControl.closeSession.rawValue, nil)
  }

  private mutating func ask(_ method: String, _ parameters: JSONObject?) -> JSONRPCID {
    let (id, text) = client.ask(method, parameters)
    outputs.append(.send(text))
    return id
  }

  package mutating func handle(_ input: Input, at now: MonotonicTime) {
    guard case .text(let text) = input else { return }
    do throws(JSONRPCViolation) {
      outputs.append(KurentoTreeClient.understand(try client.read(text)))
    } catch {
      outputs.append(.violation(error.description))
    }
  }

  private static func understand(_ reading: JSONRPCClient.Reading) -> Output {
    do throws(JSONRPCError) {
      switch reading {
      case .result(let id, let method, let result): return .result(id, try KurentoTreeResult(method, result))
      case .refused(let id, let error): return .refused(id, error)
      case .notification(let method, let parameters):
        return .notification(try KurentoTreeNotification(method, parameters))
      }
    } catch {
      return .violation(error.description)
    }
  }
}

/// The server's result for one of our requests.
package enum KurentoTreeResult: Hashable, Sendable {
  /// The reply of a tree; `.created` only if the server chose the name.
  case reply(TreeReply)
  /// The word in the result of ping, connect or closeSession.
  case word(String)

  init(_ method: String, _ result: JSONValue) throws(JSONRPCError) {
    if let word = result.string {
      self = .word(word)
      return
    }
    let fields = JSONRPCFields(result.object ?? [:], of: "the result of \(method)")
    switch KurentoTreeMethod(rawValue: method) {
    case nil: self = .word(try fields.string("value"))
    case .createTree:
      guard let text = try fields.optionalString("value") else {
        self = .reply(.done)
        return
      }
      guard let tree = RoomName(text) else { throw fields.error("value", mustBe: "a room name") }
      self = .reply(.created(tree))
    case .setTreeSource:
      self = .reply(try fields.optionalString("answerSdp").map(TreeReply.answer) ?? .done)
    case .addTreeSink:
      self = .reply(.sink(try fields.string("sinkId"), answer: try fields.string("answerSdp")))
    case .releaseTree, .removeTree, .removeTreeSource, .removeTreeSink, .addIceCandidate: self = .reply(.done)
    }
  }
}
