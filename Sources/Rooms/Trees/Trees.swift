import Library
import Music
import ServiceLifecycle
import Signaling
import Synchronization

/// All trees (one source, many viewers) by name. A tree is the room of the same name from its listeners' point of
/// view.
package final class Trees: NamedService, Sendable {
  private struct Following: Sendable {
    var membership: Membership
    var body: @Sendable (AsyncStream<RoomEvent>) async -> Void
  }

  private let broker: Broker
  private let trees = Mutex<[RoomName: Tree]>([:])
  private let opened: AsyncStream<Following>
  private let openings: AsyncStream<Following>.Continuation

  package init(broker: Broker) {
    self.broker = broker
    (opened, openings) = AsyncStream.makeStream()
  }

  /// Forwards candidates of sources and sinks, and detects their ends, until the shutdown.
  package func run() async throws {
    await withDiscardingTaskGroup { group in
      for await following in opened.cancelOnGracefulShutdown() {
        group.addTask { await following.body(following.membership.events) }
      }
      group.cancelAll()
    }
  }

  package var count: Int { trees.withLock { $0.count } }

  /// Carries out a command of one session. Creating an existing tree is not an error (Kurento only logs it).
  ///
  /// - Parameter bearer: the session's checked credentials.
  /// - Throws: `TreeRefusal` with a sentence; nothing has changed then.
  package func perform(
    _ command: TreeCommand, by owner: TreeOwner, as bearer: TreeBearer
  ) async throws(TreeRefusal) -> TreeReply {
    switch command {
    case .create(let wanted):
      let name: RoomName
      if let wanted { name = wanted } else { name = try Trees.newName() }
      _ = obtain(name)
      return .created(name)
    case .release(let name):
      let tree = try find(name)
      try await tree.checkSource(by: owner, as: bearer)
      // A caller without the right to remove a listener does not get it by this method either.
      guard await tree.releaseAll(by: owner, as: bearer) else { return .done }
      trees.withLock { trees in
        if trees[name] === tree { trees[name] = nil }
      }
      return .done
    case .setSource(let name, .offer(let offer)):
      return .answer(try await find(name).publish(offer, by: owner, as: bearer))
    case .setSource(let name, .musician(let musician)):
      try await find(name).turn(to: musician, by: owner, as: bearer)
      return .done
    case .setSource(let name, .mix):
      try await find(name).turnToMix(by: owner, as: bearer)
      return .done
    case .removeSource(let name):
      try await find(name).removeSource(by: owner, as: bearer)
      return .done
    case .addSink(let name, let offer):
      let (sink, answer) = try await standing(name).addSink(offer, by: owner, as: bearer)
      return .sink(sink, answer: answer)
    case .removeSink(let name, let sink):
      try await find(name).removeSink(sink, by: owner, as: bearer)
      return .done
    case .candidate(let name, let sink, let candidate):
      try await find(name).add(candidate, sink: sink, by: owner, as: bearer)
      return .done
    }
  }

  /// Releases everything that a session had: its sinks, and the sources that it set.
  package func release(_ owner: String) async {
    for tree in trees.withLock({ Array($0.values) }) { await tree.release(owner) }
  }

  private func find(_ name: RoomName) throws(TreeRefusal) -> Tree {
    guard let tree = trees.withLock({ $0[name] }) else {
      throw TreeRefusal(.tree, "there is no tree \"\(name)\"; create it with createTree")
    }
    return tree
  }

  /// The tree of that name, or that of a room in which somebody plays: viewers need not know how it was created.
  private func standing(_ name: RoomName) async throws(TreeRefusal) -> Tree {
    if let tree = trees.withLock({ $0[name] }) { return tree }
    guard await broker.snapshot(of: name) != nil else { return try find(name) }
    return obtain(name)
  }

  private func obtain(_ name: RoomName) -> Tree {
    trees.withLock { trees in
      if let tree = trees[name] { return tree }
      let tree = Tree(name: name, broker: broker) { [openings] membership, body in
        openings.yield(Following(membership: membership, body: body))
      }
      trees[name] = tree
      return tree
    }
  }

  /// A name like the UUIDs that Kurento assigns to trees.
  private static func newName() throws(TreeRefusal) -> RoomName {
    var generator = SystemRandomNumberGenerator()
    let text = [8, 4, 4, 4, 12].map { length in
      String((0..<length).map { _ in "0123456789abcdef".randomElement(using: &generator) ?? "0" })
    }.joined(separator: "-")
    guard let name = RoomName(text) else { throw TreeRefusal(.failure, "no name could be created for the tree") }
    return name
  }
}

/// The checked credentials of one Kurento Tree session, for its seats in the room.
package struct TreeBearer: Sendable {
  private let identity: String?
  let principal: Principal
  private let address: String?

  package init(_ principal: Principal, identity: String? = nil, address: String? = nil) {
    (self.principal, self.identity, self.address) = (principal, identity, address)
  }

  func request(name: DisplayName, role: Role) -> JoinRequest {
    var request = JoinRequest(
      name: name, role: role, identity: identity, door: .kurentoTree, address: address, link: .resource)
    (request.authority, request.token) = (principal.authority, principal.token)
    return request
  }
}

/// The place in the room of a source or a sink.
struct TreePlace {
  var membership: Membership
  var owner: TreeOwner
  /// The credentials that have the place now; those at its join are another's once a source was replaced.
  var bearer: TreeBearer

  /// Whether a session may do something to this place: its own session may, others as `Authorisation` says.
  func check(_ action: Authorisation.Action, by owner: TreeOwner, as bearer: TreeBearer) throws(TreeRefusal) {
    guard owner.id != self.owner.id else { return }
    do throws(RoomRefusal) {
      let member = Authorisation.Object.member(of: membership.room, self.bearer.principal.authority)
      try Authorisation.check(bearer.principal, action, on: member, at: .kurentoTree)
    } catch {
      throw TreeRefusal(.tree, error.description)
    }
  }
}

/// The owner of sources and sinks: one Kurento Tree session. They are released with it.
package struct TreeOwner: Sendable {
  package let id: String
  /// Called with the candidates of this owner's sources and sinks.
  package let onEvent: @Sendable (TreeEvent) -> Void

  package init(id: String, onEvent: @escaping @Sendable (TreeEvent) -> Void) {
    self.id = id
    self.onEvent = onEvent
  }
}
