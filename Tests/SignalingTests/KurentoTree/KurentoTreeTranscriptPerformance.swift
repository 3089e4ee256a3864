import Machines
import Music
import Testing

@testable import Signaling

/// Plays one transcript of a tree: the client's lines into the server's machine, the server's lines, decoded by the
/// client's machine, back through the server's machine, which must write them again.
struct KurentoTreeTranscriptPerformance: ~Copyable {
  private let transcript: KurentoTranscript
  private var server = KurentoTreeServer(
    sessionID: KurentoSample.session, traits: KurentoSample.iOS, at: KurentoSample.start)
  private var client = KurentoTreeClient()
  private var ownWords: [String] = []
  private var asked: [(OperationNumber, TreeCommand)] = []
  private var identifiers: [JSONRPCID: JSONRPCID] = [:]

  init(_ transcript: KurentoTranscript) {
    self.transcript = transcript
  }

  mutating func run() throws {
    for message in transcript.messages {
      if message.isFromClient {
        try mirror(message.text)
        feed(.text(message.text, from: KurentoSample.link))
      } else {
        try answer(message.text)
      }
    }
    #expect(ownWords.isEmpty, "the server also said \(ownWords)")
    #expect(asked.isEmpty, "the document leaves \(asked) unanswered")
  }

  /// Our own client would have said the same, but for the identifier.
  private mutating func mirror(_ text: String) throws {
    guard case .request(let request) = try JSONRPCMessage(text, limits: .signaling),
      let method = KurentoTreeMethod(rawValue: request.method),
      let wish = try? TreeCommand.read(method, request.parameters)
    else { return }
    identifiers[request.id] = client.ask(wish.command, token: wish.token)
    guard case .send(let written)? = client.next(),
      case .request(let ours) = try JSONRPCMessage(written, limits: .signaling)
    else { return _ = Issue.record("the client said nothing") }
    #expect(ours.method == request.method || request.method == "removeTree" && ours.method == "releaseTree")
    #expect(JSONValue.object(ours.parameters).sorted == JSONValue.object(request.parameters).sorted)
  }

  private mutating func feed(_ input: KurentoTreeServer.Input) {
    server.handle(input, at: KurentoSample.start)
    while let output = server.next() {
      switch output {
      case .answer(let text, _), .notify(let text): ownWords.append(text)
      case .perform(let operation, let wish): asked.append((operation, wish.command))
      case .resume, .close, .end: Issue.record("\(output)")
      }
    }
  }

  private mutating func answer(_ text: String) throws {
    var object = try #require(try JSONValue(parsing: text).object)
    if let id = object["id"].flatMap(JSONRPCID.init), let ours = identifiers[id] { object["id"] = ours.json }
    client.handle(.text(JSONValue.object(object).text), at: KurentoSample.start)
    let heard = client.next()
    let understood = try #require(heard)
    if ownWords.isEmpty { feed(try input(understood)) }
    guard !ownWords.isEmpty else { return _ = Issue.record("the server does not say \(text)") }
    #expect(try JSONValue(parsing: ownWords.removeFirst()).sorted == JSONValue(parsing: text).sorted)
  }

  /// What the shell feeds so that the server says this.
  private mutating func input(_ understood: KurentoTreeClient.Output) throws -> KurentoTreeServer.Input {
    if case .notification(.iceCandidate(let tree, let sink, let candidate)) = understood {
      return .event(.candidate(tree, sink: sink, CandidateMessage(candidate: candidate.candidate)))
    }
    try #require(!asked.isEmpty, "nobody asked for \(understood)")
    let (operation, command) = asked.removeFirst()
    switch understood {
    case .result(_, .reply(.done)):
      if case .create(let tree?) = command { return .replied(operation, .created(tree)) }
      return .replied(operation, .done)
    case .result(_, .reply(let reply)): return .replied(operation, reply)
    case .refused(_, let error):
      return .refused(operation, TreeRefusal(try #require(TreeRefusal.Code(rawValue: error.code)), error.description))
    default:
      Issue.record("the client understood \(understood)")
      return .refused(operation, TreeRefusal(.failure, ""))
    }
  }
}
