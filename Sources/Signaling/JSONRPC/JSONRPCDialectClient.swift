import Machines

/// What a server answers in one of Kurento's dialects.
package protocol JSONRPCAnswer: Hashable, Sendable {
  /// Reads the result of a request for `method`.
  /// - Throws: `JSONRPCError` with what is wrong.
  init(_ method: String, _ result: JSONValue) throws(JSONRPCError)
}

/// What a server says by itself in one of Kurento's dialects.
package protocol JSONRPCNews: Hashable, Sendable {
  /// Reads a notification.
  /// - Throws: `JSONRPCError` with what is wrong.
  init(_ method: String, _ parameters: JSONObject) throws(JSONRPCError)
}

/// The client's side of one link in one of Kurento's dialects: converts requests to JSON-RPC texts, and texts to results and
/// events.
///
/// The calls queue a text and return the request's identifier, which the response repeats. The client reads as strictly
/// as the strictest of the old clients: texts unreadable to them are violations here.
package struct JSONRPCDialectClient<Answer: JSONRPCAnswer, News: JSONRPCNews>: ~Copyable, Machine {
  package enum Input: Sendable {
    /// A text message of the server.
    case text(String)
  }

  package enum Output: Hashable, Sendable {
    /// A text message for the server.
    case send(String)
    case result(JSONRPCID, Answer)
    /// The server refused a request; without an identifier it could not read our text.
    case refused(JSONRPCID?, JSONRPCError)
    case notification(News)
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

  /// Sends a ping; `interval` in milliseconds, sent with a link's first ping.
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

  mutating func ask(_ method: String, _ parameters: JSONObject?) -> JSONRPCID {
    let (id, text) = client.ask(method, parameters)
    outputs.append(.send(text))
    return id
  }

  package mutating func handle(_ input: Input, at now: MonotonicTime) {
    guard case .text(let text) = input else { return }
    do throws(JSONRPCViolation) {
      outputs.append(JSONRPCDialectClient.understand(try client.read(text)))
    } catch {
      outputs.append(.violation(error.description))
    }
  }

  private static func understand(_ reading: JSONRPCClient.Reading) -> Output {
    do throws(JSONRPCError) {
      switch reading {
      case .result(let id, let method, let result): return .result(id, try Answer(method, result))
      case .refused(let id, let error): return .refused(id, error)
      case .notification(let method, let parameters): return .notification(try News(method, parameters))
      }
    } catch {
      return .violation(error.description)
    }
  }
}
