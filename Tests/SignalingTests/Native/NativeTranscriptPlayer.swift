import Machines
import Testing

@testable import Signaling

/// The client's lines go into the server's machine; the server's lines, decoded by the client's machine, back through the
/// server's machine, which must write them again.
struct NativeTranscriptPlayer: ~Copyable, TranscriptPlayer {
  private var rig = NativeRig()
  private var client = DialectClient<NativeClient>()
  /// The server asks the room; the identifiers of the page and of the client's machine.
  private var asked: [NativeRequestID: NativeRequestID] = [:]
  private var closing: UInt16?

  func finish(_ transcript: Transcript) {
    let last = transcript.lines.last?.text ?? ""
    if last.contains("\"closed\"") { #expect(closing == NativeClosing.replaced.rawValue) }
    if transcript.lines.contains(where: { $0.text.contains("\"leave\",\"params\"") }) {
      #expect(closing == NativeClosing.normal.rawValue)
    }
  }

  mutating func say(_ text: String, before next: Transcript.Line?) throws -> [String] {
    // The server's clock, as the next answer to a ping says it.
    let answer = next.flatMap { try? JSONValue(parsing: $0.text) }
    let milliseconds = answer?.object?["result"]?.object?["serverTime"]?.double ?? 0
    rig.now = MonotonicTime(nanoseconds: Int64((milliseconds * 1e6).rounded()))
    let outputs = rig.say(text)
    for output in outputs {
      switch output {
      case .notify: break
      case .join(let id, let entry):
        asked[id] = client.ask(.join(entry.request, token: entry.token), at: rig.now)
        try expectClient(says: text)
      case .perform(let id, let command):
        asked[id] = client.ask(.perform(command), at: rig.now)
        try expectClient(says: text)
      case .answer, .resume, .close, .end: Issue.record("the server wants \(output)")
      }
    }
    return outputs.texts
  }

  /// Our own client would have said the same, but for the identifier.
  private mutating func expectClient(says text: String) throws {
    guard case .send(let written) = client.next() else { return _ = Issue.record("the client said nothing") }
    let ours = try JSONValue(parsing: written).object
    let theirs = try JSONValue(parsing: text).object
    #expect(ours?["method"] == theirs?["method"])
    #expect(ours?["params"]?.sorted == (theirs?["params"] ?? [:]).sorted)
  }

  mutating func bringAbout(_ text: String) throws -> [String] {
    var object = try #require(try JSONValue(parsing: text).object)
    let id = object["id"]?.integer.flatMap(NativeRequestID.init)
    if let id {
      object["id"] = .integer(try #require(asked[id], "nobody asked for \(text)").number)
    }
    client.handle(.text(JSONValue.object(object).text), at: rig.now)
    let heard = client.next()
    let outputs =
      switch try #require(heard, "the client understood nothing of \(text)") {
      case .news(let event): rig.tell(event)
      case .answer(_, .joined(let grant)): rig.feed(.joined(try #require(id), grant))
      case .answer(_, .reply(let reply)): rig.feed(.replied(try #require(id), reply))
      case .refused(_, let refusal): rig.feed(.refused(try #require(id), refusal))
      default: [NativeRig.Output]()
      }
    closing = outputs.end ?? closing
    return outputs.texts
  }
}
