import Machines
import Music
import Rooms
import Signaling

/// What one session of Kurento Tree set and added; released with the session (Kurento itself leaks it).
final class TreeSeat: Seat {
  typealias Words = KurentoTreeWords

  private let doors: Doors
  /// The token of the link, for clients that put none into their requests.
  private let token: String?
  private let owner: TreeOwner
  private let events: AsyncStream<TreeEvent>
  private let feed: AsyncStream<TreeEvent>.Continuation

  /// Candidates that may wait for the session; a sink has a handful.
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

  /// Lets the command pass where the token allows it; the identity that it proves.
  private func identity(for command: TreeCommand, _ token: String?) throws(TreeRefusal) -> String? {
    guard !doors.gatekeeper.isOpen else { return nil }
    do throws(RoomRefusal) {
      guard let room = command.tree else {
        throw RoomRefusal(.forbidden, "a tree needs a name here, because a token is for a room of a name")
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
  /// The tree that it is about; nil where one without a name is to be made.
  fileprivate var tree: RoomName? {
    switch self {
    case .create(let name): name
    case .release(let name), .setSource(let name, _), .removeSource(let name), .addSink(let name, _),
      .removeSink(let name, _), .candidate(let name, _, _):
      name
    }
  }

  /// True for what a listener may do.
  fileprivate var isForListeners: Bool {
    switch self {
    case .create, .addSink, .removeSink, .candidate: true
    case .release, .setSource, .removeSource: false
    }
  }
}
