import Logging
import Machines
import Music
import Recording
import Rooms
import Signaling

/// Following the sessions that are archived.
extension OpenTokArchives {
  func watch(_ session: OpenTokSessionID) {
    guard watchers[session.room] == nil else { return }
    watchers[session.room] = Task { [weak self] in
      while !Task.isCancelled, await self?.keepsWatching(session) == true {
        try? await Task.sleep(for: OpenTokArchives.interval)
      }
    }
  }

  /// Looks once more; false if nothing is archived any longer.
  private func keepsWatching(_ session: OpenTokSessionID) async -> Bool {
    _ = await look(at: session)
    if live.values.contains(where: { $0.session.room == session.room }) { return true }
    watchers[session.room] = nil
    return false
  }

  /// Tells the session's archives how it is now.
  /// - Returns: why a take could not begin.
  func look(at session: OpenTokSessionID) async -> RoomRefusal? {
    let former = looks[session.room]
    let task = Task {
      _ = await former?.value
      return await self.lookNow(at: session)
    }
    looks[session.room] = task
    let refusal = await task.value
    if looks[session.room] == task { looks[session.room] = nil }
    return refusal
  }

  private func lookNow(at session: OpenTokSessionID) async -> RoomRefusal? {
    // While rooms are being closed, what is missing says nothing about the archive.
    guard broker.isReady else { return nil }
    let state = await sessions.state(of: session)
    let snapshot = await broker.snapshot(of: session.room)
    let now = MonotonicClock.now
    // By the take's own clock: a step of the wall clock moves no span.
    let rolling = snapshot?.take.map { take in
      OpenTokArchiveMachine.Scene.Rolling(
        id: take.id, position: SamplePosition(seconds: max(0, (now - (take.zero ?? now)).seconds)) ?? .zero)
    }
    let scene = OpenTokArchiveMachine.Scene(
      connections: state?.connections ?? [], streams: state?.streams ?? [], take: rolling)
    var needsTake = false
    for id in live.keys.sorted() where live[id]?.session.room == session.room {
      if await give(.scene(scene), to: id) { needsTake = true }
    }
    guard needsTake else { return nil }
    do throws(RoomRefusal) {
      if case .take(let id, _) = try await broker.startTake(in: session.room, song: nil) { begun.insert(id) }
    } catch  where error.code == .takeRolling {
      // It has begun by itself meanwhile.
    } catch {
      logger.warning("no take for an archive", metadata: ["room": "\(session.room)", "error": "\(error)"])
      return error
    }
    return await lookNow(at: session)
  }

  /// Gives an input to an archive and carries out what follows.
  /// - Returns: true if it needs a take.
  @discardableResult
  func give(_ input: OpenTokArchiveMachine.Input, to id: String) async -> Bool {
    guard let archive = book[id] else { return false }
    let now = MonotonicClock.now
    var machine = live[id]?.machine ?? OpenTokArchiveMachine(archive, at: now, wall: MonotonicClock.wall)
    machine.handle(input, at: now)
    var (needsTake, isChanged, isNews) = (false, false, false)
    while let output = machine.next() {
      switch output {
      case .needsTake: needsTake = true
      case .changed(let news):
        isChanged = true
        isNews = isNews || news
      }
    }
    let next = machine.archive
    let session = live[id]?.session
    let ended = archive.status.isActive && !next.status.isActive ? live[id] : nil
    if live[id] != nil { live[id]?.machine = machine }
    if ended != nil { live[id] = nil }
    guard isChanged else { return needsTake }
    await keep(next, isNews: isNews)
    if isNews, let session { await sessions.announce(OpenTokArchiveNotice(next), in: session) }
    if let ended {
      await release(next, ended.session)
      // It looks at the session, which the caller may be doing.
      Task { await self.continueAutomatic(next, ended.session) }
    }
    return needsTake
  }

  func keep(_ archive: OpenTokArchive, isNews: Bool) async {
    book.put(archive)
    await store.keep(archive) { [callbacks] in if isNews { await callbacks.tell(archive) } }.value
  }

  /// Ends the take of an archive that has ended, so that its files are made. Where music is recorded anyhow, or for other
  /// archives, the next take follows without a break.
  private func release(_ archive: OpenTokArchive, _ session: OpenTokSessionID) async {
    guard let snapshot = await broker.snapshot(of: session.room), let take = snapshot.take,
      archive.spans.contains(where: { $0.take == take.id })
    else { return }
    let others = live.values.contains { $0.session.room == session.room }
    do throws(RoomRefusal) {
      if others || snapshot.policy.recording == .call || !begun.contains(take.id) {
        let isOurs = begun.remove(take.id) != nil
        if case .take(let next, _) = try await broker.splitTake(in: session.room, song: nil), isOurs {
          begun.insert(next)
        }
      } else {
        begun.remove(take.id)
        _ = try await broker.stopTake(in: session.room)
      }
    } catch {
      // It has ended meanwhile.
      logger.debug("an archive's take was not ended", metadata: ["take": "\(take.id)", "error": "\(error)"])
    }
  }

  // MARK: Automatic archives

  /// An automatic archive that was long enough is followed by another one.
  func continueAutomatic(_ archive: OpenTokArchive, _ session: OpenTokSessionID) async {
    guard archive.isAutomatic, archive.reason == .tooLong else { return }
    await beginAutomatic(in: session)
  }

  func beginAutomatic(in session: OpenTokSessionID) async {
    guard session.settings.archiveMode == .always, !isStopping,
      !book.active(in: session.description).contains(where: \.isAutomatic)
    else { return }
    var wish = OpenTokArchiveWish()
    wish.name = session.settings.archiveName
    wish.resolution = session.settings.archiveResolution
    do throws(OpenTokRefusal) {
      _ = try await start(wish, in: session, isAutomatic: true)
    } catch {
      logger.warning("an automatic archive could not begin", metadata: ["error": "\(error)"])
    }
  }

  func followSessions() async {
    while !isStopping, !Task.isCancelled {
      for await news in await sessions.news() {
        guard case .streamCreated = news.event, news.session.settings.archiveMode == .always else { continue }
        // Not waited for: news that find no reader are lost, and with them the beginning of another session's archive.
        Task { await self.beginAutomatic(in: news.session) }
      }
      // The reader was too slow, or the service ends.
      try? await Task.sleep(for: OpenTokArchives.interval)
    }
  }
}
