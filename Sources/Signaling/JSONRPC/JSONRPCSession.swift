import Machines

/// The common part of all JSON-RPC dialects: one session over changing links.
///
/// Requests run strictly one after another: each `.run` must be followed by `.finished` before the next one. This type
/// handles repeats, keep-alive, reconnection and unreadable texts.
struct JSONRPCSession: ~Copyable, Machine {
  enum Input: Sendable {
    case text(String, from: LinkNumber)
    case unreadable(String, from: LinkNumber)
    /// The outcome of the running request.
    case finished(Result<JSONRPCResult, JSONRPCError>)
    /// This session continues on the link that sent this `connect`.
    case resumed(JSONRPCID, on: LinkNumber)
    case unknownSession(JSONRPCID, on: LinkNumber)
    case linkLost(LinkNumber)
    /// The dialect ends the session.
    case end(code: UInt16, reason: String)
  }

  enum Output: Hashable, Sendable {
    case run(JSONRPCRequest)
    case answer(String, to: LinkNumber)
    case close(LinkNumber, code: UInt16, reason: String)
    case resume(sessionID: String, JSONRPCID, on: LinkNumber)
    case end(code: UInt16, reason: String)
  }

  /// A pending request, and the link that waits for its response; nil while that link is lost.
  private struct Unanswered {
    let request: JSONRPCRequest
    let key: JSONRPCReplies.Key
    var link: LinkNumber?
  }

  /// Most requests queued behind the running one, beside candidates.
  static let maximumQueue = 64
  /// Most candidates among them: those of several connections arrive while one offer is answered.
  static let maximumCandidates = 256
  /// Most bytes of the parameters of all.
  static let maximumQueueBytes = 1_048_576

  let sessionID: String
  let limits: JSONLimits
  let hasWatchdog: Bool
  /// The method for a candidate of the client.
  private let candidateMethod: String
  private var meter: JSONRPCMeter?
  private(set) var isEnded = false
  var watchdogs: [LinkNumber: JSONRPCWatchdog] = [:]
  var outputs = OutputQueue<Output>()
  private var replies = JSONRPCReplies()
  private var running: Unanswered?
  private var queue: [Unanswered] = []

  /// Without `rates` any number of requests is taken.
  init(
    sessionID: String, hasWatchdog: Bool, limits: JSONLimits, candidateMethod: String = "", rates: JSONRPCRates? = nil
  ) {
    self.candidateMethod = candidateMethod
    meter = rates.map(JSONRPCMeter.init)
    self.sessionID = sessionID
    self.hasWatchdog = hasWatchdog
    self.limits = limits
  }

  var deadline: MonotonicTime? { isEnded ? nil : watchdogs.values.map(\.deadline).min() }

  mutating func next() -> Output? { outputs.next() }

  mutating func advance(to now: MonotonicTime) {
    guard !isEnded else { return }
    let dead = watchdogs.filter { $0.value.deadline <= now }.keys.sorted { $0.number < $1.number }
    for link in dead {
      watchdogs[link] = nil
      outputs.append(.close(link, code: 1000, reason: "Close for not receive ping from client"))
    }
  }

  mutating func handle(_ input: Input, at now: MonotonicTime) {
    guard !isEnded else { return }
    switch input {
    case .text(let text, let link): receive(text, from: link, at: now)
    case .unreadable(let sentence, let link):
      answer(nil, .failure(JSONRPCError(code: JSONRPCError.invalidRequest, sentence)), to: link)
    case .finished(let outcome): finish(outcome, at: now)
    case .resumed(let id, let link):
      answer(id, .success(.value("reconnection successful")), to: link)
      adopt(by: link)
    case .unknownSession(let id, let link):
      answer(id, .failure(JSONRPCError(code: JSONRPCError.unknownSession, "reconnection error")), to: link)
    case .linkLost(let link):
      watchdogs[link] = nil
      if running?.link == link { running?.link = nil }
      for index in queue.indices where queue[index].link == link { queue[index].link = nil }
    case .end(let code, let reason): end(code: code, reason: reason)
    }
  }

  private mutating func receive(_ text: String, from link: LinkNumber, at now: MonotonicTime) {
    let isLong = text.utf8.count > JSONRPCMeter.candidateBytes
    if isLong, let refusal = meter?.refusal(isCandidate: false, at: now) {
      return answer(JSONRPCID(scanning: text), .failure(refusal), to: link)
    }
    do throws(JSONRPCFault) {
      guard case .request(let request) = try JSONRPCMessage(text, limits: limits) else { return }
      if !isLong, let refusal = meter?.refusal(isCandidate: request.method == candidateMethod, at: now) {
        return answer(request.id, .failure(refusal), to: link)
      }
      if let control = JSONRPCControl(rawValue: request.method) {
        perform(control, request, from: link, at: now)
      } else {
        enqueue(request, from: link, at: now)
      }
    } catch {
      answer(error.id, .failure(error.error), to: link)
    }
  }

  private mutating func enqueue(_ request: JSONRPCRequest, from link: LinkNumber, at now: MonotonicTime) {
    let key = JSONRPCReplies.Key(request)
    // A repeat of a pending request joins it; the response goes to the latest sender.
    if running?.key == key {
      running?.link = link
    } else if let index = queue.firstIndex(where: { $0.key == key }) {
      queue[index].link = link
    } else if let reply = replies.reply(to: key, at: now) {
      outputs.append(.answer(reply, to: link))
    } else {
      begin(Unanswered(request: request, key: key, link: link), from: link)
    }
  }

  private mutating func begin(_ unanswered: Unanswered, from link: LinkNumber) {
    if running == nil {
      running = unanswered
      outputs.append(.run(unanswered.request))
    } else if hasPlace(for: unanswered) {
      queue.append(unanswered)
    } else {
      let sentence = "\(queue.count) requests wait for their answers; wait for one"
      answer(unanswered.request.id, .failure(JSONRPCError(code: JSONRPCError.serverError, sentence)), to: link)
    }
  }

  private func hasPlace(for unanswered: Unanswered) -> Bool {
    let isCandidate = unanswered.request.method == candidateMethod
    let count = queue.count { ($0.request.method == candidateMethod) == isCandidate }
    guard count < (isCandidate ? JSONRPCSession.maximumCandidates : JSONRPCSession.maximumQueue) else { return false }
    return queue.reduce(unanswered.key.size) { $0 + $1.key.size } <= JSONRPCSession.maximumQueueBytes
  }

  private mutating func finish(_ outcome: Result<JSONRPCResult, JSONRPCError>, at now: MonotonicTime) {
    guard let finished = running else { return }
    let text = JSONRPCText.response(finished.request.id, outcome, sessionID: sessionID)
    if let link = finished.link { outputs.append(.answer(text, to: link)) }
    // A candidate told twice is harmless; dozens of them would drive out the reply to a joinRoom.
    if finished.request.method != candidateMethod { replies.keep(text, for: finished.key, at: now) }
    running = queue.isEmpty ? nil : queue.removeFirst()
    if let running { outputs.append(.run(running.request)) }
  }

  /// Redirects the pending responses of a lost link to its replacement.
  mutating func adopt(by link: LinkNumber) {
    if running != nil, running?.link == nil { running?.link = link }
    for index in queue.indices where queue[index].link == nil { queue[index].link = link }
  }

  mutating func answer(_ id: JSONRPCID?, _ outcome: Result<JSONRPCResult, JSONRPCError>, to link: LinkNumber) {
    outputs.append(.answer(JSONRPCText.response(id, outcome, sessionID: sessionID), to: link))
  }

  /// Ends the session; all pending requests get an error.
  mutating func end(code: UInt16, reason: String) {
    // The next request must not run any more.
    outputs.removeAll { if case .run = $0 { true } else { false } }
    for unanswered in [running].compactMap({ $0 }) + queue {
      guard let link = unanswered.link else { continue }
      let error = JSONRPCError(code: JSONRPCError.serverError, "the session is over: \(reason)")
      answer(unanswered.request.id, .failure(error), to: link)
    }
    running = nil
    queue = []
    watchdogs = [:]
    isEnded = true
    outputs.append(.end(code: code, reason: reason))
  }
}

/// The methods of the connection itself; they get a response at once and outside the queue.
package enum JSONRPCControl: String, Hashable, Sendable, CaseIterable {
  case ping, connect, closeSession
}

extension JSONRPCSession {
  /// Responds to the methods of the connection at once.
  mutating func perform(
    _ control: JSONRPCControl, _ request: JSONRPCRequest, from link: LinkNumber, at now: MonotonicTime
  ) {
    let fields = JSONRPCFields(request.parameters, of: "the parameters of \(control.rawValue)")
    do throws(JSONRPCError) {
      switch control {
      case .ping: try pong(fields, request.id, from: link, at: now)
      case .connect: try connect(fields, request.id, from: link)
      case .closeSession:
        answer(request.id, .success(.bare("bye")), to: link)
        end(code: 1000, reason: "closeSession")
      }
    } catch {
      answer(request.id, .failure(error), to: link)
    }
  }

  private mutating func pong(
    _ fields: JSONRPCFields, _ id: JSONRPCID, from link: LinkNumber, at now: MonotonicTime
  ) throws(JSONRPCError) {
    let interval = try fields.optionalDouble("interval")
    if watchdogs[link] != nil {
      watchdogs[link]?.feed(at: now)
    } else if hasWatchdog {
      watchdogs[link] = JSONRPCWatchdog(interval: interval, at: now)
    }
    answer(id, .success(.value("pong")), to: link)
  }

  private mutating func connect(_ fields: JSONRPCFields, _ id: JSONRPCID, from link: LinkNumber) throws(JSONRPCError) {
    switch try fields.optionalString("sessionId") {
    case nil: answer(id, .success(.value("OK")), to: link)
    case sessionID:
      answer(id, .success(.value("reconnection successful")), to: link)
      adopt(by: link)
    case let other?: outputs.append(.resume(sessionID: other, id, on: link))
    }
  }
}

/// Checks that a client that began to ping continues to do so.
///
/// The first ping of a link sets the interval; a link that never pings has no watchdog (iOS, Android and Java don't
/// ping).
struct JSONRPCWatchdog: Hashable, Sendable {
  /// Intervals without a ping after which the link counts as dead.
  private static let patience: Int64 = 3
  /// The default interval, in milliseconds.
  private static let defaultInterval = 20_000.0
  /// The permitted intervals, in milliseconds: a shorter one would close links after a brief delay.
  private static let intervals = 100.0...600_000.0

  private let silence: MonotonicTime.Span
  /// The time of closing the link unless a ping arrives.
  private(set) var deadline: MonotonicTime

  /// Created at a link's first ping; `interval` in milliseconds, clamped to 100 ms to 600 s.
  init(interval: Double?, at now: MonotonicTime) {
    let wished = interval ?? JSONRPCWatchdog.defaultInterval
    let interval = min(max(wished, JSONRPCWatchdog.intervals.lowerBound), JSONRPCWatchdog.intervals.upperBound)
    silence = .microseconds(Int64(saturating: interval * 1_000)) * JSONRPCWatchdog.patience
    deadline = now + silence
  }

  /// Restarts the interval after a ping.
  mutating func feed(at now: MonotonicTime) {
    deadline = now + silence
  }
}

extension JSONRPCSession {
  /// Appends the session's outputs to those of the dialect's machine, which preserves the order.
  /// - Returns: the request to run next; nil if there is none.
  mutating func transfer<Words: Vocabulary>(
    to outputs: inout OutputQueue<ConversationOutput<Words>>
  ) -> JSONRPCRequest? where Words.Reconnection == JSONRPCID {
    var request: JSONRPCRequest?
    while let output = next() {
      switch output {
      case .run(let next): request = next
      case .answer(let text, let link): outputs.append(.answer(text, to: link))
      case .close(let link, let code, let reason): outputs.append(.close(link, code: code, reason: reason))
      case .resume(let name, let id, let link): outputs.append(.resume(sessionID: name, id, on: link))
      case .end(let code, let reason): outputs.append(.end(code: code, reason: reason))
      }
    }
    return request
  }
}
