import Machines
import Music
import Testing

@testable import Signaling

/// As `KurentoTranscriptPlayer`, for a session of a tree.
struct KurentoTreeTranscriptPlayer: ~Copyable, TranscriptPlayer {
  private var rig = KurentoTreeRig()
  private var client = DialectClient<KurentoTreeClient>()
  /// The server's last line, as our own client reads it.
  private var understood: DialectClient<KurentoTreeClient>.Output?
  private var asked: [(OperationNumber, TreeCommand)] = []
  private var identifiers: [JSONRPCID: JSONRPCID] = [:]

  func finish(_ transcript: Transcript) {
    #expect(asked.isEmpty, "the page leaves \(asked) unanswered")
  }

  mutating func say(_ text: String, before next: Transcript.Line?) throws -> [String] {
    try mirror(text)
    return collect(rig.say(text))
  }

  /// Our own client would have said the same, but for the identifier.
  private mutating func mirror(_ text: String) throws {
    guard case .request(let request) = try JSONRPCMessage(text, limits: .signaling),
      let method = KurentoTreeMethod(rawValue: request.method),
      let wish = try? TreeCommand.read(method, request.parameters)
    else { return }
    identifiers[request.id] = client.ask(.tree(wish.command, token: wish.token), at: rig.now)
    guard case .send(let written)? = client.next(),
      case .request(let ours) = try JSONRPCMessage(written, limits: .signaling)
    else { return _ = Issue.record("the client said nothing") }
    #expect(ours.method == request.method || request.method == "removeTree" && ours.method == "releaseTree")
    #expect(JSONValue.object(ours.parameters).sorted == JSONValue.object(request.parameters).sorted)
  }

  private mutating func collect(_ outputs: [KurentoTreeRig.Output]) -> [String] {
    for output in outputs {
      switch output {
      case .answer, .notify: break
      case .perform(let operation, let wish): asked.append((operation, wish.command))
      case .resume, .close, .end: Issue.record("\(output)")
      }
    }
    return outputs.said
  }

  mutating func read(_ text: String) throws {
    var object = try #require(try JSONValue(parsing: text).object)
    if let id = object["id"].flatMap(JSONRPCID.init), let ours = identifiers[id] { object["id"] = ours.json }
    client.handle(.text(JSONValue.object(object).text), at: rig.now)
    let heard = client.next()
    understood = heard
    try #require(heard != nil, "the client understood nothing of \(text)")
  }

  mutating func bringAbout(_ text: String) throws -> [String] {
    let wanted = try input(try #require(understood))
    return collect(rig.feed(wanted))
  }

  /// What the shell feeds so that the server says this.
  private mutating func input(_ understood: DialectClient<KurentoTreeClient>.Output) throws -> KurentoTreeServer.Input {
    if case .news(.iceCandidate(let tree, let sink, let candidate)) = understood {
      return .event(.candidate(tree, sink: sink, CandidateMessage(candidate: candidate.candidate)))
    }
    try #require(!asked.isEmpty, "nobody asked for \(understood)")
    let (operation, command) = asked.removeFirst()
    switch understood {
    case .answer(_, .reply(.done)):
      if case .create(let tree?) = command { return .replied(operation, .created(tree)) }
      return .replied(operation, .done)
    case .answer(_, .reply(let reply)): return .replied(operation, reply)
    case .refused(_, let error):
      return .refused(operation, TreeRefusal(try #require(TreeRefusal.Code(rawValue: error.code)), error.description))
    default:
      Issue.record("the client understood \(understood)")
      return .refused(operation, TreeRefusal(.failure, ""))
    }
  }
}
