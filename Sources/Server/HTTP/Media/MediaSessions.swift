import Library
import Rooms
import ServiceLifecycle
import Signaling
import Synchronization

/// All WHIP and WHEP sessions by address; removes sessions whose membership the room has ended.
final class MediaSessions: NamedService {
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
          // A resource has no way to deliver events; only their end matters.
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

  /// Removes and returns the session, so that two DELETEs cannot both end it.
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

/// One WHIP or WHEP session: a membership whose signaling link is an HTTP resource.
final class MediaSession: Sendable {
  /// Part of the resource's address; 128 random bits, unguessable.
  let id: String
  let membership: Membership
  let label: PeerLabel
  private let state: Mutex<State>

  private struct State {
    var offer: String
    var userFragment: String?
    var generation = 1
  }

  init(id: String, membership: Membership, label: PeerLabel, offer: String) {
    self.id = id
    self.membership = membership
    self.label = label
    state = Mutex(State(offer: offer, userFragment: TrickleFragment(of: offer).userFragment))
  }

  /// The tag of the ICE session (RFC 9725 section 4.3): a restart changes it.
  var tag: EntityTag { EntityTag("\(id)-\(state.withLock { $0.generation })") }

  /// True if the fragment's credentials differ from the session's.
  func isRestart(_ fragment: TrickleFragment) -> Bool {
    guard let given = fragment.userFragment else { return false }
    return state.withLock { $0.userFragment != given }
  }

  /// Passes the fragment's candidates to the peer, in order.
  func trickle(_ fragment: TrickleFragment) async throws(RoomRefusal) {
    for message in fragment.messages { _ = try await membership.perform(.candidate(label, message)) }
  }

  /// Restarts ICE with the fragment's credentials; returns ours.
  func restart(_ fragment: TrickleFragment) async throws(RoomRefusal) -> TrickleFragment {
    let offer = fragment.applied(to: state.withLock { $0.offer })
    guard case .answer(_, let answer) = try await membership.perform(.restart(label, offer: offer)) else {
      throw RoomRefusal(.unavailable, "the restart was not answered; end the session and begin a new one")
    }
    state.withLock { state in
      state.offer = offer
      state.userFragment = fragment.userFragment
      state.generation += 1
    }
    return TrickleFragment(of: answer)
  }
}
