import Library
import Logging
import Machines
import Music
import Realtime
import Recording
import Signaling

/// Commands for takes, and how a take begins.
extension RoomActor {
  /// A take begins this long before the arrival of its first packet, which was played earlier.
  static let leadIn = MonotonicTime.Span.milliseconds(200)
  /// Interval of the checks whether a room that has used up its quota has room again.
  static let quotaInterval = MonotonicTime.Span.seconds(5)

  func rollingTake(of capture: Capture) -> RoomSnapshot.RollingTake? {
    capture.stored.map {
      .init(id: $0.id, number: $0.number, song: $0.song, startedAt: $0.startedAt, zero: capture.zero)
    }
  }

  // MARK: Commands

  func startTake(song: String?) async throws(RoomRefusal) -> RoomReply {
    try await services.usage.check(name)
    if takes.rolling != nil {
      throw RoomRefusal(.takeRolling, "a take rolls already; split it to begin the next one without a break")
    }
    guard session != nil, !isClosed else {
      throw RoomRefusal(.wrongState, "nobody is in \(name) to be recorded; a musician has to join first")
    }
    if let song { try check(song, .title, what: "a song's title") }
    let now = MonotonicClock.now
    let capture = beginTake(zero: now, song: song, at: now)
    return try await reply(whenStored: capture)
  }

  /// Whether members have to be told that no take begins by itself though they might expect it.
  var showsStopped: Bool { isStopped && policy.recording == .call && takes.rolling == nil }

  func stopTake() throws(RoomRefusal) -> RoomReply {
    guard let capture = takes.rolling, let take = capture.stored else {
      throw RoomRefusal(.noTake, "no take rolls in \(name); start one first")
    }
    isStopped = true
    endTake(capture, at: end(of: capture, at: MonotonicClock.now), reason: .stopped, tail: RoomActor.tail)
    return .take(take.id, number: take.number)
  }

  func splitTake(song: String?) async throws(RoomRefusal) -> RoomReply {
    // The present take goes on if the room's quota is used up.
    try await services.usage.check(name)
    guard let former = takes.rolling else {
      throw RoomRefusal(.noTake, "no take rolls in \(name); start one first")
    }
    if let song { try check(song, .title, what: "a song's title") }
    let now = MonotonicClock.now
    endTake(former, at: end(of: former, at: now), reason: .split, tail: RoomActor.tail, hasNext: true)
    let next = beginTake(zero: now, song: song, at: now)
    let reply = try await reply(whenStored: next)
    tell(.takeStopped(former.take, next: rollingTake(of: next)))
    if let stored = next.stored { publish(.takeSplit, .split(from: former.take, to: stored)) }
    return reply
  }

  func setCue(_ text: String, by author: ParticipantID?) throws(RoomRefusal) -> RoomReply {
    try check(text, .cue, what: "a cue")
    guard let capture = takes.rolling else {
      throw RoomRefusal(.noTake, "no take rolls in \(name), so there is nothing to mark")
    }
    let now = MonotonicClock.now
    let nanoseconds = max(0, (now - capture.zero).nanoseconds)
    let cue = Cue(
      id: CueID(at: MonotonicClock.wall), position: SamplePosition(nanoseconds / 1_000 * 48 / 1_000), text: text,
      author: author)
    capture.mark(cue, at: now)
    tell(.cue(capture.take, cue))
    publish(.takeCue, .cue(capture.take, cue))
    return .cue(cue)
  }

  private func reply(whenStored capture: Capture) async throws(RoomRefusal) -> RoomReply {
    await capture.waitUntilSettled()
    guard let take = capture.stored else {
      throw RoomRefusal(.storage, "the take could not be written; see the log, and check whether the disk is full")
    }
    return .take(take.id, number: take.number)
  }

  // MARK: Begin

  /// Starts a take at once, in memory; its index row and its file follow.
  @discardableResult
  func beginTake(zero: MonotonicTime, song: String?, at now: MonotonicTime) -> Capture {
    let wall = MonotonicClock.wall
    let capture = Capture(
      take: TakeID(at: wall), zero: zero,
      startedAt: wall - .nanoseconds((now - zero).nanoseconds), songTitle: song)
    takes.begin(capture)
    isStopped = false
    services.ledger.begin(.take, capture.take)
    for publication in members.flatMap(\.publications) { publication.feed?.takeBegins(at: now) }
    if let heard = heardBacking(at: now) { capture.append(.backing(at: now, JournalBacking(heard))) }
    for member in members where member.consents {
      for publication in member.publications where publication.hasAudio {
        open(publication, of: member, in: capture, at: now)
      }
    }
    let take = capture.take
    // Current packets must not wait for the index and the disk; `capture` records when the take is stored.
    Task { await store(take) }
    return capture
  }

  /// Opens (or continues) a publication's track, with the earlier packets that the decoder needs to settle.
  func open(_ publication: Publication, of member: Member, in capture: Capture, at now: MonotonicTime) {
    guard let stream = publication.stream, !publication.captures.contains(where: { $0.capture === capture }) else {
      return
    }
    let track = capture.openTrack(
      for: member.participant, stem: publication.stem, part: publication.stem?.part ?? member.part, meta: member.meta,
      origin: publication.journalOrigin, stream: stream, at: now)
    publication.captures.append((capture, track))
    publication.quality.begin(capture.take, publication.peer.statistics, at: now)
    if let reading = member.reading { capture.append(reading, track: track) }
    publication.writePast(before: now, into: capture, track: track)
  }

  /// Gives a new take its row in the index, its folder and its file.
  private func store(_ id: TakeID) async {
    guard let capture = takes.capture(of: id) else { return }
    guard let session else { return await discard(capture) }
    await record(session)
    let wanted = Take(
      id: capture.take, number: 1, state: .rolling, room: name, session: session.id, startedAt: capture.startedAt,
      folder: "")
    do {
      var take = try await services.index.create(
        wanted, songTitle: capture.songTitle, folder: { TakeFolder.relativePath(for: $0) })
      let root = services.configuration.recordings
      let folder = try await services.disk.errands.run { [take] () throws(FileProblem) in
        try TakeFolder.create(for: take, in: root)
      }
      take.folder = folder.path
      let journal = try await services.disk.errands.run { () throws(FileProblem) in
        try JournalFile(creatingIn: folder)
      }
      let stored = take
      let lane = JournalLane(
        storage: journal,
        rescue: { () throws(FileProblem) in
          let folder = try TakeFolder.restore(for: stored, in: root)
          try journal.move(to: folder)
          return folder
        },
        report: { [weak self] report in
          // Called on the disk's thread, which must not wait.
          Task { await self?.diskReported(report, of: id) }
        })
      let header = JournalHeader(take: take, zero: capture.zero, software: services.configuration.software)
      capture.attach(lane, take: take, folder: folder, header: header) { [disk = services.disk] in disk.schedule($0) }
      logger.info("take rolls", metadata: ["take": "\(take.id)", "number": "\(take.number)"])
      publish(.takeStarted, .take(take))
      if let rolling = rollingTake(of: capture), takes.rolling === capture {
        tell(.takeStarted(rolling))
        announce(recording: take.id)
      }
    } catch {
      logger.error("a take cannot be written", metadata: ["error": "\(error)"])
      warn(.recordingDegraded, "This is not being recorded: \(error)", take: id)
      await discard(capture)
    }
  }
}
