import Library
import Logging
import Machines
import Music
import Realtime
import Recording
import Signaling

/// Ending takes, and the reports of disk and render about them.
extension RoomActor {
  /// Longest transit time of audio played before a stop.
  static let tail = MonotonicTime.Span.milliseconds(250)
  /// Maximum duration of the last packet.
  static let lastPacket = MonotonicTime.Span.milliseconds(20)
  /// With holes still open, a stopped take waits for retransmissions for up to this long.
  static let patientTail = MonotonicTime.Span.milliseconds(600)

  /// The end of a take that is ended now, including audio pushed ahead of the clock.
  func end(of capture: Capture, at now: MonotonicTime) -> MonotonicTime {
    guard capture.isAhead(of: now), let last = capture.lastAudio else { return now }
    return last + RoomActor.lastPacket
  }

  /// Ends a take at `end`; its journal stays open for `tail`, for packets still on their way.
  func endTake(
    _ capture: Capture, at end: MonotonicTime, reason: JournalEnd, tail: MonotonicTime.Span, hasNext: Bool = false
  ) {
    let now = MonotonicClock.now
    for member in members {
      guard let publication = member.publication else { continue }
      noteQuality(of: publication, by: member, at: now) { $0 === capture }
    }
    let patience = tail == .zero ? .zero : RoomActor.patientTail
    var latest = now + patience
    if reason == .sessionEnded { latest = leavers.map(\.deadline).max() ?? latest }
    // The tracks of a pushed file may be ahead of the clock, and of each other.
    capture.isEnding(at: end, until: max(latest, end), now: now)
    takes.stop(EndingCapture(capture: capture, end: end, reason: reason, earliest: now + tail, latest: latest))
    if !hasNext { tell(.takeStopped(capture.take, next: nil, isStopped: showsStopped)) }
    publishStop(of: capture, hasNext: hasNext)
  }

  /// Called at every tick: passes journals to the disk, closes due takes, lets renders follow.
  func flushCaptures(at now: MonotonicTime) {
    closeDueCaptures()
    for capture in takes.open {
      noteRoundTrips(in: capture, at: now)
      switch capture.flush(at: now) {
      case .fellBehind:
        warn(
          .recordingDegraded, "The disk does not take what is recorded; what is played now is missing from the take.",
          take: capture.take)
      case .caughtUp:
        warn(
          .recordingRecovered, "The disk takes what is recorded again; the gap is noted in the take.",
          take: capture.take)
      case nil: break
      }
      guard services.configuration.rollsRender, capture.followIsDue(at: now), let take = capture.stored,
        let folder = capture.folder
      else { continue }
      services.renders.follow(take, in: folder, options: services.configuration.render)
    }
  }

  /// Records a standstill in the takes, so that gaps of that time are attributed to it.
  func note(_ standstill: StandstillMeter.Standstill) {
    let cause = standstill.isSuspension ? "the machine was suspended" : "the process did not run"
    logger.warning(
      "the recorder stalled", metadata: ["seconds": "\(standstill.length.seconds)", "cause": "\(cause)"])
    for capture in takes.open {
      capture.append(
        .standstill(at: standstill.end, length: standstill.length, isSuspension: standstill.isSuspension))
    }
  }

  /// Records round trips, which the clock model needs to separate the path's delay from the clock's offset.
  private func noteRoundTrips(in capture: Capture, at now: MonotonicTime) {
    guard capture.roundTripsAreDue(at: now) else { return }
    for publication in publications {
      guard let roundTrip = publication.peer.statistics?.roundTrip,
        let entry = publication.captures.first(where: { $0.capture === capture })
      else { continue }
      capture.append(.roundTrip(track: entry.track, at: now, roundTrip))
    }
  }

  /// Closes the journals of stopped takes that nothing more belongs to.
  ///
  /// The time that counts is the one up to which the sockets have been read: after a standstill they are full. A
  /// shutdown that runs out of time waits for nothing.
  func closeDueCaptures() {
    let now = isSealing ? MonotonicClock.now : loop.readThrough
    for entry in takes.closeDue(at: now, isAwaited: { isAwaited($0, at: now) }) {
      for leaver in leavers { leaver.closeTracks { $0 === entry.capture } }
      for publication in publications { publication.captures.removeAll { $0.capture === entry.capture } }
      let take = entry.capture.take
      // A task of its own, for the room continues while the take is rendered. The desk keeps the take until then, and the
      // shutdown waits for that.
      Task { await finish(take) }
    }
  }

  /// True if missing packets of a take may still arrive.
  private func isAwaited(_ capture: Capture, at now: MonotonicTime) -> Bool {
    let awaited =
      members.flatMap(\.publications).filter(\.peer.hasOpenHoles)
      + leavers.filter { $0.isAwaited(at: now) }.map(\.publication)
    return awaited.contains { $0.captures.contains { $0.capture === capture } }
  }

  /// Closes the journal, renders the rest, and stores the result.
  private func finish(_ id: TakeID) async {
    guard let entry = takes.finishing(id) else { return }
    let capture = entry.capture
    await capture.waitUntilSettled()
    defer {
      takes.finished(id)
      services.ledger.end(.take, id)
      closeIfEmpty()
    }
    guard let take = capture.stored else { return }
    guard capture.packetCount > 0 else { return await discard(capture) }
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      capture.end(at: entry.end, reason: entry.reason, now: MonotonicClock.now) { continuation.resume() }
    }
    takes.journalClosed(of: id)
    // Only now: until the journal was closed, its folder may have been recreated.
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

  /// Finishes a take's files; if the disk is full, as soon as there is space.
  /// - Returns: nil if the service ended first.
  private func complete(_ take: Take, in folder: TakeFolder) async -> TakeState? {
    let finisher = TakeFinisher(services: services, renders: services.renders, logger: logger)
    while true {
      switch await finisher.finish(take, in: folder) {
      case .finished(let state): return state
      case .noRoom(let problem):
        if takes.starves(take.id) {
          warn(.recordingDegraded, "Take \(take.number) waits for room on the disk: \(problem)", take: take.id)
        }
        await pause(RoomActor.roomRetry) { self.isShuttingDown }
        // The next start of the service completes it.
        if isShuttingDown { return .failed }
      case .notIndexed: return nil
      }
    }
  }

  /// Discards a take without audio, or one that cannot be written at all.
  func discard(_ capture: Capture) async {
    if takes.giveUp(capture) {
      tell(.takeStopped(capture.take, next: nil, isStopped: showsStopped))
      publishStop(of: capture, hasNext: false)
    }
    if capture.stored != nil { publish(.takeDiscarded, .takeID(capture.take)) }
    for publication in publications { publication.captures.removeAll { $0.capture === capture } }
    services.renders.discard(capture.take)
    services.ledger.end(.take, capture.take)
    capture.settle()
    guard let take = capture.stored else { return closeIfEmpty() }
    do {
      let root = services.configuration.recordings
      try await services.disk.errands.run { () throws(FileProblem) in try TakeFolder.delete(take.folder, in: root) }
      try await services.index.discard(take.id)
      if session?.id != take.session { try await services.library.discard(take.session) }
    } catch {
      logger.warning("an empty take could not be removed", metadata: ["take": "\(take.id)", "error": "\(error)"])
    }
  }

  // MARK: The disk

  func diskReported(_ report: JournalLane.Report, of take: TakeID) {
    switch report {
    case .durable(_, let time):
      guard let capture = takes.open.first(where: { $0.take == take }) else { return }
      let span = max(0, (time - capture.zero).nanoseconds)
      let position = SamplePosition(span / 1_000 * 48 / 1_000)
      guard capture.tells(durable: position) else { return }
      tell(.journaled(take, position))
    case .failing(let problem):
      logger.error("the journal cannot be written", metadata: ["take": "\(take)", "error": "\(problem)"])
      warn(.recordingDegraded, "The recorder cannot write: \(problem)", take: take)
    case .recovered:
      logger.notice("the journal can be written again", metadata: ["take": "\(take)"])
      warn(.recordingRecovered, "The recorder writes again; nothing that it still held is lost.", take: take)
    case .rescued(let folder):
      logger.error("the folder of a rolling take was deleted and has been recreated", metadata: ["take": "\(take)"])
      if let capture = takes.capture(of: take) {
        capture.moved(to: folder)
        // The rendered files were deleted with the folder, so the render starts again.
        services.renders.discard(take)
      }
      warn(
        .recordingRecovered, "This take's folder was deleted. It has been recreated, and nothing of the take is lost.",
        take: take)
    }
  }
}
