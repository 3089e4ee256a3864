import Machines
import Music
import Rooms
import Signaling

/// The sources and sinks of one session of Kurento Tree; released with the session (Kurento itself leaks them).
final class TreeSeat: Seat {
  typealias Words = KurentoTreeWords

  private let doors: Doors
  /// The token of the link, for requests without a token.
  private let token: String?
  private let owner: TreeOwner
  private let events: AsyncStream<TreeEvent>
  private let feed: AsyncStream<TreeEvent>.Continuation

  /// Most candidates queued for the session; a sink has a handful.
  private static let backlog = 4_096

  init(_ doors: Doors, session: String, token: String?) {
    self.doors = doors
    self.token = token
    let (events, feed) = AsyncStream.makeStream(
      of: TreeEvent.self, bufferingPolicy: .bufferingOldest(TreeSeat.backlog))
    (self.events, self.feed) = (events, feed)
    owner = TreeOwner(id: session) { feed.yield($0) }
  }

  var standing: AsyncStream<TreeEvent>? { events }
  var gracePeriod: MonotonicTime.Span { .zero }
  var isTaken: Bool { true }

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
    guard !doors.gatekeeper.isOpen else { return nil }
    do throws(RoomRefusal) {
      guard let room = command.tree else {
        throw RoomRefusal(.forbidden, "a tree needs a name here, because a token is for a named room")
      }
      guard case .token(_, let role, let identity) = try doors.gatekeeper.grant(for: room, shown: token) else {
        return nil
      }
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
