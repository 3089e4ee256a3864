import Machines
import Music
import Rooms
import Signaling
import Synchronization

/// The sources and sinks of one session of Kurento Tree; released with the session (Kurento itself leaks them).
final class TreeSeat: Seat {
  typealias Words = KurentoTreeWords

  private let doors: Doors
  /// The session's first link.
  private let origin: Turnstile.Origin
  /// The token of the link, for requests without a token.
  private let token: String?
  private let owner: TreeOwner
  private let proved = Mutex<Credential?>(nil)
  private let events: AsyncStream<TreeEvent>
  private let feed: AsyncStream<TreeEvent>.Continuation

  /// Most candidates queued for the session; a sink has a handful.
  private static let backlog = 4_096

  init(_ doors: Doors, from origin: Turnstile.Origin, session: String, token: String?) {
    self.doors = doors
    self.origin = origin
    self.token = token
    let (events, feed) = AsyncStream.makeStream(
      of: TreeEvent.self, bufferingPolicy: .bufferingOldest(TreeSeat.backlog))
    (self.events, self.feed) = (events, feed)
    owner = TreeOwner(id: session) { feed.yield($0) }
  }

  var standing: AsyncStream<TreeEvent>? { events }
  var gracePeriod: MonotonicTime.Span { .zero }
  var isTaken: Bool { true }
  var proof: Credential? { doors.turnstile.gatekeeper.isOpen ? .open : proved.withLock { $0 } }

  func enter(_ entry: Never, for session: any SignalingSession) -> (Never, AsyncStream<TreeEvent>) {}

  func perform(_ request: KurentoTreeWords.Command) async throws(TreeRefusal) -> TreeReply {
    let identity = try identity(for: request.command, request.token ?? token)
    return try await doors.forest.perform(request.command, by: owner, identity: identity)
  }

  func follow(_ stay: AsyncStream<TreeEvent>, _ tell: @Sendable (TreeEvent) async -> Void) async {
    for await event in stay { await tell(event) }
  }

  func park(for session: any SignalingSession) {}

  func takeBack(for session: any SignalingSession) -> (Never?, AsyncStream<TreeEvent>?) { (nil, nil) }

  func supersede() {}

  func finish(for session: any SignalingSession) async {
    feed.finish()
    await doors.forest.release(owner.id)
  }

  /// Checks the command against the token; returns the identity that the token proves.
  private func identity(for command: TreeCommand, _ token: String?) throws(TreeRefusal) -> String? {
    let gatekeeper = doors.turnstile.gatekeeper
    guard !gatekeeper.isOpen else { return nil }
    do throws(RoomRefusal) {
      guard let room = command.tree else {
        throw RoomRefusal(.forbidden, "a tree needs a name here, because a token is for a named room")
      }
      let (grant, caller) = try doors.turnstile.pass(token, from: origin) { () throws(RoomRefusal) in
        try gatekeeper.grant(for: room, shown: token)
      }
      proved.withLock { $0 = caller.credential }
      guard case .token(_, let role, let identity) = grant else { return nil }
      if case .setSource = command { try doors.turnstile.quotas.begin(.join, caller, room: room) }
      guard role.mayChange || command.isForListeners else { throw RoomRefusal.onlyListens }
      return identity
    } catch {
      throw TreeRefusal(.tree, error.description)
    }
  }
}

extension TreeCommand {
  /// The tree of the command; nil to create an unnamed one.
  fileprivate var tree: RoomName? {
    switch self {
    case .create(let name): name
    case .release(let name), .setSource(let name, _), .removeSource(let name), .addSink(let name, _),
      .removeSink(let name, _), .candidate(let name, _, _):
      name
    }
  }

  /// True for commands permitted to listeners.
  fileprivate var isForListeners: Bool {
    switch self {
    case .create, .addSink, .removeSink, .candidate: true
    case .release, .setSource, .removeSource: false
    }
  }
}
