import Rooms
import ServiceLifecycle
import Signaling
import Synchronization

/// All WHIP and WHEP sessions by their addresses; it forgets those whose membership the room has ended.
final class MediaSessions: Service {
  private let sessions = Mutex<[String: MediaSession]>([:])
  private let opened: AsyncStream<MediaSession>
  private let openings: AsyncStream<MediaSession>.Continuation

  init() {
    (opened, openings) = AsyncStream.makeStream()
  }

  /// Watches the memberships until the shutdown.
  func run() async throws {
    await withDiscardingTaskGroup { group in
      for await session in opened.cancelOnGracefulShutdown() {
        group.addTask {
          // Everything but the end is for those who hear events; a resource has no way to tell them.
          for await _ in session.membership.events {}
          self.sessions.withLock { $0[session.id] = nil }
        }
      }
      group.cancelAll()
    }
  }

  var count: Int { sessions.withLock { $0.count } }

  func open(_ membership: Membership, label: PeerLabel, offer: String) -> MediaSession {
    let session = MediaSession(id: MediaSessions.newID(), membership: membership, label: label, offer: offer)
    sessions.withLock { $0[session.id] = session }
    openings.yield(session)
    return session
  }

  func find(_ id: String) -> MediaSession? {
    sessions.withLock { $0[id] }
  }

  /// Takes the session out, so that two DELETEs of it cannot both end it.
  func remove(_ id: String) -> MediaSession? {
    sessions.withLock { $0.removeValue(forKey: id) }
  }

  private static func newID() -> String {
    (0..<2).map { _ in
      let digits = String(UInt64.random(in: .min ... .max), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}
