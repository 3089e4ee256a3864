import Music
import Rooms
import Signaling
import Synchronization

/// The room's side of one signaling link: joins, carries out commands one after the other, and passes events on.
///
/// Commands keep the order in which the client sent them (a candidate after its offer), and none of them holds up the
/// events that come meanwhile.
final class LinkMember: Sendable {
  /// What the machine asks for.
  enum Wish: Sendable {
    case join(NativeRequestID, JoinRequest, token: String?)
    case perform(NativeRequestID, RoomCommand)
  }

  private struct State {
    var membership: Membership?
    var hasLeft = false
  }

  private let room: String
  private let broker: Broker
  private let gatekeeper: Gatekeeper
  private let mailbox: LinkMailbox<NativeMessage>
  private let wishes: AsyncStream<Wish>
  private let queue: AsyncStream<Wish>.Continuation
  private let state = Mutex(State())

  init(room: String, broker: Broker, gatekeeper: Gatekeeper, mailbox: LinkMailbox<NativeMessage>) {
    self.room = room
    self.broker = broker
    self.gatekeeper = gatekeeper
    self.mailbox = mailbox
    // The machine bounds what waits here: `NativeServer.maximumPending`.
    (wishes, queue) = AsyncStream.makeStream()
  }

  func ask(_ wish: Wish) { queue.yield(wish) }

  /// Works until the link ends, then gives the seat into the room's care: media goes on for the grace period.
  func run() async {
    await withDiscardingTaskGroup { group in
      for await wish in wishes {
        switch wish {
        case .join(let id, let request, let token):
          guard let membership = await join(id, request, token) else { continue }
          group.addTask { await self.follow(membership) }
        case .perform(let id, let command): await perform(id, command)
        }
      }
      group.cancelAll()
    }
    let (membership, hasLeft) = state.withLock { ($0.membership, $0.hasLeft) }
    if let membership, !hasLeft { membership.detach() }
  }

  private func join(_ id: NativeRequestID, _ request: JoinRequest, _ token: String?) async -> Membership? {
    do throws(RoomRefusal) {
      let name = try roomName()
      let grant = try gatekeeper.grant(for: name, shown: token)
      let membership = try await broker.enter(name, try grant.applied(to: request))
      state.withLock { $0 = State(membership: membership) }
      let servers = broker.iceServers.map {
        NativeGrant.Server(urls: $0.urls, username: $0.username, credential: $0.credential)
      }
      let grace = membership.snapshot.policy.gracePeriod
      let answer = NativeGrant(
        participant: membership.participant, resumeSecret: membership.resumeSecret, snapshot: membership.snapshot,
        iceServers: servers, gracePeriod: grace, authority: grant.authority)
      mailbox.put(.message(.joined(id, answer)))
      return membership
    } catch {
      mailbox.put(.message(.refused(id, error)))
      return nil
    }
  }

  private func roomName() throws(RoomRefusal) -> RoomName {
    do throws(NameError) {
      return try RoomName(checking: room)
    } catch {
      throw RoomRefusal(.invalidName, error.description)
    }
  }

  private func perform(_ id: NativeRequestID, _ command: RoomCommand) async {
    guard let membership = state.withLock({ $0.membership }) else {
      return mailbox.put(.message(.refused(id, RoomRefusal(.notJoined, "nobody has joined on this link"))))
    }
    do throws(RoomRefusal) {
      // Before the room does it: the end of the events must not look like the room's own will.
      if case .leave = command { state.withLock { $0.hasLeft = true } }
      mailbox.put(.message(.replied(id, try await membership.perform(command))))
    } catch {
      mailbox.put(.message(.refused(id, error)))
    }
  }

  private func follow(_ membership: Membership) async {
    for await event in membership.events {
      // The seat is somebody else's from here on, or nobody's: there is nothing left to give into the room's care.
      if case .closed = event { state.withLock { $0.hasLeft = true } }
      mailbox.put(.message(.event(event)))
    }
    guard !Task.isCancelled else { return }
    let wasKnown = state.withLock { state in
      defer { state.hasLeft = true }
      return state.hasLeft
    }
    if !wasKnown { mailbox.put(.message(.eventsEnded)) }
  }
}
