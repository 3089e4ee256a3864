import Machines
import Testing

@testable import Signaling

/// Plays one transcript: the client's lines into the server's machine, the server's lines, decoded by the client's
/// machine, back through the server's machine, which must write them again.
struct TranscriptPerformance: ~Copyable {
  private let transcript: Transcript
  private var server = NativeServer(room: "blue room", at: .init(nanoseconds: 0))
  private var client = NativeClient()
  /// What the server's machine answered by itself.
  private var ownAnswers: [String] = []
  /// The server asks the room; the identifiers of the document and of the client's machine.
  private var asked: [NativeRequestID: NativeRequestID] = [:]
  private var isJoin: Set<NativeRequestID> = []
  private var closing: UInt16?

  init(_ transcript: Transcript) {
    self.transcript = transcript
  }

  mutating func run() throws {
    #expect(!transcript.messages.isEmpty)
    for (index, message) in transcript.messages.enumerated() {
      if message.isFromClient {
        try say(message.text, at: clock(after: index))
      } else {
        try answer(message.text)
      }
    }
    #expect(ownAnswers.isEmpty, "the server also said \(ownAnswers)")
    let last = transcript.messages.last?.text ?? ""
    if last.contains("\"closed\"") { #expect(closing == NativeClosing.replaced.rawValue) }
    if transcript.messages.contains(where: { $0.text.contains("\"leave\",\"params\"") }) {
      #expect(closing == NativeClosing.normal.rawValue)
    }
  }

  /// The server's clock, as the next answer to a ping says it.
  private func clock(after index: Int) -> MonotonicTime {
    let answer = transcript.messages.dropFirst(index + 1).first.flatMap { try? JSONValue(parsing: $0.text) }
    let milliseconds = answer?.object?["result"]?.object?["serverTime"]?.double ?? 0
    return MonotonicTime(nanoseconds: Int64((milliseconds * 1e6).rounded()))
  }

  private mutating func say(_ text: String, at now: MonotonicTime) throws {
    let said = try? JSONValue(parsing: text)
    server.handle(.text(text, from: Sample.link), at: now)
    while let output = server.next() {
      switch output {
      case .notify(let text):
        ownAnswers.append(text)
      case .join(let id, let entry):
        asked[id] = client.join(entry.request, token: entry.token, at: now)
        isJoin.insert(id)
        try expectClient(says: said)
      case .perform(let id, let command):
        asked[id] = client.perform(command, at: now)
        try expectClient(says: said)
      case .answer, .resume, .close:
        Issue.record("the server wants \(output)")
      case .end(let code, let reason):
        Issue.record("the link was closed with \(code): \(reason)")
      }
    }
  }

  /// Our own client would have said the same, but for the identifier.
  private mutating func expectClient(says text: JSONValue?) throws {
    guard case .send(let written) = client.next() else {
      Issue.record("the client said nothing")
      return
    }
    let ours = try JSONValue(parsing: written).object
    let theirs = text?.object
    #expect(ours?["method"] == theirs?["method"])
    #expect(ours?["params"]?.sorted == (theirs?["params"] ?? [:]).sorted)
  }

  private mutating func answer(_ text: String) throws {
    let now = MonotonicTime(nanoseconds: 0)
    let message = try JSONValue(parsing: text)
    if !ownAnswers.isEmpty {
      #expect(try JSONValue(parsing: ownAnswers.removeFirst()).sorted == message.sorted)
      return
    }
    var object = try #require(message.object)
    let id = object["id"]?.integer.flatMap(NativeRequestID.init)
    if let id {
      object["id"] = .integer(try #require(asked[id], "nobody asked for \(text)").number)
    }
    client.handle(.text(JSONValue.object(object).text), at: now)
    guard let understood = client.next() else {
      Issue.record("the client understood nothing of \(text)")
      return
    }
    switch understood {
    case .event(let event): server.handle(.event(event), at: now)
    case .joined(_, let grant): server.handle(.joined(try #require(id), grant), at: now)
    case .reply(_, let reply): server.handle(.replied(try #require(id), reply), at: now)
    case .refused(_, let refusal): server.handle(.refused(try #require(id), refusal), at: now)
    default: Issue.record("the client understood \(understood)")
    }
    guard case .notify(let written) = server.next() else {
      Issue.record("the server said nothing of \(text)")
      return
    }
    let said = try JSONValue(parsing: written)
    #expect(said.sorted == message.sorted)
    if case .end(let code, _) = server.next() { closing = code }
  }
}
