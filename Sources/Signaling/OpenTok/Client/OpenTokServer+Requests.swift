import Machines
import Music

/// Requests of the client.
extension OpenTokServer {
  mutating func run(_ message: RaptorMessage, _ transaction: String?, _ frame: RumorFrame) throws(OpenTokRefusal) {
    guard let welcome, let entry else { return try enter(message, transaction, frame) }
    guard message.place.key == entry.key, message.place.session == entry.session else {
      throw .notFound("this client is in session \(entry.session) of project \(entry.key)")
    }
    let role = welcome.role
    switch (message.method, message.place.object) {
    case (.read, .session):
      hasRead = true
      tell(RaptorMessage(.read, place(.session), session), answering: transaction)
    case (.create, .connection(let id)) where isMe(id): answer(transaction)
    case (.delete, .connection(let id)):
      if isMe(id) {
        answer(transaction)
        return leave()
      }
      try check(role.mayModerate, "force others to disconnect")
      ask(.forceDisconnect(try connectionID(id)), for: .plain(transaction: transaction))
    case (.create, .stream(let id)):
      try check(role.mayPublish, "publish")
      try begin(try streamID(id), message.content, transaction)
    case (.read, .stream(let id)):
      let stream = try stream(id)
      answer(transaction, RaptorMessage(.read, message.place, OpenTokWire.stream(stream, channels: channels(stream))))
    case (.update, .stream(let id)): try rename(try streamID(id), message.content, transaction)
    case (.delete, .stream(let id)): try end(try streamID(id), role, transaction)
    case (.update, .channel(let channel, let id)):
      try update(channel, of: try streamID(id), message.content, role, transaction)
    case (.create, .subscriber(let id, let stream)):
      try check(role.maySubscribe, "subscribe")
      try subscribe(id, to: try self.stream(stream), message, transaction)
    case (.update, .subscriber): answer(transaction)
    case (.update, .subscriberChannel(let channel, let id, let stream)):
      try listen(id, to: try streamID(stream), channel, message.content)
      answer(transaction)
    case (.delete, .subscriber(let id, let stream)):
      if let leg = legs.find(.subscriber(id, of: try streamID(stream))) { close(leg) }
      answer(transaction)
    case (.offer, _), (.answer, _), (.candidate, _): try negotiate(message, transaction)
    case (.signal, .signal(_, let receiver)):
      try check(role.maySignal, "send signals")
      try signal(message.content, to: receiver, transaction)
    default: throw .badRequest("\(message.method.rawValue) \(message.place.uri) is no request of clients")
    }
  }

  private func check(_ isPermitted: Bool, _ action: String) throws(OpenTokRefusal) {
    guard !isPermitted else { return }
    throw .forbidden("the token's role \(welcome?.role.rawValue ?? "") may not \(action)")
  }

  // MARK: Coming in

  private mutating func enter(
    _ message: RaptorMessage, _ transaction: String?, _ frame: RumorFrame
  ) throws(OpenTokRefusal) {
    guard message.method == .create, case .connection(let id) = message.place.object, let connection else {
      throw .forbidden("create the connection first: {\"method\":\"create\", \"uri\":\"…/connection/ID\"}")
    }
    guard isMe(id) else { throw .badRequest("the connection's id is not the uniqueId of the connect frame") }
    guard entry == nil else { throw .conflict("the connection is being created") }
    guard let token = frame[RumorHeader.token] else { throw .forbidden("there is no header X-TB-TOKEN-AUTH") }
    let place = message.place
    join(OpenTokEntry(key: place.key, session: place.session, connection: connection, token: token), transaction)
  }

  /// The state of the session, for a client that has come in.
  private var session: JSONObject {
    let connections = state?.connections.map { connection -> JSONValue in
      let permissions = connection.id == self.connection ? welcome?.role.permissions ?? [] : []
      return .object(OpenTokWire.connection(connection, permissions: permissions))
    }
    let streams = state?.streams.map { JSONValue.object(OpenTokWire.stream($0, channels: channels($0))) }
    return [
      "id": .string(entry?.session ?? ""), "connection": .array(connections ?? []), "stream": .array(streams ?? []),
      "archive": .array(archives.map(\.json)),
    ]
  }

  // MARK: Own streams

  private mutating func begin(
    _ id: OpenTokStreamID, _ content: JSONObject, _ transaction: String?
  ) throws(OpenTokRefusal) {
    guard streams.count < OpenTokServer.mostStreams else {
      throw OpenTokRefusal(status: 429, "a client has \(OpenTokServer.mostStreams) streams at most; end others first")
    }
    guard !isOwn(id), state?.streams.contains(where: { $0.id == id }) != true else {
      throw .conflict("there is a stream \(id) already; a stream's id is a new UUID")
    }
    let channels = try OpenTokChannel.read(content["channel"])
    let entries = content["channel"]?.array ?? []
    let isActive = { (kind: OpenTokChannel.Kind) in
      entries.contains { entry in
        entry.object?["type"]?.string == kind.rawValue && OpenTokChannel.isActive(entry.object?["active"]) != false
      }
    }
    let video = entries.first { $0.object?["type"]?.string == "video" }
    let name = content["name"]?.string?.shortened(to: OpenTokServer.longestName)
    let description = OpenTokLedger.StreamDescription(
      id: id, name: name ?? "", hasAudio: isActive(.audio), hasVideo: false,
      videoType: video?.object?["source"]?.string == "screen" ? "screen" : "camera")
    streams.append(OwnStream(id: id, description: description, channels: channels))
    ask(.beginStream(id, description), for: .beginStream(transaction: transaction, id, place(.stream(id.description))))
  }

  /// Most characters of a stream's name.
  private static let longestName = 1_000

  private mutating func rename(
    _ id: OpenTokStreamID, _ content: JSONObject, _ transaction: String?
  ) throws(OpenTokRefusal) {
    guard isOwn(id) else { throw .forbidden("\(id) is not this client's stream") }
    if let name = content["name"]?.string {
      describe(id) { $0.name = name.shortened(to: OpenTokServer.longestName) }
    }
    answer(transaction)
  }

  private mutating func end(
    _ id: OpenTokStreamID, _ role: OpenTokToken.Role, _ transaction: String?
  ) throws(OpenTokRefusal) {
    guard isOwn(id) else {
      try check(role.mayModerate, "end others' streams")
      return ask(.forceUnpublish(id), for: .plain(transaction: transaction))
    }
    endStream(id)
    answer(transaction)
  }

  /// Forgets a stream of the client's own, and frees its seat.
  mutating func endStream(_ id: OpenTokStreamID) {
    guard isOwn(id) else { return }
    streams.removeAll { $0.id == id }
    if let leg = legs.find(.publisher(of: id)) { close(leg) }
    ask(.endStream(id))
  }

  private mutating func update(
    _ channel: String, of id: OpenTokStreamID, _ content: JSONObject, _ role: OpenTokToken.Role, _ transaction: String?
  ) throws(OpenTokRefusal) {
    let isActive = OpenTokChannel.isActive(content["active"])
    guard let stream = streams.first(where: { $0.id == id }) else {
      try check(role.mayModerate, "silence others")
      guard isActive == false else { throw .forbidden("only the publisher switches a stream on again") }
      return ask(.forceMute(id), for: .plain(transaction: transaction))
    }
    guard let found = stream.channels.first(where: { $0.id == channel }) else {
      throw .notFound("the stream has no channel \"\(channel.shortened(to: 64))\"")
    }
    if found.kind == .audio, let isActive {
      describe(id) { $0.hasAudio = isActive }
      ask(.media(id, .sound(isActive ? .on : .muted)))
      if isActive { ask(.unmute(id)) }
    }
    answer(transaction)
  }

  private mutating func describe(
    _ id: OpenTokStreamID, _ change: (inout OpenTokLedger.StreamDescription) -> Void
  ) {
    guard let index = streams.firstIndex(where: { $0.id == id }) else { return }
    change(&streams[index].description)
    ask(.describe(id, streams[index].description))
  }

  // MARK: Signals

  private mutating func signal(
    _ content: JSONObject, to receiver: String?, _ transaction: String?
  ) throws(OpenTokRefusal) {
    guard allowance.admit(at: time) else {
      throw OpenTokRefusal(status: 429, "20 signals a second, and 100 at once, are passed on")
    }
    let data =
      switch content["data"] {
      case .string(let text): text
      case nil, .null: ""
      case let value?: value.text
      }
    var target: OpenTokConnectionID?
    if let receiver { target = try connectionID(receiver) }
    let signal = try OpenTokSignal(type: content["type"]?.string, data: data, from: connection, to: target)
    ask(.signal(signal), for: .plain(transaction: transaction))
  }

  // MARK: Names

  func place(_ object: RaptorPlace.Object) -> RaptorPlace {
    RaptorPlace(key: entry?.key ?? "", session: entry?.session ?? "", object)
  }

  func isOwn(_ id: OpenTokStreamID) -> Bool { streams.contains { $0.id == id } }

  /// - Throws: `OpenTokRefusal` 404.
  func own(_ id: OpenTokStreamID) throws(OpenTokRefusal) -> OwnStream {
    guard let stream = streams.first(where: { $0.id == id }) else {
      throw .notFound("\(id) is not this client's stream")
    }
    return stream
  }

  func isMe(_ id: String) -> Bool { connection != nil && OpenTokConnectionID(id) == connection }

  func connectionID(_ text: String) throws(OpenTokRefusal) -> OpenTokConnectionID {
    guard let id = OpenTokConnectionID(text) else { throw .badRequest("a connection's id is a UUID") }
    return id
  }

  func streamID(_ text: String) throws(OpenTokRefusal) -> OpenTokStreamID {
    guard let id = OpenTokStreamID(text) else { throw .badRequest("a stream's id is a UUID") }
    return id
  }

  func stream(_ text: String) throws(OpenTokRefusal) -> OpenTokStream {
    let id = try streamID(text)
    guard let stream = state?.streams.first(where: { $0.id == id }) else {
      throw .notFound("there is no stream \(id) in the session; wait for its \"created\"")
    }
    return stream
  }

  /// The channels of a stream as this client knows them.
  func channels(_ stream: OpenTokStream) -> [OpenTokChannel] {
    streams.first { $0.id == stream.id }?.channels ?? OpenTokChannel.standard
  }
}
