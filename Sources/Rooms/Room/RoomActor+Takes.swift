import Logging
import Machines
import Music
import Realtime
import Recording
import Signaling

/// Takes: begin, end, split, and what the disk and the render say of them.
extension RoomActor {
  /// A take begins so much before its first packet arrived: what is heard was played before it came.
  static let leadIn = MonotonicTime.Span.milliseconds(200)
  /// What was played before a stop may be so long on its way.
  static let tail = MonotonicTime.Span.milliseconds(250)
  /// The last packet that came lasts so long, or less.
  static let lastPacket = MonotonicTime.Span.milliseconds(20)
  /// With holes still open, a stopped take waits for retransmissions up to this long.
  static let patientTail = MonotonicTime.Span.milliseconds(600)

  var capturesInProgress: [Capture] {
    ending.map(\.capture) + (capture.map { [$0] } ?? [])
  }

  func rollingTake(of capture: Capture) -> RoomSnapshot.RollingTake? {
    capture.stored.map { .init(id: $0.id, number: $0.number, song: $0.song, startedAt: $0.startedAt) }
  }

  /// The capture of a take that is not complete yet.
  private func capture(of take: TakeID) -> Capture? {
    capturesInProgress.first { $0.take == take } ?? finishing[take]?.capture
  }

  // MARK: Commands

  func startTake(song: String?) async throws(RoomRefusal) -> RoomReply {
    if capture != nil {
      throw RoomRefusal(.takeRolling, "a take rolls already; split it to begin the next one without a break")
    }
    guard session != nil, !isClosed else {
      throw RoomRefusal(.wrongState, "nobody is in \(name) to be recorded; a musician has to join first")
    }
    if let song { try check(song, what: "a song's title") }
    let now = MonotonicClock.now
    let capture = beginTake(zero: now, song: song, at: now)
    return try await reply(whenStored: capture)
  }

  func stopTake() throws(RoomRefusal) -> RoomReply {
    guard let capture, let take = capture.stored else {
      throw RoomRefusal(.noTake, "no take rolls in \(name); start one first")
    }
    endTake(capture, at: end(of: capture, at: MonotonicClock.now), reason: .stopped, tail: RoomActor.tail)
    return .take(take.id, number: take.number)
  }

  func splitTake(song: String?) async throws(RoomRefusal) -> RoomReply {
    guard let former = capture else {
      throw RoomRefusal(.noTake, "no take rolls in \(name); start one first")
    }
    if let song { try check(song, what: "a song's title") }
    let now = MonotonicClock.now
    endTake(former, at: end(of: former, at: now), reason: .split, tail: RoomActor.tail, hasNext: true)
    let next = beginTake(zero: now, song: song, at: now)
    let reply = try await reply(whenStored: next)
    tell(.takeStopped(former.take, next: rollingTake(of: next)))
    if let stored = next.stored { publish(.takeSplit, .split(from: former.take, to: stored)) }
    return reply
  }

  func setCue(_ text: String, by author: ParticipantID?) throws(RoomRefusal) -> RoomReply {
    try check(text, what: "a cue")
    guard let capture else { throw RoomRefusal(.noTake, "no take rolls in \(name), so there is nothing to mark") }
    let now = MonotonicClock.now
    let nanoseconds = max(0, (now - capture.zero).nanoseconds)
    let cue = Cue(
      id: CueID(at: MonotonicClock.wall), position: SamplePosition(nanoseconds / 1_000 * 48 / 1_000), text: text,
      author: author)
    capture.append(.cue(at: now, cue.id, text: text, author: author))
    tell(.cue(capture.take, cue))
    publish(.takeCue, .cue(capture.take, cue))
    return .cue(cue)
  }

  private func reply(whenStored capture: Capture) async throws(RoomRefusal) -> RoomReply {
    await capture.waitUntilSettled()
    guard let take = capture.stored else {
      throw RoomRefusal(.storage, "the take could not be written; see the service's log, and whether the disk is full")
    }
    return .take(take.id, number: take.number)
  }

  // MARK: Begin

  /// Begins a take at once, in memory; its row and its file follow.
  @discardableResult
  func beginTake(zero: MonotonicTime, song: String?, at now: MonotonicTime) -> Capture {
    let wall = MonotonicClock.wall
    let capture = Capture(
      take: TakeID(at: wall), zero: zero,
      startedAt: wall - .nanoseconds((now - zero).nanoseconds), songTitle: song)
    self.capture = capture
    services.ledger.begin(.take, capture.take)
    for member in members { member.publication?.feed?.takeBegins(at: now) }
    for member in members where member.consents {
      if let publication = member.publication, publication.hasAudio {
        open(publication, of: member, in: capture, at: now)
      }
    }
    let take = capture.take
    // The packets of this moment must not wait for the index and the disk; `capture` says when it is stored.
    Task { await store(take) }
    return capture
  }

  /// Opens (or continues) a publication's track, with the packets that the decoder needs to run in.
  func open(_ publication: Publication, of member: Member, in capture: Capture, at now: MonotonicTime) {
    guard let stream = publication.stream, !publication.captures.contains(where: { $0.capture === capture }) else {
      return
    }
    let track = capture.openTrack(
      for: member.participant, part: member.part, origin: publication.origin, stream: stream, at: now)
    publication.captures.append((capture, track))
    publication.writePast(before: now, into: capture, track: track)
  }

  /// Gives a new take its row in the index, its folder and its file.
  private func store(_ id: TakeID) async {
    guard let capture = capture(of: id) else { return }
    guard let session else { return await discard(capture) }
    let wanted = Take(
      id: capture.take, number: 1, state: .rolling, room: name, session: session.id, startedAt: capture.startedAt,
      folder: "")
    do {
      var take = try await services.index.create(
        wanted, songTitle: capture.songTitle, folder: { TakeFolder.relativePath(for: $0) })
      let folder = try await DescriptorPatience.run { [take] () throws(FileProblem) in
        try TakeFolder.create(for: take, in: services.configuration.recordings)
      }
      take.folder = folder.path
      let journal = try await DescriptorPatience.run { () throws(FileProblem) in try JournalFile(creatingIn: folder) }
      let (stored, root) = (take, services.configuration.recordings)
      let lane = JournalLane(
        storage: journal,
        rescue: { () throws(FileProblem) in
          let folder = try TakeFolder.restore(for: stored, in: root)
          try journal.move(to: folder)
          return folder
        },
        report: { [weak self] report in
          // Called on the disk's thread, which waits for nobody.
          Task { await self?.diskReported(report, of: id) }
        })
      let header = JournalHeader(take: take, zero: capture.zero, software: services.configuration.software)
      capture.attach(lane, take: take, folder: folder, header: header) { [disk = services.disk] in disk.schedule($0) }
      logger.info("take rolls", metadata: ["take": "\(take.id)", "number": "\(take.number)"])
      publish(.takeStarted, .take(take))
      if let rolling = rollingTake(of: capture), self.capture === capture {
        tell(.takeStarted(rolling))
        announce(recording: take.id)
      }
    } catch {
      logger.error("a take cannot be written", metadata: ["error": "\(error)"])
      warn(.recordingDegraded, "This is not being recorded: \(error)", take: id)
      await discard(capture)
    }
  }

  // MARK: End

  /// Where a take ends that is ended now: what a pushed file brought ahead of the clock belongs to it.
  func end(of capture: Capture, at now: MonotonicTime) -> MonotonicTime {
    guard capture.isAhead(of: now), let last = capture.lastAudio else { return now }
    return last + RoomActor.lastPacket
  }

  /// Ends a take at `end`; its journal stays open for `tail`, for what is still on its way.
  func endTake(
    _ capture: Capture, at end: MonotonicTime, reason: JournalEnd, tail: MonotonicTime.Span, hasNext: Bool = false
  ) {
    let now = MonotonicClock.now
    self.capture = nil
    let patience = tail == .zero ? .zero : RoomActor.patientTail
    var latest = now + patience
    if reason == .sessionEnded { latest = leavers.map(\.deadline).max() ?? latest }
    ending.append(EndingCapture(capture: capture, end: end, reason: reason, earliest: now + tail, latest: latest))
    if !hasNext { tell(.takeStopped(capture.take, next: nil)) }
    publishStop(of: capture, hasNext: hasNext)
    if tail == .zero { closeDueCaptures(at: now) }
  }

  /// Called every tick: hands journals to the disk, closes takes whose time has come, lets renders follow.
  func flushCaptures(at now: MonotonicTime) {
    closeDueCaptures(at: now)
    for capture in capturesInProgress {
      noteRoundTrips(in: capture, at: now)
      capture.flush(at: now)
      guard services.configuration.rollsRender, capture.followIsDue(at: now), let take = capture.stored,
        let folder = capture.folder
      else { continue }
      services.renders.follow(take, in: folder, options: services.configuration.render)
    }
  }

  /// Tells the takes, whose gaps of that time are nobody else's.
  func note(_ standstill: StandstillMeter.Standstill) {
    let cause = standstill.isSuspension ? "the machine was suspended" : "the process did not run"
    logger.warning(
      "the recorder stood still", metadata: ["seconds": "\(standstill.length.seconds)", "cause": "\(cause)"])
    for capture in capturesInProgress {
      capture.append(
        .standstill(at: standstill.end, length: standstill.length, isSuspension: standstill.isSuspension))
    }
  }

  /// The clock model needs the round trip to tell the path's delay from the clock's offset.
  private func noteRoundTrips(in capture: Capture, at now: MonotonicTime) {
    guard capture.roundTripsAreDue(at: now) else { return }
    for publication in publications {
      guard let roundTrip = publication.peer.statistics?.roundTrip,
        let entry = publication.captures.first(where: { $0.capture === capture })
      else { continue }
      capture.append(.roundTrip(track: entry.track, at: now, roundTrip))
    }
  }

  func closeDueCaptures(at now: MonotonicTime) {
    let due = ending.filter { now >= $0.earliest && (now >= $0.latest || !isAwaited($0.capture, at: now)) }
    ending.removeAll { entry in due.contains { $0.capture === entry.capture } }
    for entry in due {
      for leaver in leavers { leaver.closeTracks { $0 === entry.capture } }
      for publication in publications { publication.captures.removeAll { $0.capture === entry.capture } }
      let take = entry.capture.take
      finishing[take] = entry
      // The room goes on while the take is rendered; `finishing` holds it until then, and the shutdown waits for that.
      Task { await finish(take) }
    }
  }

  /// Packets are missing in a take that may still come.
  private func isAwaited(_ capture: Capture, at now: MonotonicTime) -> Bool {
    let awaited =
      members.compactMap(\.publication).filter(\.peer.hasOpenHoles)
      + leavers.filter { $0.isAwaited(at: now) }.map(\.publication)
    return awaited.contains { $0.captures.contains { $0.capture === capture } }
  }

  /// Closes the journal, renders the rest, and stores what came of it.
  private func finish(_ id: TakeID) async {
    guard let entry = finishing[id] else { return }
    let capture = entry.capture
    await capture.waitUntilSettled()
    defer {
      finishing[id] = nil
      starving.remove(id)
      services.ledger.end(.take, id)
      closeIfEmpty()
    }
    guard let take = capture.stored else { return }
    guard capture.packetCount > 0 else { return await discard(capture) }
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      capture.end(at: entry.end, reason: entry.reason, now: MonotonicClock.now) { continuation.resume() }
    }
    finishing[id]?.isClosed = true
    // Only now: until the journal was closed, its folder may have been made anew.
    guard let folder = currentFolder(of: capture) else { return }
    guard let state = await complete(take, in: folder) else { return }
    if state == .failed {
      let journal = folder.has(TakeFolder.journalName) ? "is kept" : "was deleted"
      warn(.renderFailed, "Take \(take.number) could not be rendered; its journal \(journal).", take: take.id)
    }
    tell(.takeFinished(take.id, state))
  }

  private func currentFolder(of capture: Capture) -> TakeFolder? {
    guard let take = capture.stored, let folder = capture.folder, !folder.has(TakeFolder.journalName) else {
      return capture.folder
    }
    return (try? TakeFolder(existing: take.folder, in: services.configuration.recordings)) ?? folder
  }

  /// Finishes a take's files; where the disk is full, as soon as there is room.
  /// - Returns: nil where the service ended before.
  private func complete(_ take: Take, in folder: TakeFolder) async -> TakeState? {
    let finisher = TakeFinisher(services: services, renders: services.renders, logger: logger)
    while true {
      switch await finisher.finish(take, in: folder) {
      case .finished(let state): return state
      case .noRoom(let problem):
        if starving.insert(take.id).inserted {
          warn(.recordingDegraded, "Take \(take.number) waits for room on the disk: \(problem)", take: take.id)
        }
        await pause(RoomActor.roomRetry) { self.isShuttingDown }
        // The next start of the service completes it.
        if isShuttingDown { return .failed }
      case .notIndexed: return nil
      }
    }
  }

  /// Forgets a take into which nothing came, or which cannot be written at all.
  private func discard(_ capture: Capture) async {
    if self.capture === capture {
      self.capture = nil
      tell(.takeStopped(capture.take, next: nil))
      publishStop(of: capture, hasNext: false)
    }
    if capture.stored != nil { publish(.takeDiscarded, .takeID(capture.take)) }
    for publication in publications { publication.captures.removeAll { $0.capture === capture } }
    services.renders.discard(capture.take)
    services.ledger.end(.take, capture.take)
    capture.settle()
    guard let take = capture.stored else { return closeIfEmpty() }
    do {
      try TakeFolder.delete(take.folder, in: services.configuration.recordings)
      try await services.index.discard(take.id)
    } catch {
      logger.warning("an empty take could not be removed", metadata: ["take": "\(take.id)", "error": "\(error)"])
    }
  }

  // MARK: The disk

  private func diskReported(_ report: JournalLane.Report, of take: TakeID) {
    switch report {
    case .durable(_, let time):
      guard let capture = capturesInProgress.first(where: { $0.take == take }) else { return }
      let span = max(0, (time - capture.zero).nanoseconds)
      let position = SamplePosition(span / 1_000 * 48 / 1_000)
      guard capture.tells(durable: position) else { return }
      tell(.journaled(take, position))
    case .failing(let problem):
      logger.error("the journal cannot be written", metadata: ["take": "\(take)", "error": "\(problem)"])
      warn(.recordingDegraded, "The recorder cannot write: \(problem)", take: take)
    case .recovered:
      logger.notice("the journal is written again", metadata: ["take": "\(take)"])
      warn(.recordingRecovered, "The recorder writes again; nothing that it still held is lost.", take: take)
    case .rescued(let folder):
      logger.error("the folder of a take that rolls was deleted; it was made anew", metadata: ["take": "\(take)"])
      if let capture = capture(of: take) {
        capture.moved(to: folder)
        // What was rendered went with the folder: the render begins anew.
        services.renders.discard(take)
      }
      warn(
        .recordingRecovered, "Somebody deleted this take's folder. It was made anew, and nothing of the take is lost.",
        take: take)
    }
  }
}
