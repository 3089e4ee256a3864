import Machines

/// The client's side of Janus' own protocol: a session, its handles, transactions, and signs of life.
///
/// Source: https://janus.conf.meetecho.com/docs/rest.html ("WebSockets Interface"), seen with Debian's 1.1.2.
struct JanusSession: Sendable {
  /// What a request is for: the answer repeats its transaction only.
  enum Purpose: Hashable, Sendable {
    case create, keepAlive, detach, trickle, destroy
    /// The room's own handle.
    case room
    case media
    case guest(GuestKey)
  }

  /// What a message of the server means.
  enum Reading: Hashable, Sendable {
    case created
    /// A new handle, for the request of this purpose.
    case attached(handle: Int64, purpose: Purpose)
    /// An answer or an event of a plugin.
    case event(handle: Int64, purpose: Purpose?, data: JSONObject, jsep: Jsep?)
    /// Media of a handle is over.
    case hungUp(handle: Int64, reason: String)
    /// The plugin has closed the handle.
    case detached(handle: Int64)
    case candidate(handle: Int64, CandidateMessage)
    /// Janus has forgotten the session.
    case expired
    case refused(purpose: Purpose?, code: Int64, reason: String)
    /// An acknowledgement, and news without meaning for a listener.
    case nothing
  }

  struct Jsep: Hashable, Sendable {
    enum Kind: String, Hashable, Sendable { case offer, answer }

    var kind: Kind
    var sdp: String

    init(_ kind: Kind, _ sdp: String) {
      self.kind = kind
      self.sdp = sdp
    }

    var json: JSONValue { ["type": .string(kind.rawValue), "sdp": .string(sdp)] }
  }

  /// Most requests without an answer.
  private static let maximumPending = 1_024

  let token: String?
  let secret: String?
  private(set) var id: Int64?
  private var count = 0
  private var pending: [String: Purpose] = [:]

  init(token: String?, secret: String?) {
    self.token = token
    self.secret = secret
  }

  // MARK: Requests

  mutating func create() -> String { request("create", purpose: .create) }

  mutating func attach(_ plugin: JanusRoom.Plugin, purpose: Purpose) -> String {
    request("attach", purpose: purpose, ["plugin": .string(plugin.rawValue)])
  }

  mutating func keepAlive() -> String { request("keepalive", purpose: .keepAlive) }

  mutating func destroy() -> String { request("destroy", purpose: .destroy) }

  mutating func detach(_ handle: Int64) -> String {
    request("detach", purpose: .detach, ["handle_id": .integer(handle)])
  }

  mutating func message(_ handle: Int64, purpose: Purpose, _ body: JSONObject, jsep: Jsep? = nil) -> String {
    var members: JSONObject = ["handle_id": .integer(handle), "body": .object(body)]
    if let jsep { members["jsep"] = jsep.json }
    return request("message", purpose: purpose, members)
  }

  mutating func trickle(_ handle: Int64, _ candidate: CandidateMessage) -> String {
    let value: JSONValue =
      candidate.candidate.isEmpty
      ? ["completed": true]
      : [
        "candidate": .string(candidate.candidate), "sdpMid": .string(candidate.mid ?? "0"),
        "sdpMLineIndex": .integer(Int64(candidate.mLineIndex ?? 0)),
      ]
    return request("trickle", purpose: .trickle, ["handle_id": .integer(handle), "candidate": value])
  }

  private mutating func request(_ verb: String, purpose: Purpose, _ members: JSONObject = [:]) -> String {
    count &+= 1
    let transaction = "\(count)"
    // One that answers nothing is given up by the link's watch long before; `read` ends a visit that comes this far.
    if pending.count < JanusSession.maximumPending { pending[transaction] = purpose }
    var object: JSONObject = ["janus": .string(verb), "transaction": .string(transaction)]
    if let id { object["session_id"] = .integer(id) }
    if let token { object["token"] = .string(token) }
    if let secret { object["apisecret"] = .string(secret) }
    for member in members.members { object[member.name] = member.value }
    return JSONValue.object(object).text
  }

  // MARK: Answers and events

  /// - Throws: `GuestFault` `.nonsense` for what is not Janus' protocol.
  mutating func read(_ text: String, limits: JSONLimits) throws(GuestFault) -> Reading {
    guard pending.count < JanusSession.maximumPending else {
      throw GuestFault(.nonsense, "the server has left \(pending.count) requests without an answer")
    }
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue(parsing: text, limits: limits)
    } catch {
      throw GuestFault(.nonsense, "the server's message cannot be read: \(error)")
    }
    guard let object = value.object, let kind = object["janus"]?.string else {
      throw GuestFault(.nonsense, "the server's message has no \"janus\"; is this a Janus server?")
    }
    let transaction = object["transaction"]?.string
    let handle = object["sender"]?.integer
    switch kind {
    case "ack":
      // The answer of a plugin follows under the same transaction; a sign of life has no other.
      if let transaction, pending[transaction] == .keepAlive || pending[transaction] == .trickle {
        pending[transaction] = nil
      }
      return .nothing
    case "success": return try success(object, transaction)
    case "error":
      let error = object["error"]?.object
      let purpose = transaction.flatMap { pending.removeValue(forKey: $0) }
      return .refused(
        purpose: purpose, code: error?["code"]?.integer ?? 0, reason: error?["reason"]?.string ?? "no reason given")
    case "event":
      guard let handle, let data = object["plugindata"]?.object?["data"]?.object else { return .nothing }
      let purpose = transaction.flatMap { pending.removeValue(forKey: $0) }
      return .event(handle: handle, purpose: purpose, data: data, jsep: JanusSession.jsep(object))
    case "hangup":
      guard let handle else { return .nothing }
      return .hungUp(handle: handle, reason: object["reason"]?.string ?? "no reason given")
    case "detached":
      guard let handle else { return .nothing }
      return .detached(handle: handle)
    case "trickle":
      guard let handle, let candidate = object["candidate"]?.object else { return .nothing }
      return .candidate(handle: handle, CandidateMessage(candidate: candidate["candidate"]?.string ?? ""))
    case "timeout": return .expired
    // webrtcup, media, slowlink and what later releases add.
    default: return .nothing
    }
  }

  private mutating func success(_ object: JSONObject, _ transaction: String?) throws(GuestFault) -> Reading {
    guard let transaction, let purpose = pending.removeValue(forKey: transaction) else { return .nothing }
    let number = object["data"]?.object?["id"]?.integer
    switch purpose {
    case .create:
      guard let number else { throw GuestFault(.nonsense, "the server made a session without a number") }
      id = number
      return .created
    // Only `attach` is answered with a number besides.
    default: return number.map { .attached(handle: $0, purpose: purpose) } ?? .nothing
    }
  }

  private static func jsep(_ object: JSONObject) -> Jsep? {
    guard let jsep = object["jsep"]?.object, let sdp = jsep["sdp"]?.string,
      let kind = jsep["type"]?.string.flatMap(Jsep.Kind.init)
    else { return nil }
    return Jsep(kind, sdp)
  }
}

extension GuestFault {
  /// Janus does not know the session (any more).
  static let unknownSession: Int64 = 458

  /// A refusal of Janus or of one of its plugins.
  init(janus code: Int64, _ reason: String) {
    let kind: Kind =
      switch code {
      // No such session or handle (458, 459): Janus has been restarted or has forgotten us.
      case GuestFault.unknownSession, 459: .lost
      // The VideoRoom is full of publishers; the AudioBridge's room is full.
      case 432: .full
      default: .refused
      }
    self.init(kind, "Janus says: \(reason) (\(code))")
  }
}
