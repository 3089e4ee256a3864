import Machines
import Music
import Recording
import Rooms
import Signaling
import Synchronization

/// The seat of a client of OpenTok's wire: a listener in the session's room, and a musician while it publishes.
final class OpenTokSeat: LetterboxSeat {
  typealias Words = OpenTokWords
  typealias Stay = LetterboxStay<Letter>

  enum Letter: Sendable {
    /// What happens in the session, once the client is in one; it goes on while the client has no link.
    case news(AsyncStream<OpenTokNews>)
    /// To the seat of a further stream.
    case further(RoomEvent)
  }

  private struct State {
    var claim: OpenTokToken.Claim?
    var connection: OpenTokConnectionID?
    var participant: ParticipantID?
    /// The stream that has the client's own seat.
    var stream: OpenTokStreamID?
    var further: [OpenTokStreamID: OpenTokFurtherStream] = [:]
    /// The client itself has gone: nobody comes back to this seat.
    var hasLeft = false
  }

  private let means: DoorMeans
  private let desk: OpenTokDesk
  private let sockets: OpenTokSockets
  let room: RoomSeat<OpenTokRoomWords>
  let letterbox = Letterbox<Letter>(.unbounded)
  /// What further streams hear, beside the news, which never end.
  private let mail = Letterbox<Letter>(.unbounded)
  private let session: String
  private let socket: OpenTokSockets.Name?
  private let state = Mutex(State())

  init(
    _ means: DoorMeans, _ desk: OpenTokDesk, _ sockets: OpenTokSockets, _ bearer: LinkBearer, session: String,
    socket: OpenTokSockets.Name?
  ) {
    (self.means, self.desk, self.sockets) = (means, desk, sockets)
    // Nobody takes this seat over by the client's name: another connection is another one.
    room = RoomSeat(means, bearer, parking: ParkedSeats())
    (self.session, self.socket) = (session, socket)
  }

  private var sessions: OpenTokSessions { desk.sessions }
  var standing: [Stay] { [.letters(letterbox.letters), .letters(mail.letters)] }

  var proof: Credential? {
    room.proof ?? state.withLock { $0.claim.map { OpenTokDesk.credential(of: $0.project) } }
  }
  var gracePeriod: MonotonicTime.Span { .zero }

  func enter(
    _ entry: OpenTokEntry, for session: any SignalingSession
  ) async throws(OpenTokRefusal) -> (OpenTokWelcome, Stay) {
    let claim = try desk.claim(entry.token, from: link.origin)
    guard claim.project.key == entry.key, claim.session.description == entry.session else {
      throw .forbidden("the token is for another session than that of the connection")
    }
    let news = await sessions.news(of: claim.session)
    let (seating, membership) = try await join(entry, claim, for: session)
    state.withLock { ($0.claim, $0.connection, $0.participant) = (claim, entry.connection, seating.participant) }
    let scene = await scene(of: claim.session, seating.snapshot.take, seating.participant, entry.connection)
    let present = scene.state.connections.first { $0.id == entry.connection }
    let me =
      present
      ?? OpenTokConnection(
        id: entry.connection, participant: seating.participant, createdAt: MonotonicClock.wall,
        data: claim.connectionData)
    let welcome = OpenTokWelcome(role: claim.role, me: me, scene: scene, iceServers: seating.iceServers)
    letterbox.slot.yield(.news(news))
    return (welcome, .room(membership))
  }

  private func join(
    _ entry: OpenTokEntry, _ claim: OpenTokToken.Claim, for session: any SignalingSession
  ) async throws(OpenTokRefusal) -> (Seating, Membership) {
    let id = claim.session
    return try await desk.arrive(claim, as: entry.connection) { name async throws(RoomRefusal) in
      let pass = means.turnstile.gatekeeper.pass(
        room: id.room, name: name, subject: "opentok:\(entry.connection)", authority: claim.role.authority)
      let request = JoinRequest(name: name, role: .listener, door: .opentok)
      return try await room.enter(RoomEntry(id.room, request, token: pass), for: session)
    }
  }

  /// The present state; the client's own connection has the id that it has chosen, also before the ledger knows it.
  private func scene(
    of session: OpenTokSessionID, _ take: RoomSnapshot.RollingTake?, _ me: ParticipantID, _ id: OpenTokConnectionID
  ) async -> OpenTokScene {
    var state =
      await sessions.state(of: session) ?? OpenTokSessionState(session: session, createdAt: MonotonicClock.wall)
    for index in state.connections.indices where state.connections[index].participant == me {
      state.connections[index].id = id
    }
    return OpenTokScene(state, take: take)
  }

  // MARK: Commands

  func perform(_ command: OpenTokCommand) async throws(OpenTokRefusal) -> RoomReply {
    let (claim, participant) = state.withLock { ($0.claim, $0.participant) }
    guard let claim, let participant else { throw .notFound("nobody has joined in this session") }
    let session = claim.session
    do throws(RoomRefusal) {
      switch command {
      case .room(let command): return try await room.perform(command)
      case .media(let stream, let command): return try await seat(of: stream).perform(command)
      default: break
      }
    } catch {
      throw OpenTokRefusal(error)
    }
    // In an open service everybody may everything; the machine has asked the role.
    let isOpen = means.turnstile.gatekeeper.isOpen
    let principal = isOpen ? .operator : Principal(claim.role.authority, in: session.room)
    switch command {
    case .beginStream(let stream, let description): try await begin(stream, description, claim, participant)
    case .describe(let stream, let description):
      let further = state.withLock { $0.further[stream]?.participant }
      await sessions.describe(description, of: further ?? participant, in: session)
    case .endStream(let stream): await end(stream)
    case .signal(let signal): try await sessions.signal(signal, in: session)
    case .forceDisconnect(let id): try await sessions.forceDisconnect(id, from: session, by: principal)
    case .forceUnpublish(let id): try await sessions.forceUnpublish(id, in: session, by: principal)
    case .forceMute(let id): try await sessions.forceMute(id, in: session, by: principal)
    case .unmute(let stream):
      let further = state.withLock { $0.further[stream]?.participant }
      try await sessions.unmute(further ?? participant, in: session)
    case .room, .media: break
    }
    return .done
  }

  // MARK: Streams

  private func seat(of stream: OpenTokStreamID) throws(RoomRefusal) -> RoomSeat<OpenTokRoomWords> {
    let (isOwn, further) = state.withLock { ($0.stream == stream, $0.further[stream]) }
    guard let seat = isOwn ? room : further?.room else {
      throw RoomRefusal(.wrongState, "the stream \(stream) is over")
    }
    return seat
  }

  /// The first stream makes the client's own seat a musician's; each further one takes a seat besides.
  private func begin(
    _ stream: OpenTokStreamID, _ description: OpenTokLedger.StreamDescription, _ claim: OpenTokToken.Claim,
    _ participant: ParticipantID
  ) async throws(OpenTokRefusal) {
    let (isFirst, connection) = state.withLock { state in
      let isFirst = state.stream == nil
      if isFirst { state.stream = stream }
      return (isFirst, state.connection)
    }
    if isFirst {
      do throws(RoomRefusal) {
        try await room.takeSeat()
      } catch {
        state.withLock { $0.stream = nil }
        throw OpenTokRefusal(error)
      }
      await sessions.describe(description, of: participant, in: claim.session)
    } else if let connection {
      let mail = mail.slot
      let further = try await OpenTokFurtherStream.begin(
        stream, OpenTokLedger.Further(of: participant, description), connection, claim, means, desk, link
      ) { mail.yield(.further($0)) }
      state.withLock { $0.further[stream] = further }
    }
  }

  private func end(_ stream: OpenTokStreamID) async {
    let (isOwn, further) = state.withLock { state in
      let isOwn = state.stream == stream
      if isOwn { state.stream = nil }
      return (isOwn, state.further.removeValue(forKey: stream))
    }
    if isOwn { await room.giveUpSeat() }
    await further?.end()
  }

  // MARK: Events

  func read(_ letter: Letter, _ tell: @Sendable (OpenTokNotice) async -> Void) async {
    switch letter {
    case .news(let news): await read(news, tell)
    case .further(let event): await tell(.room(event))
    }
  }

  private func read(_ news: AsyncStream<OpenTokNews>, _ tell: @Sendable (OpenTokNotice) async -> Void) async {
    var news = news
    while !Task.isCancelled {
      for await item in news { await tell(.session(item.event)) }
      guard !Task.isCancelled, let session = state.withLock({ $0.claim?.session }) else { return }
      // This client was too slow: the state tells what it has missed.
      news = await sessions.news(of: session)
      guard let state = await sessions.state(of: session) else { continue }
      await tell(.scene(OpenTokScene(state, take: await means.broker.snapshot(of: session.room)?.take)))
    }
  }

  // MARK: Absence

  func park(for session: any SignalingSession, _ parting: SessionParting) async {
    if parting.isLeaving {
      state.withLock { $0.hasLeft = true }
      await finish(for: session, parting)
    } else {
      await room.park(for: session, parting)
    }
  }

  func takeBack(for session: any SignalingSession) async throws(OpenTokRefusal) -> (OpenTokScene?, Stay?) {
    let (claim, participant, hasLeft) = state.withLock { ($0.claim, $0.participant, $0.hasLeft) }
    guard !hasLeft else { throw .notFound("the session is over") }
    let (snapshot, membership): (RoomSnapshot?, Membership?)
    do throws(RoomRefusal) {
      (snapshot, membership) = try await room.takeBack(for: session)
    } catch {
      throw OpenTokRefusal(error)
    }
    guard let claim, let participant, let snapshot, let state = await sessions.state(of: claim.session),
      state.connections.contains(where: { $0.participant == participant })
    else { return (nil, membership.map { .room($0) }) }
    return (OpenTokScene(state, take: snapshot.take), membership.map { .room($0) })
  }

  func supersede() { room.supersede() }

  func finish(for session: any SignalingSession, _ parting: SessionParting) async {
    letterbox.slot.finish()
    mail.slot.finish()
    let further = state.withLock { state in
      defer { state.further = [:] }
      return state.further
    }
    for stream in further.values { await stream.end() }
    if let socket { sockets.leave(socket, session: self.session) }
    await room.finish(for: session, parting)
  }
}

extension OpenTokToken.Role {
  /// What the client may do in the session's room.
  var authority: Authority {
    switch self {
    case .subscriber: .listener
    case .publisher, .publisheronly: .musician
    case .moderator: .moderator
    }
  }
}

extension OpenTokNotice: RoomEventHolder {}
