import Music

/// One session's connections and streams, as the events of its room make them: pure, for the shell and for tests.
package struct OpenTokLedger: Hashable, Sendable {
  package let session: OpenTokSessionID
  package private(set) var state: OpenTokSessionState
  private var members: [ParticipantID: Entry] = [:]
  /// What a client has said of itself before it came in, by its display name.
  private var expected: [DisplayName: Arrival] = [:]
  private var expectedAt: WallTime
  /// How often somebody was here, or has published, before; for those who have left.
  private var counts: [ParticipantID: Counts] = [:]
  /// Most entries of those who have left.
  private static let mostCounts = 4_096

  private struct Counts: Hashable, Sendable {
    var stays = 0
    var publications = 0
  }

  private struct Entry: Hashable, Sendable {
    var connection: OpenTokConnection
    var arrival: Arrival
    var stream: OpenTokStream?
    /// What the next, or the present, stream says of itself.
    var description: StreamDescription
    var isMuted: Bool
    var sound: SoundState
    /// Why it is about to end.
    var ending: OpenTokReason?
    var streamEnding: OpenTokReason?
  }

  /// What a client says of itself.
  package struct Arrival: Hashable, Sendable {
    /// The connection's id, which clients of the wire choose themselves.
    package var id: OpenTokConnectionID?
    /// The token's connection data.
    package var data: String
    /// The token's first layout classes of streams.
    package var layoutClasses: [String]
    /// Of a further stream of somebody's connection: whose, and what the stream says of itself.
    package var further: Further?

    package init(
      id: OpenTokConnectionID? = nil, data: String, layoutClasses: [String] = [], further: Further? = nil
    ) {
      (self.id, self.data, self.layoutClasses, self.further) = (id, data, layoutClasses, further)
    }
  }

  /// A further stream of a connection has a member of its own in the room, and is no connection.
  package struct Further: Hashable, Sendable {
    /// The member that is the connection.
    package var owner: ParticipantID
    package var description: StreamDescription

    package init(of owner: ParticipantID, _ description: StreamDescription) {
      (self.owner, self.description) = (owner, description)
    }
  }

  /// What a client says of its stream.
  package struct StreamDescription: Hashable, Sendable {
    /// The stream's id, which clients of the wire choose themselves.
    package var id: OpenTokStreamID?
    package var name: String
    package var hasVideo: Bool
    package var videoType: String
    /// False while the client sends no sound by its own choice.
    package var hasAudio: Bool

    package init(
      id: OpenTokStreamID? = nil, name: String, hasAudio: Bool = true, hasVideo: Bool = false,
      videoType: String = "camera"
    ) {
      self.id = id
      (self.name, self.hasAudio, self.hasVideo, self.videoType) = (name, hasAudio, hasVideo, videoType)
    }
  }

  package init(_ session: OpenTokSessionID, at time: WallTime) {
    self.session = session
    expectedAt = time
    state = OpenTokSessionState(session: session, createdAt: time)
  }

  /// True while nobody is in the session.
  package var isEmpty: Bool { members.isEmpty }
  /// True if nobody is in it, and nobody is about to come in.
  package var isIdle: Bool { members.isEmpty && expected.isEmpty }

  /// A client of this name is about to come in by OpenTok's wire.
  /// - Throws: `OpenTokRefusal` 409 if somebody has the connection's id: signals to one would reach the other.
  package mutating func expect(_ name: DisplayName, _ arrival: Arrival, at time: WallTime) throws(OpenTokRefusal) {
    if let id = arrival.id, isTaken(id) || expected.contains(where: { $0.key != name && $0.value.id == id }) {
      throw .conflict("there is a connection \(id) already; a connection's id is a new UUID")
    }
    if expected.count >= OpenTokLedger.mostCounts { expected.removeAll() }
    expected[name] = arrival
    expectedAt = time
  }

  private func isTaken(_ id: OpenTokConnectionID) -> Bool { state.connections.contains { $0.id == id } }

  /// True if nobody is in it, and whoever was about to come in a minute ago has not come.
  package func waitsInVain(at time: WallTime) -> Bool { isEmpty && time - expectedAt > .seconds(60) }

  /// The client of this name has not come in.
  package mutating func forget(_ name: DisplayName) { expected[name] = nil }

  // MARK: The room

  /// Brings the ledger to the members of a snapshot of the room: at its beginning, and after events were lost.
  package mutating func adopt(_ present: [RoomSnapshot.Member], at time: WallTime) -> [OpenTokEvent] {
    var events: [OpenTokEvent] = []
    let ids = Set(present.map(\.participant.id))
    for id in members.keys.filter({ !ids.contains($0) }).sorted() { events += left(id) }
    for member in present {
      events += joinedOrChanged(member, at: time)
      if member.isPublishing {
        events += published(member.participant.id, at: time)
      } else {
        events += unpublished(member.participant.id)
      }
    }
    return events
  }

  /// Carries out an event of the room.
  package mutating func handle(_ event: RoomEvent, at time: WallTime) -> [OpenTokEvent] {
    switch event {
    case .joined(let member), .changed(let member): joinedOrChanged(member, at: time)
    case .left(let participant): left(participant)
    case .published(let participant): published(participant, at: time)
    case .unpublished(let participant): unpublished(participant)
    case .takeStarted, .takeStopped, .message: [.room(event)]
    default: []
    }
  }

  private mutating func joinedOrChanged(_ member: RoomSnapshot.Member, at time: WallTime) -> [OpenTokEvent] {
    let id = member.participant.id
    guard members[id] == nil else { return changed(member) }
    // Somebody of that name who comes by another door is somebody else.
    let isClient = member.door == .opentok
    let arrival = isClient ? expected.removeValue(forKey: member.participant.name) : nil
    if let arrival, let further = arrival.further, let owner = members[further.owner] {
      // Its sound comes by the owner's connection, under its own participant.
      var connection = owner.connection
      connection.participant = id
      members[id] = Entry(
        connection: connection, arrival: arrival, description: further.description, isMuted: member.isMuted,
        sound: member.sound)
      return []
    }
    let name = member.participant.name.description
    let connection = OpenTokConnection(
      id: arrival?.id.flatMap { isTaken($0) ? nil : $0 } ?? OpenTokConnectionID(of: id, stay: counts[id]?.stays ?? 0),
      participant: id, createdAt: time,
      data: arrival?.data ?? name, isConnected: member.isConnected)
    let isFirst = members.isEmpty
    if isFirst { state.createdAt = time }
    members[id] = Entry(
      connection: connection, arrival: arrival ?? Arrival(data: name), description: StreamDescription(name: name),
      isMuted: member.isMuted, sound: member.sound)
    state.connections.append(connection)
    return (isFirst ? [.sessionCreated] : []) + [.connectionCreated(connection)]
  }

  private mutating func changed(_ member: RoomSnapshot.Member) -> [OpenTokEvent] {
    let id = member.participant.id
    members[id]?.connection.isConnected = member.isConnected
    members[id]?.isMuted = member.isMuted
    members[id]?.sound = member.sound
    if let index = state.connections.firstIndex(where: { $0.participant == id }) {
      state.connections[index].isConnected = member.isConnected
    }
    return refresh(id)
  }

  private mutating func left(_ id: ParticipantID) -> [OpenTokEvent] {
    guard let entry = members[id] else { return [] }
    let standard: OpenTokReason = entry.connection.isConnected ? .clientDisconnected : .networkDisconnected
    let reason = entry.ending ?? standard
    members[id]?.streamEnding = reason
    var events = unpublished(id)
    members[id] = nil
    if entry.arrival.further == nil {
      for further in further(of: id) {
        members[further]?.streamEnding = reason
        events += unpublished(further)
      }
      if counts.count >= OpenTokLedger.mostCounts { counts.removeAll() }
      counts[id, default: Counts()].stays &+= 1
      state.connections.removeAll { $0.participant == id }
      events.append(.connectionDestroyed(entry.connection, reason))
    }
    if members.isEmpty {
      events.append(.sessionDestroyed)
      state.mutesNewStreams = false
    }
    return events
  }

  private mutating func published(_ id: ParticipantID, at time: WallTime) -> [OpenTokEvent] {
    guard let entry = members[id], entry.stream == nil else { return [] }
    // Two clients may have chosen one id before either could be heard.
    let chosen = entry.description.id.flatMap { id in state.streams.contains { $0.id == id } ? nil : id }
    let stream = stream(
      of: entry, chosen ?? OpenTokStreamID(of: id, publication: counts[id]?.publications ?? 0), createdAt: time,
      classes: entry.arrival.layoutClasses)
    counts[id, default: Counts()].publications &+= 1
    members[id]?.stream = stream
    members[id]?.streamEnding = nil
    state.streams.append(stream)
    return [.streamCreated(stream)]
  }

  private mutating func unpublished(_ id: ParticipantID) -> [OpenTokEvent] {
    guard let entry = members[id], let stream = entry.stream else { return [] }
    members[id]?.stream = nil
    members[id]?.streamEnding = nil
    state.streams.removeAll { $0.id == stream.id }
    return [.streamDestroyed(stream, entry.streamEnding ?? .clientDisconnected)]
  }

  private func stream(
    of entry: Entry, _ id: OpenTokStreamID, createdAt time: WallTime, classes: [String]
  ) -> OpenTokStream {
    OpenTokStream(
      id: id, connection: entry.connection.id, participant: entry.connection.participant, createdAt: time,
      name: entry.description.name,
      hasAudio: entry.description.hasAudio && !entry.isMuted && entry.sound != .muted,
      hasVideo: entry.description.hasVideo, videoType: entry.description.videoType, layoutClasses: classes)
  }

  /// Makes the stream say what is known now.
  private mutating func refresh(_ id: ParticipantID) -> [OpenTokEvent] {
    guard let entry = members[id], let former = entry.stream else { return [] }
    let next = stream(of: entry, former.id, createdAt: former.createdAt, classes: former.layoutClasses)
    return replace(former, by: next)
  }

  private mutating func replace(_ former: OpenTokStream, by next: OpenTokStream) -> [OpenTokEvent] {
    guard next != former, let index = state.streams.firstIndex(where: { $0.id == former.id }) else { return [] }
    state.streams[index] = next
    members[next.participant]?.stream = next
    return [.streamChanged(next, from: former)]
  }

  // MARK: What the shell says

  /// A client says what its stream is, before it publishes or meanwhile.
  package mutating func describe(_ description: StreamDescription, of participant: ParticipantID) -> [OpenTokEvent] {
    members[participant]?.description = description
    return refresh(participant)
  }

  /// - Throws: `OpenTokRefusal` 404 for a stream that is not there; nothing has changed then.
  package mutating func classify(
    _ classes: [OpenTokStreamID: [String]]
  ) throws(OpenTokRefusal) -> [OpenTokEvent] {
    for id in classes.keys where !state.streams.contains(where: { $0.id == id }) {
      throw .notFound("Stream not found: \(id) is not in this session")
    }
    var events: [OpenTokEvent] = []
    for former in state.streams {
      guard let list = classes[former.id] else { continue }
      var next = former
      next.layoutClasses = list
      events += replace(former, by: next)
    }
    return events
  }

  /// Says why a connection is about to end; nil if it is not after all.
  package mutating func note(_ reason: OpenTokReason?, ending participant: ParticipantID) {
    members[participant]?.ending = reason
  }

  /// The members of a connection's further streams.
  private func further(of owner: ParticipantID) -> [ParticipantID] {
    members.filter { $0.value.arrival.further?.owner == owner }.keys.sorted()
  }

  /// Says why a stream is about to end; nil if it is not after all.
  package mutating func note(_ reason: OpenTokReason?, endingStreamOf participant: ParticipantID) {
    members[participant]?.streamEnding = reason
  }

  /// New streams start muted from now on, or no longer.
  package mutating func muteNewStreams(_ isActive: Bool) -> [OpenTokEvent] {
    guard state.mutesNewStreams != isActive else { return [] }
    state.mutesNewStreams = isActive
    return [.mutesNewStreams(isActive)]
  }
}
