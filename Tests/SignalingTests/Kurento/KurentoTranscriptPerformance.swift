import Machines
import Music
import Testing

@testable import Signaling

/// Plays one transcript of a room: the client's lines into the server's machine, the server's lines, decoded by the
/// client's machine, back through the server's machine, which must write them again.
struct KurentoTranscriptPerformance: ~Copyable {
  /// What the shell of the server has to answer.
  private enum Asked {
    case room(OperationNumber, KurentoRequest)
    case resume(JSONRPCID)
  }

  private let transcript: KurentoTranscript
  private var server = KurentoServer(
    sessionID: KurentoSample.session, traits: KurentoSample.iOS, at: KurentoSample.start)
  private var client = KurentoClient()
  /// What the server's machine said by itself.
  private var ownWords: [String] = []
  private var asked: [Asked] = []
  /// The labels of the connections, by the name of the endpoint.
  private var labels: [String: PeerLabel] = [:]
  /// The document's identifiers and those of the client's machine.
  private var identifiers: [JSONRPCID: JSONRPCID] = [:]

  init(_ transcript: KurentoTranscript) {
    self.transcript = transcript
  }

  mutating func run() throws {
    for message in transcript.messages {
      if message.isFromClient { try say(message.text) } else { try answer(message.text) }
    }
    #expect(ownWords.isEmpty, "the server also said \(ownWords)")
    #expect(asked.isEmpty, "the document leaves \(asked) unanswered")
  }

  private mutating func say(_ text: String) throws {
    try mirror(text)
    server.handle(.text(text, from: KurentoSample.link), at: KurentoSample.start)
    collect()
  }

  /// Our own client would have said the same, but for the identifier and what is no request of ours.
  private mutating func mirror(_ text: String) throws {
    guard case .request(let request)? = try? JSONRPCMessage(text, limits: .signaling) else { return }
    let id: JSONRPCID
    switch JSONRPCControl(rawValue: request.method) {
    case .ping: id = client.ping(interval: request.parameters["interval"]?.integer)
    case .connect: id = client.connect(sessionID: request.parameters["sessionId"]?.string)
    case .closeSession: id = client.closeSession()
    case nil:
      guard let method = KurentoMethod(rawValue: request.method),
        let wish = try? KurentoRequest(method, request.parameters)
      else { return }
      id = client.ask(wish)
    }
    identifiers[request.id] = id
    guard case .send(let written)? = client.next(),
      case .request(let ours) = try JSONRPCMessage(written, limits: .signaling)
    else { return _ = Issue.record("the client said nothing") }
    #expect(ours.method == request.method)
    if let method = KurentoMethod(rawValue: ours.method) {
      #expect(try KurentoRequest(method, ours.parameters) == KurentoRequest(method, request.parameters))
    } else {
      #expect(ours.parameters == request.parameters)
    }
  }

  private mutating func collect() {
    while let output = server.next() {
      switch output {
      case .answer(let text, let link):
        #expect(link == KurentoSample.link)
        ownWords.append(text)
      case .notify(let text): ownWords.append(text)
      case .join(let operation, let entry):
        asked.append(.room(operation, .joinRoom(entry.room, entry.request, token: entry.token)))
      case .perform(let operation, let command): note(operation, command)
      case .resume(_, let id, _): asked.append(.resume(id))
      case .close, .end: break
      }
    }
  }

  private mutating func note(_ operation: OperationNumber, _ command: RoomCommand) {
    switch command {
    case .publish(let label, let offer, let loopsBack):
      labels["ann"] = label
      asked.append(.room(operation, .publishVideo(offer: offer ?? "", loopsBack: loopsBack)))
    case .subscribe(let label, let source, let offer):
      let name = source == .mixMinus ? "mix-minus" : "bob"
      labels[name] = label
      asked.append(.room(operation, .receiveVideoFrom(sender: name, offer: offer ?? "")))
    case .close(labels["ann"]): asked.append(.room(operation, .unpublishVideo))
    case .close: asked.append(.room(operation, .unsubscribeFromVideo(sender: "")))
    case .candidate(_, let candidate):
      asked.append(.room(operation, .onIceCandidate(endpointName: "", candidate)))
    case .message(let text, _): asked.append(.room(operation, .sendMessage(text, user: "", room: "")))
    case .leave: asked.append(.room(operation, .leaveRoom))
    default: asked.append(.room(operation, .customRequest([:])))
    }
  }

  private mutating func answer(_ text: String) throws {
    let understood = try understand(text)
    // What the machine has not said of itself the shell has to bring about.
    if ownWords.isEmpty {
      let input =
        switch understood {
        case .notification(let notification): try KurentoTranscriptPerformance.event(notification, labels)
        default: try self.input(understood)
        }
      server.handle(input, at: KurentoSample.start)
      collect()
    }
    guard !ownWords.isEmpty else { return _ = Issue.record("the server does not say \(text)") }
    #expect(try JSONValue(parsing: ownWords.removeFirst()).sorted == JSONValue(parsing: text).sorted)
  }

  /// The server's line as our own client reads it.
  private mutating func understand(_ text: String) throws -> KurentoClient.Output {
    var object = try #require(try JSONValue(parsing: text).object)
    if let id = object["id"].flatMap(JSONRPCID.init), let ours = identifiers[id] { object["id"] = ours.json }
    client.handle(.text(JSONValue.object(object).text), at: KurentoSample.start)
    let heard = client.next()
    let understood = try #require(heard)
    if case .violation(let sentence) = understood { Issue.record("\(sentence): \(text)") }
    return understood
  }

  /// What the shell feeds so that the server says this answer.
  private mutating func input(_ answer: KurentoClient.Output) throws -> KurentoServer.Input {
    try #require(!asked.isEmpty, "nobody asked for \(answer)")
    switch (asked.removeFirst(), answer) {
    case (.resume(let id), .refused): return .unknownSession(id, on: KurentoSample.link)
    case (.resume(let id), _): return .resumed(id, on: KurentoSample.link, nil)
    case (.room(let operation, let request), .refused(_, let error)):
      let context: KurentoRefusal.Context = request.method == .joinRoom ? .join : .media
      let code = RoomRefusal.Code.allCases.first { KurentoRefusal.code(of: $0, in: context) == error.code }
      return .refused(operation, RoomRefusal(try #require(code), error.description))
    case (.room(let operation, _), .result(_, .members(let members))):
      let others = members.map { KurentoSample.member($0.id, publishes: $0.streams == .webcam) }
      return .joined(operation, KurentoSample.seating(KurentoSample.snapshot(others)))
    case (.room(let operation, .unsubscribeFromVideo), _): return .replied(operation, .done)
    case (.room(let operation, _), .result(_, .sdpAnswer(let sdp))):
      return .replied(operation, .answer(Sample.peer, sdp: sdp))
    case (.room(let operation, _), .result(_, .custom(let members))):
      return .replied(operation, try KurentoTranscriptPerformance.reply(members))
    case (.room(let operation, _), _): return .replied(operation, .done)
    }
  }

  private static func reply(_ members: JSONObject) throws -> RoomReply {
    if members["recording"] != nil { return .snapshot(KurentoSample.snapshot(take: KurentoSample.take)) }
    if let text = members["text"]?.string { return .cue(cue(text)) }
    let take = try #require(members["take"]?.string.flatMap(TakeID.init))
    return .take(take, number: Int(try #require(members["number"]?.integer)))
  }

  private static func cue(_ text: String) -> Cue {
    Cue(id: Sample.id("C1"), position: SamplePosition(3_000_000), text: text)
  }

  /// What happens in the room so that the server tells this.
  private static func event(
    _ notification: KurentoNotification, _ labels: [String: PeerLabel]
  ) throws -> KurentoServer.Input {
    switch notification {
    case .participantJoined(let name): .event(.joined(KurentoSample.member(name)))
    case .participantPublished(let name): .event(.changed(KurentoSample.member(name, publishes: true)))
    case .participantUnpublished(let name): .event(.changed(KurentoSample.member(name)))
    case .participantLeft(let name): .event(.left(KurentoSample.id(name)))
    case .participantEvicted: .event(.closed(reason: .replaced))
    case .sendMessage(_, let user, let text):
      .event(.message(from: KurentoSample.id(user), text: text, isPrivate: false))
    case .iceCandidate(let name, let candidate):
      .event(.candidate(try #require(labels[name]), CandidateMessage(candidate: candidate.candidate)))
    case .mediaError(let text):
      .event(.warning(code: .recordingDegraded, text: String(text.dropFirst("RECORDER: ".count))))
    case .roomClosed: .event(.closed(reason: .roomClosed))
    case .custonNotification(let members): .event(try recorderEvent(members))
    }
  }

  private static func recorderEvent(_ members: JSONObject) throws -> RoomEvent {
    switch members["recorder"]?.string {
    case "take.started": .takeStarted(KurentoSample.take)
    case "take.stopped": .takeStopped(KurentoSample.take.id, next: nil)
    case "take.finished": .takeFinished(KurentoSample.take.id, .ready)
    default: .cue(KurentoSample.take.id, cue(try #require(members["text"]?.string)))
    }
  }
}
