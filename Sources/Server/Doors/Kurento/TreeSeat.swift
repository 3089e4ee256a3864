import Machines
import Music
import Rooms
import Signaling
import Synchronization

/// The sources and sinks of one session of Kurento Tree; released with the session (Kurento itself leaks them).
final class TreeSeat: Seat {
  typealias Words = KurentoTreeWords

  private let forest: Trees
  private let turnstile: Turnstile
  let link: LinkBearer
  private let owner: TreeOwner
  private let proved = Mutex<Credential?>(nil)
  private let events: AsyncStream<TreeEvent>
  private let feed: AsyncStream<TreeEvent>.Continuation

  /// Most candidates queued for the session; a sink has a handful.
  private static let backlog = 4_096

  init(_ forest: Trees, _ turnstile: Turnstile, session: String, _ link: LinkBearer) {
    (self.forest, self.turnstile) = (forest, turnstile)
    self.link = link
    let (events, feed) = AsyncStream.makeStream(
      of: TreeEvent.self, bufferingPolicy: .bufferingOldest(TreeSeat.backlog))
    (self.events, self.feed) = (events, feed)
    owner = TreeOwner(id: session) { feed.yield($0) }
  }

  var standing: [AsyncStream<TreeEvent>] { [events] }
  var gracePeriod: MonotonicTime.Span { .zero }
  var isTaken: Bool { true }
  var proof: Credential? { turnstile.gatekeeper.isOpen ? .open : proved.withLock { $0 } ?? link.proof }

  func enter(_ entry: Never, for session: any SignalingSession) -> (Never, AsyncStream<TreeEvent>) {}

  func perform(_ request: KurentoTreeWords.Command) async throws(TreeRefusal) -> TreeReply {
    let bearer = try bearer(for: request.command, request.token ?? link.token)
    return try await forest.perform(request.command, by: owner, as: bearer)
  }

  func follow(_ stay: AsyncStream<TreeEvent>, _ tell: @Sendable (TreeEvent, UInt64?) async -> Void) async {
    for await event in stay { await tell(event, nil) }
  }

  func park(for session: any SignalingSession, _ parting: SessionParting) {}

  func takeBack(for session: any SignalingSession) -> (Never?, AsyncStream<TreeEvent>?) { (nil, nil) }

  func supersede() {}

  func finish(for session: any SignalingSession, _ parting: SessionParting) async {
    feed.finish()
    await forest.release(owner.id)
  }

  /// Checks the command against the token; returns the credentials for seats in the room.
  private func bearer(for command: TreeCommand, _ token: String?) throws(TreeRefusal) -> TreeBearer {
    do throws(RoomRefusal) {
      let (grant, caller) = try turnstile.admit(token, at: .kurentoTree, from: link.origin)
      proved.withLock { $0 = caller.credential }
      if !turnstile.gatekeeper.isOpen {
        guard let room = command.tree else {
          throw RoomRefusal(.forbidden, "a tree needs a name here, because a token is for a named room")
        }
        try Authorisation.check(grant.principal, command.action, on: .room(room), at: .kurentoTree)
      }
      if command.enters { try turnstile.quotas.begin(.join, caller, room: command.tree) }
      return TreeBearer(grant.principal, identity: grant.identity, address: link.address)
    } catch {
      throw TreeRefusal(.tree, error.description)
    }
  }
}
