import Music
import Rooms
import Signaling

/// Signals, and what moderators and the servers of applications do with others.
extension OpenTokSessions {
  /// Sends a signal to everybody or to one connection. Members of every dialect get the push `signal` with type, data
  /// and the sender's connection id; readers of the news get `.signal`.
  /// - Throws: `OpenTokRefusal` 404.
  func signal(_ signal: OpenTokSignal, in session: OpenTokSessionID) async throws(OpenTokRefusal) {
    _ = await state(of: session)
    let receiver = try connection(signal.to, in: session)
    let arguments = [signal.type, signal.data, signal.from?.description].map { text in
      text.map(SharedValue.string) ?? .null
    }
    try await carryOut { () async throws(RoomRefusal) in
      try await broker.push(OpenTokSessions.push, arguments, to: receiver?.participant, in: session.room)
    }
    tell([.signal(signal)], in: session)
  }

  /// The name of the push that carries a signal.
  static let push = "signal"

  /// - Parameter principal: the rights of the caller: a member, or `OpenTokDesk.principal`.
  /// - Throws: `OpenTokRefusal` 404, 403.
  func forceDisconnect(
    _ id: OpenTokConnectionID, from session: OpenTokSessionID, by principal: Principal
  ) async throws(OpenTokRefusal) {
    _ = await state(of: session)
    guard let participant = try connection(id, in: session)?.participant else { return }
    try await end(in: session) { ledger, isEnding in
      ledger.note(isEnding ? .forceDisconnected : nil, ending: participant)
    } by: { () async throws(RoomRefusal) in
      try await broker.kick(participant, from: session.room, by: principal, at: .opentok)
    }
  }

  /// Ends a stream; its connection stays.
  /// - Throws: `OpenTokRefusal` 404, 403.
  func forceUnpublish(
    _ id: OpenTokStreamID, in session: OpenTokSessionID, by principal: Principal
  ) async throws(OpenTokRefusal) {
    _ = await state(of: session)
    let participant = try stream(id, in: session).participant
    try await end(in: session) { ledger, isEnding in
      ledger.note(isEnding ? .forceUnpublished : nil, endingStreamOf: participant)
    } by: { () async throws(RoomRefusal) in
      try await broker.unpublish(participant, in: session.room, by: principal, at: .opentok)
    }
  }

  /// Ends something of a session, whose ledger knows the reason before it happens; and no longer if it does not happen.
  private func end(
    in session: OpenTokSessionID, _ note: (inout OpenTokLedger, _ isEnding: Bool) -> Void,
    by body: () async throws(RoomRefusal) -> Void
  ) async throws(OpenTokRefusal) {
    if var ledger = ledgers[session.room] {
      note(&ledger, true)
      ledgers[session.room] = ledger
    }
    do throws(OpenTokRefusal) {
      try await carryOut(body)
    } catch {
      if var ledger = ledgers[session.room] {
        note(&ledger, false)
        ledgers[session.room] = ledger
      }
      throw error
    }
  }

  /// Silences a stream, which may unmute itself.
  /// - Throws: `OpenTokRefusal` 404.
  func forceMute(
    _ id: OpenTokStreamID, in session: OpenTokSessionID, by principal: Principal
  ) async throws(OpenTokRefusal) {
    _ = await state(of: session)
    let stream = try stream(id, in: session)
    try await mute(stream.participant, true, in: session, by: principal)
    tell([.muteForced([id])], in: session)
  }

  /// Silences all streams but those excluded, and those that come later; or ends that.
  /// - Throws: `OpenTokRefusal` 404.
  func forceMuteAll(
    _ isActive: Bool, excluding excluded: [OpenTokStreamID], in session: OpenTokSessionID, by principal: Principal
  ) async throws(OpenTokRefusal) {
    guard let state = await state(of: session) else { throw .nobodyConnected }
    var kept: Set<ParticipantID> = []
    for id in excluded { kept.insert(try stream(id, in: session).participant) }
    var reached: [ParticipantID] = []
    try await carryOut { () async throws(RoomRefusal) in
      reached = try await broker.muteAll(isActive, except: kept, in: session.room, by: principal, at: .opentok)
    }
    tell(change(session) { $0.muteNewStreams(isActive) }, in: session)
    let silenced = state.streams.filter { reached.contains($0.participant) }.map(\.id)
    if isActive { tell([.muteForced(silenced)], in: session) }
  }

  /// A client unmutes itself.
  func unmute(_ participant: ParticipantID, in session: OpenTokSessionID) async throws(OpenTokRefusal) {
    try await mute(participant, false, in: session, by: .operator)
  }

  /// - Throws: `OpenTokRefusal` 404.
  func classify(
    _ classes: [OpenTokStreamID: [String]], in session: OpenTokSessionID
  ) async throws(OpenTokRefusal) {
    _ = await state(of: session)
    guard var ledger = ledgers[session.room], !ledger.isEmpty else { throw .nobodyConnected }
    let events = try ledger.classify(classes)
    ledgers[session.room] = ledger
    tell(events, in: session)
  }

  private func mute(
    _ participant: ParticipantID, _ isMuted: Bool, in session: OpenTokSessionID, by principal: Principal
  ) async throws(OpenTokRefusal) {
    try await carryOut { () async throws(RoomRefusal) in
      try await broker.mute(participant, isMuted, in: session.room, by: principal, at: .opentok)
    }
  }

  private func carryOut(_ body: () async throws(RoomRefusal) -> Void) async throws(OpenTokRefusal) {
    do throws(RoomRefusal) {
      try await body()
    } catch {
      throw OpenTokRefusal(error)
    }
  }

  private func connection(
    _ id: OpenTokConnectionID?, in session: OpenTokSessionID
  ) throws(OpenTokRefusal) -> OpenTokConnection? {
    guard let ledger = ledgers[session.room], !ledger.isEmpty else { throw .nobodyConnected }
    guard let id else { return nil }
    guard let connection = ledger.state.connections.first(where: { $0.id == id }) else {
      throw .notFound("Connection not found: \(id) is not in this session")
    }
    return connection
  }

  private func stream(
    _ id: OpenTokStreamID, in session: OpenTokSessionID
  ) throws(OpenTokRefusal) -> OpenTokStream {
    guard let ledger = ledgers[session.room], !ledger.isEmpty else { throw .nobodyConnected }
    guard let stream = ledger.state.streams.first(where: { $0.id == id }) else {
      throw .notFound("Stream not found: \(id) is not in this session")
    }
    return stream
  }
}
