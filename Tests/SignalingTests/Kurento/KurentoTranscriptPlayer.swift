import Machines
import Music
import Testing

@testable import Signaling

/// The client's lines go into the server's machine of a room; the server's lines, decoded by the client's machine, back
/// through the server's machine, which must write them again.
struct KurentoTranscriptPlayer: ~Copyable, TranscriptPlayer {
  /// What the shell of the server has to answer.
  private enum Asked {
    case room(OperationNumber, KurentoRequest)
    case resume(JSONRPCID)
  }

  private var rig = KurentoRig()
  private var client = DialectClient<KurentoClient>()
  /// The server's last line, as our own client reads it.
  private var understood: DialectClient<KurentoClient>.Output?
  private var asked: [Asked] = []
  /// The labels of the connections, by the name of the endpoint.
  private var labels: [String: PeerLabel] = [:]
  /// The page's identifiers and those of the client's machine.
  private var identifiers: [JSONRPCID: JSONRPCID] = [:]

  func finish(_ transcript: Transcript) {
    #expect(asked.isEmpty, "the page leaves \(asked) unanswered")
  }

  mutating func say(_ text: String, before next: Transcript.Line?) throws -> [String] {
    try mirror(text)
    return collect(rig.say(text))
  }

  /// Our own client would have said the same, but for the identifier and what is no request of ours.
  private mutating func mirror(_ text: String) throws {
    guard case .request(let request)? = try? JSONRPCMessage(text, limits: .signaling) else { return }
    let id: JSONRPCID
    switch JSONRPCControl(rawValue: request.method) {
    case .ping: id = client.ask(.ping(interval: request.parameters["interval"]?.integer), at: rig.now)
    case .connect: id = client.ask(.connect(sessionID: request.parameters["sessionId"]?.string), at: rig.now)
    case .closeSession: id = client.ask(.closeSession, at: rig.now)
    case nil:
      guard let method = KurentoMethod(rawValue: request.method),
        let wish = try? KurentoRequest(method, request.parameters)
      else { return }
      id = client.ask(.room(wish), at: rig.now)
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

  private mutating func collect(_ outputs: [KurentoRig.Output]) -> [String] {
    for output in outputs {
      switch output {
      case .answer(_, let link): #expect(link == KurentoRig.link)
      case .join(let operation, let entry):
        asked.append(.room(operation, .joinRoom(entry.room, entry.request, token: entry.token)))
      case .perform(let operation, let command): note(operation, command)
      case .resume(_, let id, _): asked.append(.resume(id))
      case .notify, .close, .end: break
      }
    }
    return outputs.said
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

  mutating func read(_ text: String) throws {
    var object = try #require(try JSONValue(parsing: text).object)
    if let id = object["id"].flatMap(JSONRPCID.init), let ours = identifiers[id] { object["id"] = ours.json }
    client.handle(.text(JSONValue.object(object).text), at: rig.now)
    let heard = client.next()
    understood = heard
    try #require(heard != nil, "the client understood nothing of \(text)")
    if case .violation(_, let violation) = understood { Issue.record("\(violation): \(text)") }
  }

  mutating func bringAbout(_ text: String) throws -> [String] {
    let input =
      switch try #require(understood) {
      case .news(let notification): try KurentoTranscriptPlayer.event(notification, labels)
      case let answer: try self.input(answer)
      }
    return collect(rig.feed(input))
  }

  /// What the shell feeds so that the server says this answer.
  private mutating func input(_ answer: DialectClient<KurentoClient>.Output) throws -> KurentoServer.Input {
    try #require(!asked.isEmpty, "nobody asked for \(answer)")
    switch (asked.removeFirst(), answer) {
    case (.resume(let id), .refused): return .unknownSession(id, on: KurentoRig.link)
    case (.resume(let id), _): return .resumed(id, on: KurentoRig.link, nil)
    case (.room(let operation, let request), .refused(_, let error)):
      let context: KurentoRefusal.Context = request.method == .joinRoom ? .join : .media
      let code = RoomRefusal.Code.allCases.first { KurentoRefusal.code(of: $0, in: context) == error.code }
      return .refused(operation, RoomRefusal(try #require(code), error.description))
    case (.room(let operation, _), .answer(_, .members(let members))):
      let others = members.map { KurentoSample.member($0.id, publishes: $0.streams == .webcam) }
      return .joined(operation, KurentoSample.seating(KurentoSample.snapshot(others)))
    case (.room(let operation, .unsubscribeFromVideo), _): return .replied(operation, .done)
    case (.room(let operation, _), .answer(_, .sdpAnswer(let sdp))):
      return .replied(operation, .answer(Sample.peer, sdp: sdp))
    case (.room(let operation, _), .answer(_, .custom(let members))):
      return .replied(operation, try KurentoTranscriptPlayer.reply(members))
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
