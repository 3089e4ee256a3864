import Library
import Logging
import Machines
import Music
import Recording
import Signaling

/// A session begins with the first musician who comes and ends with the last who leaves.
extension RoomActor {
  func openSessionIfNeeded() async {
    guard session == nil else { return }
    let opened = Session(id: SessionID(at: MonotonicClock.wall), room: name, startedAt: MonotonicClock.wall)
    session = opened
    do {
      try await services.library.open(opened)
    } catch {
      // It is refused for good, which is a mistake; music does not wait for it.
      logger.error("the index took no session", metadata: ["error": "\(error)"])
    }
    publish(.sessionStarted, .session(opened))
  }

  func sessionEnded(at now: MonotonicTime) {
    if let capture {
      // Nobody is left to send: the take ends with the last audio that came, not with the grace period's silence.
      let limit = end(of: capture, at: now)
      let end = capture.lastAudio.map { min(limit, $0 + RoomActor.lastPacket) } ?? now
      endTake(capture, at: end, reason: .sessionEnded, tail: .zero)
    }
    formerSeats.forget()
    guard var ended = session else { return }
    ended.endedAt = MonotonicClock.wall
    session = nil
    publish(.sessionEnded, .session(ended))
    let library = services.library
    let logger = logger
    // Leaving waits for no disk; what is lost here with the process, the next start closes.
    Task { [ended] in
      do {
        try await library.close(ended)
      } catch {
        logger.error("the index did not take the session's end", metadata: ["error": "\(error)"])
      }
    }
  }
}
