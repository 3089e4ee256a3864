import Machines
import Music

/// Requests of the client.
extension KurentoServer {
  /// Begins a request; it ends in `finish`, at once or after the room's reply.
  mutating func run(_ request: JSONRPCRequest) {
    do throws(JSONRPCError) {
      guard let method = KurentoMethod(rawValue: request.method) else { throw unknown(request.method) }
      if method != .joinRoom, seat == nil {
        throw JSONRPCError(
          .userNotFound,
          "No participant with id '\(session.sessionID)' was found: \(method.rawValue) needs a joinRoom first")
      }
      try perform(try KurentoRequest(method, request.parameters))
    } catch {
      finish(.failure(error))
    }
  }

  private func unknown(_ method: String) -> JSONRPCError {
    let known = KurentoMethod.allCases.map(\.rawValue) + JSONRPCControl.allCases.map(\.rawValue)
    return JSONRPCError(
      code: JSONRPCError.unknownMethod,
      "there is no method \"\(method.prefix(64))\"; there are \(known.joined(separator: ", "))")
  }

  private mutating func perform(_ request: KurentoRequest) throws(JSONRPCError) {
    switch request {
    case .joinRoom(let room, let join, let token): try enter(room, join, token: token)
    case .publishVideo(let offer, let loopsBack): try publish(offer, loopsBack: loopsBack)
    case .unpublishVideo: try unpublish()
    case .receiveVideoFrom(let sender, let offer): try subscribe(to: sender, offer)
    case .unsubscribeFromVideo(let sender): try unsubscribe(from: sender)
    case .onIceCandidate(let name, let candidate):
      guard let label = try seat?.legs.label(of: name) else { return }
      ask(.candidate(label, candidate), for: .candidate)
    case .sendMessage(let text, let user, let room): try say(text, as: user, in: room)
    case .customRequest(let parameters):
      if let call = try KurentoMethodCall(parameters) {
        ask(.call(call.method, call.arguments), for: .call)
      } else {
        perform(try KurentoRecorderWish(parameters))
      }
    case .leaveRoom: ask(.leave, for: .leave)
    }
  }

  private mutating func enter(_ room: RoomName, _ join: JoinRequest, token: String?) throws(JSONRPCError) {
    if let seat {
      guard seat.room == room else {
        throw JSONRPCError(.roomGeneric, "this session is in \(seat.room); leave it first, or open another session")
      }
      throw JSONRPCError(.existingUserInRoom, "this session is in \(room) already, as \(seat.name)")
    }
    let operation = newOperation()
    awaited = Awaited(operation: operation, purpose: .join(join.name))
    outputs.append(.join(operation, RoomEntry(room, join, token: token)))
  }

  private mutating func publish(_ offer: String, loopsBack: Bool) throws(JSONRPCError) {
    guard let name = seat?.name, let hadStood = seat?.legs.isWanted(name), let label = try seat?.legs.begin(name) else {
      return
    }
    ask(.publish(label, offer: offer, loopsBack: loopsBack), for: .publish(hadStood: hadStood))
  }

  private mutating func unpublish() throws(JSONRPCError) {
    guard let name = seat?.name, let label = seat?.legs.giveUp(name) else {
      throw JSONRPCError(.userNotStreaming, "this session publishes nothing; publishVideo comes first")
    }
    ask(.close(label), for: .unpublish)
  }

  private mutating func subscribe(to sender: String, _ offer: String) throws(JSONRPCError) {
    guard let found = seat?.source(of: sender) else { throw userNotFound(sender) }
    let source: AudioSource
    switch found.source {
    case .caller:
      throw JSONRPCError(
        .userNotStreaming,
        "\(found.name) is yourself: Can loopback only when publishing media, by publishVideo with \"doLoopback\"")
    case .musician(let musician) where !musician.isPublishing:
      throw JSONRPCError(.userNotStreaming, "\(found.name) publishes nothing; wait for participantPublished")
    case .musician(let musician): source = .participant(musician.id)
    case .mix(let mix): source = mix
    }
    guard let hadStood = seat?.legs.isWanted(found.name), let label = try seat?.legs.begin(found.name) else { return }
    ask(.subscribe(label, to: source, offer: offer), for: .subscribe(found.name, label, hadStood: hadStood))
  }

  private mutating func unsubscribe(from sender: String) throws(JSONRPCError) {
    guard let found = seat?.source(of: sender) else { throw userNotFound(sender) }
    guard found.source != .caller, let label = seat?.legs.giveUp(found.name) else {
      return finish(.success(KurentoServer.unsubscribed))
    }
    ask(.close(label), for: .unsubscribe)
  }

  /// An empty "sdpAnswer": without a string there iOS reports an error.
  static let unsubscribed = JSONRPCResult.members(["sdpAnswer": ""])

  private func userNotFound(_ sender: String) -> JSONRPCError {
    JSONRPCError(
      .userNotFound,
      "nobody is there for the sender \"\(sender.prefix(80))\"; \"<user>_webcam\", \"mix\" or \"mix-minus\" is right")
  }

  private mutating func say(_ text: String, as user: String, in room: String) throws(JSONRPCError) {
    guard let seat else { return }
    guard user == seat.name else {
      throw JSONRPCError(
        .userNotFound, "\"userMessage\" is \"\(user.prefix(80))\"; this session is \"\(seat.name)\"")
    }
    guard room == seat.room.description else {
      throw JSONRPCError(
        .roomNotFound, "\"roomMessage\" is \"\(room.prefix(80))\"; this session is in \"\(seat.room)\"")
    }
    guard text.utf8.count <= TextKind.message.bytes || longMessages.admit(at: time) else {
      throw JSONRPCError(
        .generic,
        "more than 2 messages of over \(TextKind.message.bytes) bytes a second (and 8 at once); send this again in a moment"
      )
    }
    ask(.message(text, to: nil), for: .message)
  }

  private mutating func perform(_ wish: KurentoRecorderWish) {
    switch wish {
    case .startTake(let song): ask(.startTake(song: song), for: .take)
    case .stopTake: ask(.stopTake, for: .take)
    case .splitTake(let song): ask(.splitTake(song: song), for: .take)
    case .song(let song): ask(seat?.take == nil ? .startTake(song: song) : .splitTake(song: song), for: .take)
    case .cue(let text): ask(.cue(text), for: .cue)
    case .status: ask(.snapshot, for: .status)
    case .events(let isOn):
      seat?.hearsRecorder = isOn
      finish(.success(.done))
    }
  }
}
