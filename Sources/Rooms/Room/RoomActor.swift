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
  let policy: RoomPolicy
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
  var mix = MixDesk()
  var shared = SharedDesk()
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
      take: takes.rolling.flatMap(rollingTake(of:)))
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
    guard !isClosed else { throw RoomRefusal(.unavailable, "the room is closing; try again in a moment") }
    let now = MonotonicClock.now
    try check(request)
    let wish = request.admission(provesResume: proves(request))
    let occupants = members.map { $0.occupant(at: now) }
    if request.role == .listener,
      members.count(where: { $0.role == .listener }) >= services.configuration.maximumListeners
    {
      throw RoomRefusal(
        .tooMany, "the room has \(services.configuration.maximumListeners) listeners, the maximum")
    }
    let member: Member
    switch Admission.decide(wish, among: occupants, capacity: policy.capacity) {
    case .refuse(.roomFull(let capacity)):
      throw RoomRefusal(
        .roomFull,
        "all \(capacity) seats of \(name) are taken; come back when a musician has left, or join as a listener")
    case .refuse(.nameTaken(let taken, isPresent: true)):
      throw RoomRefusal(
        .nameTaken, "\"\(taken)\" is in \(name) already; choose another name, or resume with the secret")
    case .refuse(.nameTaken(let taken, isPresent: false)):
      throw RoomRefusal(
        .nameTaken,
        "the seat of \"\(taken)\" is kept for \(Int(policy.gracePeriod.rounded(.up))) seconds after the link was lost; resume "
          + "with its secret, choose another name, or wait")
    case .takeOver(let participant):
      guard let seated = members.first(where: { $0.participant.id == participant }) else {
        throw RoomRefusal(.unavailable, "the seat has just been given up; join again")
      }
      member = seated
      takeOver(member, request)
    case .enter:
      member = Member(
        participant: Participant(id: participantID(for: request), name: request.name), role: request.role,
        part: request.part, consents: request.consents, resumeSecret: ResumeSecret.make(), identity: request.identity)
      if request.role == .musician {
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
    if let token = request.token { try services.revocations.check(token) }
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
    if let old = member.link {
      _ = old.send(.closed(reason: .replaced))
      old.events.finish()
    }
    if let part = request.part { member.part = part }
    if member.consents != request.consents {
      member.consents = request.consents
      consentChanged(of: member)
    }
    logger.info("seat taken over", metadata: ["participant": "\(member.participant.id)"])
  }

  /// Handles a broken signaling link: seat and media are kept for the grace period.
  func detach(_ participant: ParticipantID, link: UInt64) {
    guard let member = member(participant, link: link) else { return }
    member.link?.events.finish()
    member.link = nil
    member.awaySince = MonotonicClock.now
    tell(.changed(member.snapshot(at: MonotonicClock.now)), except: member)
  }

  /// Removes the member permanently. For the others this happens at once; it returns when no take expects more
  /// packets from the member, who may then close their end.
  func leave(_ participant: ParticipantID, link: UInt64) async {
    guard let member = member(participant, link: link) else { return }
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
        member.participant, identity: member.identity, address: member.address, resumeSecret: member.resumeSecret)
    }
    for (label, _) in member.peers { closePeer(label, of: member, at: now) }
    releaseSharedObjects(of: member.participant.id)
    member.link?.events.finish()
    member.link = nil
    mix.remove(member.participant.id)
    logger.info("left", metadata: ["participant": "\(member.participant.id)"])
    tell(.left(member.participant.id))
    publish(.roomLeft, .left(member.participant, session: session?.id))
    if !members.contains(where: { $0.role == .musician }) { sessionEnded(at: now) }
    closeIfEmpty()
  }

  /// Informs the broker once the room is empty and no take is being written or rendered.
  func closeIfEmpty() {
    guard members.isEmpty, leavers.isEmpty, visits == 0, takes.isIdle, !isClosed
    else { return }
    isClosed = true
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
    closeDueLeavers(at: now)
    reflectLevels(at: now)
    let grace = MonotonicTime.Span(nanoseconds: Int64(saturating: policy.gracePeriod * 1e9))
    for member in members {
      noteAbsence(of: member, at: now)
      if let since = member.awaySince, now - since >= grace { remove(member, at: now) }
    }
  }

  /// Starts or ends a member's grace period.
  private func noteAbsence(of member: Member, at now: MonotonicTime) {
    switch member.link?.kind {
    case .live: member.awaySince = nil
    case .resource:
      if member.hasMedia(at: now) { member.awaySince = nil } else if member.awaySince == nil { member.awaySince = now }
    case nil: break
    }
  }
}
