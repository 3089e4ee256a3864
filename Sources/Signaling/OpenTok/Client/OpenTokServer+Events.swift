import Machines
import Music

/// Replies of the session and its room, and what happens in them.
extension OpenTokServer {
  // MARK: Replies

  mutating func joined(_ operation: OperationNumber, _ welcome: OpenTokWelcome) {
    guard case .join(let transaction)? = awaited.removeValue(forKey: operation) else { return }
    self.welcome = welcome
    var state = welcome.scene.state
    if !state.connections.contains(where: { $0.id == welcome.me.id }) { state.connections.append(welcome.me) }
    self.state = state
    archives = welcome.scene.recordings
    answer(transaction)
    let held = early
    early = []
    for notice in held { receive(notice) }
  }

  mutating func replied(_ operation: OperationNumber, _ reply: RoomReply) {
    switch (awaited.removeValue(forKey: operation), reply) {
    case (.plain(let transaction)?, _): answer(transaction)
    case (.beginStream(let transaction, let id, let place)?, _):
      guard let stream = streams.first(where: { $0.id == id }) else { return answer(transaction) }
      // Also on: a former stream may have been muted, and this is another one.
      ask(.media(id, .sound(stream.description.hasAudio ? .on : .muted)))
      answer(transaction, withServers(.create, place))
      tell(RaptorMessage(.generateoffer, place))
    case (.publish(let transaction, let label)?, .answer(_, let sdp)):
      answer(transaction)
      guard var leg = legs[label] else { return }
      leg.isOpen = true
      let candidates = leg.gate.open(sdp)
      legs[label] = leg
      let place = place(of: leg)
      tell(RaptorMessage(.answer, place, ["sdp": .string(sdp)]))
      for candidate in candidates { tell(RaptorMessage(.candidate, place, OpenTokWire.candidate(candidate))) }
    case (.subscribe(let transaction, let label, let place)?, .offer(_, let sdp)):
      answer(transaction, withServers(.create, place))
      guard var leg = legs[label] else { return }
      leg.isOpen = true
      let candidates = leg.gate.open(sdp)
      legs[label] = leg
      if leg.isSilenced { ask(.room(.redirect(label, to: nil))) }
      tell(RaptorMessage(.offer, place, ["sdp": .string(sdp)]))
      for candidate in candidates { tell(RaptorMessage(.candidate, place, OpenTokWire.candidate(candidate))) }
    default: break
    }
  }

  private func withServers(_ method: RaptorMessage.Method, _ place: RaptorPlace) -> RaptorMessage {
    RaptorMessage(method, place, ["iceServers": OpenTokWire.iceServers(welcome?.iceServers ?? [])])
  }

  mutating func refused(_ operation: OperationNumber, _ refusal: OpenTokRefusal) {
    switch awaited.removeValue(forKey: operation) {
    case .join(let transaction)?:
      refuse(transaction, refusal)
      entry = nil
    case .beginStream(let transaction, let id, _)?:
      // The client may have given it up meanwhile.
      streams.removeAll { $0.id == id }
      refuse(transaction, refusal)
    case .publish(let transaction, let label)?:
      // A restart that failed leaves the connection as it was.
      if legs[label]?.isOpen == false { legs.remove(label) }
      refuse(transaction, refusal)
    case .subscribe(let transaction, let label, _)?:
      legs.remove(label)
      refuse(transaction, refusal)
    case .plain(let transaction)?: refuse(transaction, refusal)
    case nil: break
    }
  }

  // MARK: Events

  mutating func receive(_ notice: OpenTokNotice) {
    guard welcome != nil else {
      // What happens while the client comes in; the state may have it already.
      if early.count < OpenTokServer.mostEarly { early.append(notice) }
      return
    }
    switch notice {
    case .room(let event): receive(event)
    case .session(let event): receive(event)
    case .scene(let scene): catchUp(with: scene)
    }
  }

  private mutating func receive(_ event: OpenTokEvent) {
    switch event {
    case .connectionCreated(let connection): created(connection)
    case .connectionDestroyed(let connection, let reason): destroyed(connection, reason)
    case .streamCreated(let stream): created(stream)
    case .streamDestroyed(let stream, let reason): destroyed(stream, reason)
    case .streamChanged(let stream, from: _): changed(stream)
    case .signal(let signal):
      guard signal.to == nil || signal.to == connection else { return }
      tell(signal.type, signal.data, from: signal.from?.description ?? "")
    case .archive(let archive): note(archive)
    // What the room says is heard by the membership; a stream that was silenced has changed.
    case .sessionCreated, .sessionDestroyed, .muteForced, .mutesNewStreams, .room: break
    }
  }

  private mutating func created(_ connection: OpenTokConnection) {
    guard state?.connections.contains(where: { $0.id == connection.id }) == false else { return }
    state?.connections.append(connection)
    report(RaptorMessage(.created, place(.connection(connection.id.description)), OpenTokWire.connection(connection)))
  }

  private mutating func destroyed(_ connection: OpenTokConnection, _ reason: OpenTokReason) {
    // Of the own one the membership hears.
    guard connection.id != self.connection,
      let index = state?.connections.firstIndex(where: { $0.id == connection.id })
    else { return }
    state?.connections.remove(at: index)
    report(
      RaptorMessage(.deleted, place(.connection(connection.id.description)), reason: reason.rawValue))
  }

  private mutating func created(_ stream: OpenTokStream) {
    guard state?.streams.contains(where: { $0.id == stream.id }) == false else { return changed(stream) }
    state?.streams.append(stream)
    report(
      RaptorMessage(
        .created, place(.stream(stream.id.description)), OpenTokWire.stream(stream, channels: channels(stream))))
  }

  private mutating func destroyed(_ stream: OpenTokStream, _ reason: OpenTokReason) {
    if let index = state?.streams.firstIndex(where: { $0.id == stream.id }) {
      state?.streams.remove(at: index)
      report(RaptorMessage(.deleted, place(.stream(stream.id.description)), reason: reason.rawValue))
    }
    for leg in legs.subscriptions(to: stream.id) { close(leg) }
    endStream(stream.id)
  }

  private mutating func changed(_ stream: OpenTokStream) {
    guard let index = state?.streams.firstIndex(where: { $0.id == stream.id }), let former = state?.streams[index]
    else { return }
    state?.streams[index] = stream
    if former.name != stream.name {
      report(RaptorMessage(.updated, place(.stream(stream.id.description)), ["name": .string(stream.name)]))
    }
    guard former.hasAudio != stream.hasAudio else { return }
    for channel in channels(stream) where channel.kind == .audio {
      let place = place(.channel(channel.id, of: stream.id.description))
      report(RaptorMessage(.updated, place, ["active": .bool(stream.hasAudio)]))
    }
  }

  private mutating func receive(_ event: RoomEvent) {
    switch event {
    case .candidate(let label, let candidate):
      guard var leg = legs[label] else { return }
      let placed = leg.gate.pass(candidate)
      legs[label] = leg
      if let placed { tell(RaptorMessage(.candidate, place(of: leg), OpenTokWire.candidate(placed))) }
    case .message(let sender, let text, _):
      let connection = state?.connections.first { $0.participant == sender }
      tell(OpenTokServer.message, text, from: connection?.id.description ?? "")
    case .missed(_, let text, _): tell(OpenTokServer.message, text, from: "")
    case .push(let name, let arguments):
      // Signals come as news, with their sender.
      guard name != OpenTokServer.signalPush else { return }
      tell(name, JSONValue.array(arguments.map(\.json)).text, from: "")
    case .takeStarted(let take): started(take)
    case .takeStopped(let take, let next, _):
      stopped(take.description)
      if let next { started(next) }
    case .closed(let reason): closed(reason)
    default: break
    }
  }

  /// The type of signals that carry what members of other dialects write.
  static let message = "message"
  /// The push by which members of other dialects get signals.
  static let signalPush = "signal"

  private func place(of leg: OpenTokLeg) -> RaptorPlace {
    switch leg.use {
    case .publisher(let stream): place(.stream(stream.description))
    case .subscriber(let id, let stream): place(.subscriber(id, of: stream.description))
    }
  }

  /// Tells what happens, once the client has read the session.
  private mutating func report(_ message: RaptorMessage) {
    if hasRead { tell(message) }
  }

  private mutating func tell(_ type: String?, _ data: String, from sender: String) {
    guard hasRead else { return }
    var content: JSONObject = ["data": .string(data)]
    if let type { content["type"] = .string(type) }
    tell(RaptorMessage(.signal, place(.signal(exchange.newTransaction(), to: nil)), content), from: sender)
  }

  // MARK: Recordings

  /// A take is seen as an archive unless the session has archives: these are what an application can name over REST.
  private mutating func started(_ take: RoomSnapshot.RollingTake) {
    if archives.isEmpty { note(OpenTokArchiveNotice(take)) }
  }

  private mutating func stopped(_ id: String) { note(OpenTokArchiveNotice(id: id, name: "", status: "stopped")) }

  private mutating func note(_ archive: OpenTokArchiveNotice) {
    if let index = archives.firstIndex(where: { $0.id == archive.id }) {
      guard archives[index].status != archive.status else { return }
      if archive.isActive { archives[index].status = archive.status } else { archives.remove(at: index) }
      report(RaptorMessage(.updated, place(.archive(archive.id)), ["status": .string(archive.status)]))
    } else if archive.isActive {
      archives.append(archive)
      if let object = archive.json.object { report(RaptorMessage(.created, place(.archive(archive.id)), object)) }
    }
  }

  // MARK: Ends and returns

  private mutating func closed(_ reason: RoomEvent.ClosingReason) {
    let (word, code): (String?, UInt16) =
      switch reason {
      case .kicked, .expired: (OpenTokReason.forceDisconnected.rawValue, 1000)
      case .roomClosed, .shutdown: ("sessionEnded", reason == .shutdown ? 1001 : 1000)
      case .replaced, .tooSlow: (nil, OpenTokServer.final)
      }
    if let word, let connection, hasRead {
      tell(RaptorMessage(.deleted, place(.connection(connection.description)), reason: word))
    }
    end(code: code, reason: reason.rawValue)
  }

  /// Brings the client to the present state, step by step.
  mutating func catchUp(with scene: OpenTokScene) {
    guard let state, welcome != nil else { return }
    let streams = Set(scene.state.streams.map(\.id))
    let connections = Set(scene.state.connections.map(\.id))
    for stream in state.streams where !streams.contains(stream.id) { destroyed(stream, .clientDisconnected) }
    for connection in state.connections where !connections.contains(connection.id) {
      destroyed(connection, .clientDisconnected)
    }
    for connection in scene.state.connections { created(connection) }
    for stream in scene.state.streams { created(stream) }
    let recordings = Set(scene.state.archives.map(\.id) + [scene.take?.id.description].compactMap { $0 })
    for archive in archives where !recordings.contains(archive.id) { stopped(archive.id) }
    for archive in scene.recordings { note(archive) }
  }
}

extension OpenTokScene {
  /// What clients see of recordings: the session's archives; without one the take.
  var recordings: [OpenTokArchiveNotice] {
    state.archives.isEmpty ? take.map { [OpenTokArchiveNotice($0)] } ?? [] : state.archives
  }
}

extension OpenTokArchiveNotice {
  /// A take as clients see it: they are being recorded.
  init(_ take: RoomSnapshot.RollingTake) {
    let song = take.song.map { ": \($0.title)" } ?? ""
    self.init(id: take.id.description, name: "take \(take.number)\(song)", status: "started")
  }
}
