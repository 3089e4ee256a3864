import Music

/// What one client of a room of XirSys sends to another: a description, a candidate, a goodbye, or something of the
/// application's own.
///
/// Four vocabularies say the same things in other words. A message keeps its original, so that clients of one
/// vocabulary get each other's messages exactly as they were sent.
package struct XirSysMessage: Hashable, Sendable {
  package enum Content: Hashable, Sendable {
    case offer(sdp: String)
    case answer(sdp: String)
    case candidate(CandidateMessage)
    case bye
    /// Of the application; only its original has a meaning.
    case other
  }

  package var content: Content
  /// PerchRTC's `connectionId`: chosen by the side that makes the first offer, and kept for the connection's life.
  package var connection: String?
  /// As it came; nil for a message that Jamjar makes.
  package var original: Original?

  /// A message in the words of its sender.
  package struct Original: Hashable, Sendable {
    package var vocabulary: XirSysVocabulary
    /// `eventName` (dialect A) or `m.o` (dialect B).
    package var name: String
    /// `data` (dialect A) or `p` (dialect B).
    package var data: JSONValue

    package init(vocabulary: XirSysVocabulary, name: String, data: JSONValue) {
      self.vocabulary = vocabulary
      self.name = name
      self.data = data
    }
  }

  package init(_ content: Content, connection: String? = nil, original: Original? = nil) {
    self.content = content
    self.connection = connection
    self.original = original
  }
}

/// The words in which a client offers, answers and trickles.
package enum XirSysVocabulary: String, Hashable, Sendable, CaseIterable {
  /// Dialect A as PerchRTC and Pectin speak it: `offer`, `answer`, `ice`, `bye`.
  case perch
  /// Dialect A of xRtc's pages: `receiveoffer`, `receiveanswer`, `receiveice`, `receivebye`.
  case xrtc
  /// Dialect B, version 3: `o` is `message`, the payload is `p.msg`.
  case message
  /// Dialect B, version 2: `o` is `session`, the payload is `p`.
  case session

  /// The frames around the words.
  package enum Framing: Hashable, Sendable {
    /// `{type, userid, room, message}`.
    case legacy
    /// `{t, m: {f, t, o}, p}`.
    case channel
  }

  package var framing: Framing {
    switch self {
    case .perch, .xrtc: .legacy
    case .message, .session: .channel
    }
  }
}

// MARK: Reading

extension XirSysMessage {
  /// Reads a message of dialect A: its `eventName` and `data`.
  static func legacy(name: String, data: JSONValue) -> XirSysMessage {
    let isPage = name.hasPrefix("receive")
    let original = Original(vocabulary: isPage ? .xrtc : .perch, name: name, data: data)
    let connection = data.object?["connectionId"]?.string
    let word = isPage ? String(name.dropFirst("receive".count)) : name
    let content: Content =
      switch word {
      case "offer": XirSysMessage.sdp(data.object?["offer"]).map(Content.offer) ?? .other
      case "answer": XirSysMessage.sdp(data.object?["answer"]).map(Content.answer) ?? .other
      case "ice":
        XirSysMessage.candidate(data.object?["iceCandidate"] ?? data.object?["candidate"]).map(Content.candidate)
          ?? .other
      case "bye": .bye
      default: .other
      }
    return XirSysMessage(content, connection: connection, original: original)
  }

  /// Reads a message of dialect B: its operation and payload.
  static func channel(operation: String, payload: JSONValue) -> XirSysMessage {
    let isSession = operation == "session"
    let original = Original(vocabulary: isSession ? .session : .message, name: operation, data: payload)
    let words = isSession ? payload : payload.object?["msg"] ?? .null
    let connection = words.object?["connectionId"]?.string
    guard isSession || operation == "message" else { return XirSysMessage(.other, original: original) }
    let content: Content =
      switch words.object?["type"]?.string {
      case "offer": sdp(words).map(Content.offer) ?? .other
      case "answer": sdp(words).map(Content.answer) ?? .other
      case "candidate": candidate(words).map(Content.candidate) ?? .other
      case "bye": .bye
      default: .other
      }
    return XirSysMessage(content, connection: connection, original: original)
  }

  /// A description: an object with `sdp`, the JSON text of one, or either of them within one more object (xRtc).
  private static func sdp(_ value: JSONValue?, depth: Int = 0) -> String? {
    guard let value, depth < 3 else { return nil }
    if let text = value.string {
      if text.hasPrefix("v=") { return text }
      return sdp(try? JSONValue(parsing: text), depth: depth + 1)
    }
    guard let object = value.object else { return nil }
    if let text = object["sdp"]?.string { return text }
    return sdp(object["offer"] ?? object["answer"] ?? object["sdp"], depth: depth + 1)
  }

  /// A candidate in libjingle's words (`label`, `id`), or in the browser's, or the JSON text of either.
  private static func candidate(_ value: JSONValue?, depth: Int = 0) -> CandidateMessage? {
    guard let value, depth < 2 else { return nil }
    if let text = value.string {
      if text.hasPrefix("candidate:") { return CandidateMessage(candidate: text) }
      return candidate(try? JSONValue(parsing: text), depth: depth + 1)
    }
    guard let object = value.object else { return nil }
    if object["candidate"]?.object != nil { return candidate(object["candidate"], depth: depth + 1) }
    guard let text = object["candidate"]?.string else { return nil }
    let index = (object["label"] ?? object["sdpMLineIndex"])?.integer.flatMap(Int.init(exactly:))
    let mid = (object["id"] ?? object["sdpMid"])?.string
    let line = text.hasPrefix("a=") ? String(text.dropFirst(2)) : text
    return CandidateMessage(candidate: line, mid: mid, mLineIndex: index)
  }
}

// MARK: Writing

extension XirSysMessage {
  /// The message in a vocabulary: its `eventName` or operation, and its data or payload.
  ///
  /// What came in the same frames is passed on as it came, so that an application's own messages keep their form; a
  /// description or candidate of another vocabulary is said anew.
  func words(in vocabulary: XirSysVocabulary) -> (name: String, data: JSONValue) {
    if let original, original.vocabulary == vocabulary { return (original.name, original.data) }
    if content == .other, let original { return foreign(original, in: vocabulary) }
    switch vocabulary {
    case .perch: return (word, perchData)
    case .xrtc: return ("receive\(word)", pageData)
    case .message: return ("message", ["msg": channelData])
    case .session: return ("session", channelData)
    }
  }

  private func foreign(_ original: Original, in vocabulary: XirSysVocabulary) -> (name: String, data: JSONValue) {
    switch (original.vocabulary.framing, vocabulary.framing) {
    case (.legacy, .legacy), (.channel, .channel): (original.name, original.data)
    case (.legacy, .channel):
      ("message", ["msg": ["type": "custom", "name": .string(original.name), "data": original.data]])
    case (.channel, .legacy): (original.name, original.data)
    }
  }

  private var word: String {
    switch content {
    case .offer: "offer"
    case .answer: "answer"
    case .candidate: "ice"
    case .bye: "bye"
    case .other: "message"
    }
  }

  private var perchData: JSONValue {
    var data = JSONObject()
    if let connection { data["connectionId"] = .string(connection) }
    switch content {
    case .offer(let sdp): data["offer"] = ["sdp": .string(sdp), "type": "offer"]
    case .answer(let sdp): data["answer"] = ["sdp": .string(sdp), "type": "answer"]
    case .candidate(let candidate):
      data["iceCandidate"] = [
        "label": .integer(Int64(candidate.mLineIndex ?? 0)), "id": .string(candidate.mid ?? ""),
        "candidate": .string(candidate.candidate),
      ]
    case .bye: data["bye"] = [:]
    case .other: break
    }
    return .object(data)
  }

  /// The offer of a page nests once more, and holds the description as JSON text.
  private var pageData: JSONValue {
    var data = JSONObject()
    if let connection { data["connectionId"] = .string(connection) }
    switch content {
    case .offer(let sdp):
      let description: JSONValue = ["type": "offer", "sdp": .string(sdp)]
      data["offer"] = [
        "offer": .string(description.text), "iceServers": .null, "connectionType": "default", "connectionData": .null,
      ]
    case .answer(let sdp):
      let description: JSONValue = ["type": "answer", "sdp": .string(sdp)]
      data["answer"] = .string(description.text)
    case .candidate(let candidate):
      data["iceCandidate"] = .string(JSONValue.object(browserCandidate(candidate)).text)
    case .bye: data["byeData"] = ["type": "bye"]
    case .other: break
    }
    return .object(data)
  }

  private var channelData: JSONValue {
    var data = JSONObject()
    switch content {
    case .offer(let sdp): data = ["type": "offer", "sdp": .string(sdp)]
    case .answer(let sdp): data = ["type": "answer", "sdp": .string(sdp)]
    case .candidate(let candidate):
      data = browserCandidate(candidate)
      data["type"] = "candidate"
      data["label"] = data["sdpMLineIndex"]
      data["id"] = data["sdpMid"]
    case .bye: data = ["type": "bye"]
    case .other: break
    }
    if let connection { data["connectionId"] = .string(connection) }
    return .object(data)
  }

  private func browserCandidate(_ candidate: CandidateMessage) -> JSONObject {
    [
      "candidate": .string(candidate.candidate), "sdpMid": .string(candidate.mid ?? ""),
      "sdpMLineIndex": .integer(Int64(candidate.mLineIndex ?? 0)),
    ]
  }
}
