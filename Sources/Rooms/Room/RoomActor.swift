import Logging
import Machines
import Music
import Realtime
import Recording
import Signaling

/// A permanent place where up to three musicians meet: it tracks its members, routes commands, and captures takes.
///
/// It runs on its media loop's thread, as do all its peers: a packet reaches the journal and the other musicians
/// without leaving the thread. It knows no dialect and no socket.
actor RoomActor {
  /// How often journals are passed to the disk; including the write, this stays below the 200 ms that may be lost.
  static let tickInterval = MonotonicTime.Span.milliseconds(50)
  /// Interval between attempts to finish a take when the disk is full.
  static let roomRetry = MonotonicTime.Span.seconds(5)

  let name: RoomName
  let loop: MediaLoop
  var policy: RoomPolicy
  let services: RoomServices
  var logger: Logger
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  var members: [Member] = []
  /// Departed musicians from whom a take still expects packets.
  var leavers: [Leaver] = []
  var session: Session?
  /// Writing the session down, from its first take on.
  var sessionRecord: Task<Void, Never>?
  /// Why no take begins by itself: the room's quota is used up.
  var quotaRefusal: RoomRefusal?
  /// Asks for the quota until there is room.
  var quotaCheck: Task<Void, Never>?
  /// True if a take would have begun but for the quota.
  var lacksTake = false
  /// Musicians who have left the session.
  var formerSeats = FormerSeats()
  var takes = TakeDesk()
  /// True after a stop until somebody starts a take, or the session ends: no take begins by itself.
  var isStopped = false
  /// True while new senders start muted.
  var mutesNewcomers = false
  var mix = MixDesk()
  /// The musicians' direct connections with each other.
  var mesh = Mesh()
  var shared = SharedDesk()
  /// The backing track that was started last; nil after a stop.
  var backing: BackingPlay?
  /// Number of the service's requests in progress.
  var visits = 0
  /// True if joins are refused: the room is about to be removed or the service is stopping.
  var isClosed = false
  /// True while the service shuts down.
  var isShuttingDown = false
  /// True if the shutdown only waits for the journals.
  var isSealing = false
  private var standstills = StandstillMeter()
  private var ticker: Ticker?
  private var nextLink: UInt64 = 0
  private let whenEmpty: @Sendable (RoomActor) -> Void

  init(
    name: RoomName, loop: MediaLoop, policy: RoomPolicy, services: RoomServices,
    whenEmpty: @escaping @Sendable (RoomActor) -> Void
  ) {
    self.name = name
    self.loop = loop
    self.policy = policy
    self.services = services
    self.whenEmpty = whenEmpty
    logger = services.logger
    logger[metadataKey: "room"] = "\(name)"
  }

  var snapshot: RoomSnapshot {
    RoomSnapshot(
      room: name, policy: policy, session: session?.id, members: members.map { $0.snapshot(at: MonotonicClock.now) },
      take: takes.rolling.flatMap(rollingTake(of:)), cues: takes.rolling?.cues ?? [], isStopped: showsStopped,
      pairs: mesh.pairs, backing: heardBacking(at: MonotonicClock.now))
  }

  // MARK: Coming and going

  /// The result of a successful join.
  struct Seat: Sendable {
    var participant: ParticipantID
    var principal: Principal
    var link: UInt64
    var resumeSecret: String
    var snapshot: RoomSnapshot
    var events: AsyncStream<RoomEvent>
  }

  /// Lets a member in, or back in.
  func join(_ request: JoinRequest) async throws(RoomRefusal) -> Seat {
    guard !isClosed else { throw RoomActor.closing }
    try check(request)
    await waitForGhost(request)
    guard !isClosed else { throw RoomActor.closing }
    // A revocation may have looked for members meanwhile.
    try check(request)
    let now = MonotonicClock.now
    let wish = request.admission(provesResume: proves(request))
    let occupants = members.map { $0.occupant(at: now) }
    if request.role == .listener,
      members.count(where: { $0.role == .listener }) >= services.configuration.maximumListeners
    {
      throw RoomRefusal(
        .tooMany, "the room has \(services.configuration.maximumListeners) listeners, the maximum")
    }
    let member: Member
    let decision = Admission.decide(wish, among: occupants, capacity: policy.capacity)
    switch decision {
    case .refuse(let reason): throw refusal(reason, of: request)
    case .takeOver(let participant):
      guard let seated = members.first(where: { $0.participant.id == participant }) else {
        throw RoomRefusal(.unavailable, "the seat has just been given up; join again")
      }
      member = seated
      takeOver(member, request)
    case .enter, .giveAway:
      if case .giveAway(let ghost) = decision { giveAway(ghost, at: now) }
      member = Member(
        participant: Participant(id: participantID(for: request), name: request.name), role: request.role,
        part: request.part, meta: request.meta, consents: request.consents, resumeSecret: ResumeSecret.make(),
        identity: request.identity)
      member.cameIntoMesh = policy.topology == .mesh
      if request.role == .musician {
        member.isMuted = formerSeats.takeMute(of: request)
        openSessionIfNeeded()
        checkQuota()
      }
      members.append(member)
      startTicker()
      logger.info("joined", metadata: ["participant": "\(member.participant.id)", "role": "\(request.role)"])
    }
    let (events, continuation) = AsyncStream.makeStream(
      of: RoomEvent.self, bufferingPolicy: .bufferingOldest(MemberLink.mailbox))
    nextLink += 1
    member.link = MemberLink(id: nextLink, kind: request.link, events: continuation)
    member.adopt(request, in: name)
    member.awaySince = nil
    member.hasSaidGoodbye = false
    for message in member.missed.take() { _ = member.link?.send(message, keeping: message) }
    member.state = state(of: member, at: now)
    for pair in mesh.comeBack(member.participant.id, at: now) { tell(.pair(pair)) }
    let isBack = occupants.contains { $0.participant.id == member.participant.id }
    tell(isBack ? .changed(member.snapshot(at: now)) : .joined(member.snapshot(at: now)), except: member)
    if !isBack { publish(.roomJoined, .member(member.snapshot(at: now), session: session?.id)) }
    return Seat(
      participant: member.participant.id, principal: member.principal, link: nextLink,
      resumeSecret: member.resumeSecret, snapshot: snapshot,
      events: events)
  }

  /// Hands a seat to other credentials.
  func adopt(_ request: JoinRequest, for participant: ParticipantID, link: UInt64) throws(RoomRefusal) {
    guard let member = member(participant, link: link) else {
      throw RoomRefusal(.notJoined, "this link no longer has a seat; join again")
    }
    try check(request)
    member.adopt(request, in: name)
  }

  /// Whether the credentials permit the requested place. In the room's own order: a revocation is noted first, and then
  /// looks for members in every room.
  private func check(_ request: JoinRequest) throws(RoomRefusal) {
    if let token = request.token { try services.revocations.check(token, in: name) }
    if let meta = request.meta { try check(meta, .meta, what: "meta") }
    try Authorisation.check(
      Principal(request.authority, in: name), request.role.entering, on: .room(name), at: request.door)
  }

  /// The identifier for a new member; returning musicians keep theirs, and so their track.
  private func participantID(for request: JoinRequest) -> ParticipantID {
    let new = ParticipantID(at: MonotonicClock.wall)
    guard request.role == .musician, services.configuration.returning == .track,
      let former = formerSeats.participant(of: request), !members.contains(where: { $0.participant.id == former })
    else { return new }
    return former
  }

  private func proves(_ request: JoinRequest) -> Bool {
    guard let shown = request.resumeSecret,
      let holder = members.first(where: { $0.participant.name == request.name })
    else { return false }
    return ResumeSecret.matches(shown, holder.resumeSecret)
  }

  /// Moves the seat to a new link; media continues until the new link publishes.
  private func takeOver(_ member: Member, _ request: JoinRequest) {
    _ = member.link?.send(.closed(reason: .replaced), keeping: nil)
    member.link?.finish()
    // A new client says itself what it does.
    _ = member.says(.on, at: MonotonicClock.now)
    if let part = request.part { member.part = part }
    if let meta = request.meta { member.meta = meta }
    if member.consents != request.consents {
      member.consents = request.consents
      consentChanged(of: member)
    }
    logger.info("seat taken over", metadata: ["participant": "\(member.participant.id)"])
  }

  /// Handles the end of a signaling link: seat and media are kept for the grace period, or for a moment if the client
  /// itself is leaving.
  func detach(_ participant: ParticipantID, link: UInt64, _ parting: SessionParting) {
    guard let member = member(participant, link: link) else { return }
    for message in member.link?.unread(after: parting) ?? [] { member.missed.add(message) }
    member.hasSaidGoodbye = parting.isLeaving
    member.link?.finish()
    member.link = nil
    member.awaySince = MonotonicClock.now
    tell(.changed(member.snapshot(at: MonotonicClock.now)), except: member)
  }

  /// Removes the member permanently. For the others this happens at once; it returns when no take expects more
  /// packets from the member, who may then close their end. A link that was lost may still leave, unless somebody has
  /// come back to the seat by another one.
  func leave(_ participant: ParticipantID, link: UInt64) async {
    let holder = members.first {
      $0.participant.id == participant && ($0.link?.id ?? $0.formerLink) == link
    }
    guard let member = holder else { return }
    remove(member, at: MonotonicClock.now)
    await waitForEnd(of: participant)
  }

  func member(_ participant: ParticipantID, link: UInt64) -> Member? {
    members.first { $0.participant.id == participant && $0.link?.id == link }
  }

  func remove(_ member: Member, at now: MonotonicTime) {
    guard let index = members.firstIndex(where: { $0 === member }) else { return }
    members.remove(at: index)
    if member.role == .musician {
      formerSeats.remember(
        member.participant, identity: member.identity, address: member.address, resumeSecret: member.resumeSecret,
        isMuted: member.isMuted)
    }
    for (label, _) in member.peers { closePeer(label, of: member, at: now) }
    releaseSharedObjects(of: member.participant.id)
    member.link?.finish()
    member.link = nil
    mix.remove(member.participant.id)
    mesh.leave(member.participant.id)
    logger.info("left", metadata: ["participant": "\(member.participant.id)"])
    tell(.left(member.participant.id))
    publish(.roomLeft, .left(member.participant, session: session?.id))
    if !members.contains(where: { $0.role == .musician }) { sessionEnded(at: now) }
    closeIfEmpty()
  }

  /// Informs the broker once the room is empty and no take is being written or rendered.
  func closeIfEmpty() {
    if members.isEmpty { mutesNewcomers = false }
    guard members.isEmpty, leavers.isEmpty, visits == 0, takes.isIdle, !isClosed
    else { return }
    isClosed = true
    endOutlets()
    stopTicker()
    whenEmpty(self)
  }

  // MARK: Time

  private func startTicker() {
    guard ticker == nil else { return }
    // It retains the room until it is stopped.
    standstills = StandstillMeter()
    ticker = Ticker(loop: loop, interval: RoomActor.tickInterval) { [self] now in tick(at: now) }
  }

  func stopTicker() {
    ticker?.stop()
    ticker = nil
  }

  private func tick(at now: MonotonicTime) {
    if let standstill = standstills.tick(at: now, suspended: MonotonicClock.suspended) { note(standstill) }
    flushCaptures(at: now)
    closeDueLeavers()
    reflectLevels(at: now)
    advanceMesh(to: now)
    updateStates(at: now)
    measureQuality(at: now)
    dismissExpired(at: MonotonicClock.wall)
    for member in members {
      noteAbsence(of: member, at: now)
      if member.endLapsedTalk(at: now) { tell(.changed(member.snapshot(at: now))) }
      if let since = member.awaySince, now - since >= grace(of: member) { remove(member, at: now) }
    }
  }
}
