import Library
import Logging
import Machines
import Music
import Recording
import Signaling

/// Sessions: one begins with the first musician and ends when the last leaves. It is written down when its first take
/// begins: coming and going alone leaves nothing, however often somebody does it.
extension RoomActor {
  func openSessionIfNeeded() {
    guard session == nil else { return }
    let opened = Session(id: SessionID(at: MonotonicClock.wall), room: name, startedAt: MonotonicClock.wall)
    session = opened
    publish(.sessionStarted, .session(opened))
  }

  /// Writes the session down, unless that was done before.
  func record(_ session: Session) async {
    if sessionRecord == nil {
      let (library, logger) = (services.library, logger)
      // Takes that begin meanwhile, and the session's end, await the same write.
      sessionRecord = Task {
        do {
          try await library.open(session)
        } catch {
          // A permanent refusal is a bug; the music does not wait for it.
          logger.error("the index refused a session", metadata: ["error": "\(error)"])
        }
      }
    }
    await sessionRecord?.value
  }

  /// Finds out whether takes may begin by themselves, until they may or the session is over.
  func checkQuota() {
    guard services.usage.limit != nil, quotaCheck == nil else { return }
    // Nobody waits for it: it takes less time than a musician's media.
    quotaCheck = Task {
      defer { quotaCheck = nil }
      while session != nil, !isClosed {
        do throws(RoomRefusal) {
          try await services.usage.check(name)
          return quotaAllows()
        } catch {
          quotaRefusal = error
        }
        // Somebody may delete takes meanwhile.
        await Deadline.pause(RoomActor.quotaInterval)
      }
    }
  }

  /// The room may record (again): what could not begin with the first audio begins now.
  private func quotaAllows() {
    quotaRefusal = nil
    guard lacksTake else { return }
    lacksTake = false
    let hasAudio = members.contains { $0.consents && $0.publication?.hasAudio == true }
    guard hasAudio, takes.rolling == nil, policy.recording == .call, !isStopped, !isClosed else { return }
    let now = MonotonicClock.now
    beginTake(zero: now, song: nil, at: now)
  }

  func sessionEnded(at now: MonotonicTime) {
    if let capture = takes.rolling {
      // Nobody is left to send: the take ends with the last audio received rather than after the grace period.
      let limit = end(of: capture, at: now)
      let end = capture.lastAudio.map { min(limit, $0 + RoomActor.lastPacket) } ?? now
      endTake(capture, at: end, reason: .sessionEnded, tail: .zero)
    }
    formerSeats.endSession()
    isStopped = false
    // Listeners may stay.
    stopBacking()
    guard var ended = session else { return }
    ended.endedAt = MonotonicClock.wall
    session = nil
    publish(.sessionEnded, .session(ended))
    guard let record = sessionRecord else { return }
    sessionRecord = nil
    let library = services.library
    let logger = logger
    // Leaving does not wait for the disk; if the process dies before this write, the next start closes the session.
    Task { [ended] in
      await record.value
      do {
        try await library.close(ended)
        // Its takes may have been without audio.
        try await library.discard(ended.id)
      } catch {
        logger.error("the index refused the end of a session", metadata: ["error": "\(error)"])
      }
    }
  }
}
