import Machines
import Music
import Rooms
import Signaling

/// One Kurento Tree session: the machine, the sources and sinks that belong to it, and the links that come and go.
///
/// What belongs to it is released with it (Kurento Tree itself leaks them).
actor KurentoTreeSession: SignalingSession {
  private enum Wish: Sendable {
    case perform(OperationNumber, TreeCommand, token: String?)
    /// A link of this session wants to go on with another session.
    case handOver(LinkNumber, to: String, JSONRPCID)
  }

  nonisolated let id: String
  private let services: KurentoServices
  private let token: String?
  private var machine: KurentoTreeServer
  private var outlets = SessionOutlets()
  private var unreachableSince: MonotonicTime?
  private var isOver = false
  private nonisolated let wishes: AsyncStream<Wish>
  private nonisolated let queue: AsyncStream<Wish>.Continuation
  /// Candidates of ours, from the trees to the session.
  private nonisolated let news: AsyncStream<TreeEvent>
  private nonisolated let newsSink: AsyncStream<TreeEvent>.Continuation

  /// How long a session waits for its client to come back by `connect`.
  private static let patience = MonotonicTime.Span.seconds(10)
  private static let tickInterval = MonotonicTime.Span.seconds(1)
  /// Candidates that may wait for the session; a sink has a handful.
  private static let backlog = 4_096

  init(id: String, traits: KurentoClientTraits, token: String?, services: KurentoServices) {
    self.id = id
    self.token = token
    self.services = services
    let now = MonotonicClock.now
    machine = KurentoTreeServer(
      sessionID: id, traits: traits, limits: JSONLimits(bytes: services.limits.message), at: now)
    unreachableSince = now
    (wishes, queue) = AsyncStream.makeStream()
    (news, newsSink) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(KurentoTreeSession.backlog))
  }

  // MARK: Links

  func attach(_ outlet: any SessionOutlet) {
    let former = outlets.add(outlet)
    unreachableSince = nil
    if let former { handle(.linkLost(former)) }
  }

  func receive(_ text: String, from link: LinkNumber) {
    handle(.text(text, from: link))
  }

  func unreadable(_ sentence: String, from link: LinkNumber) {
    handle(.unreadable(sentence, from: link))
  }

  func linkLost(_ link: LinkNumber) {
    guard outlets.remove(link) != nil else { return }
    handle(.linkLost(link))
    if outlets.isEmpty { unreachableSince = MonotonicClock.now }
  }

  /// Goes on over a link that came by another session, and answers its `connect`.
  func resume(_ outlet: any SessionOutlet, answering request: JSONRPCID) {
    outlet.move(to: self)
    attach(outlet)
    handle(.resumed(request, on: outlet.number))
  }

  // MARK: The machine

  private func handle(_ input: KurentoTreeServer.Input) {
    guard !isOver else { return }
    machine.handle(input, at: MonotonicClock.now)
    drain()
  }

  private func drain() {
    while !isOver, let output = machine.next() {
      switch output {
      case .perform(let number, let command, let token):
        queue.yield(.perform(number, command, token: token ?? self.token))
      case .resume(let session, let request, let link): queue.yield(.handOver(link, to: session, request))
      case .answer(let text, let link): outlets.answer(text, to: link)
      case .notify(let text): outlets.notify(text)
      case .close(let link, let code, let reason): outlets.close(link, LinkClosing(code: code, reason: reason))
      case .end(let code, let reason): end(LinkClosing(code: code, reason: reason))
      }
    }
  }

  private func end(_ closing: LinkClosing) {
    isOver = true
    outlets.closeAll(closing)
    queue.finish()
    newsSink.finish()
  }

  // MARK: Work

  func run() async {
    await withDiscardingTaskGroup { group in
      group.addTask { await self.tick() }
      group.addTask { for await event in self.news { await self.handle(.event(event)) } }
      for await wish in wishes {
        switch wish {
        case .perform(let number, let command, let token): await perform(number, command, token)
        case .handOver(let link, let session, let request): await handOver(link, to: session, request)
        }
      }
      group.cancelAll()
    }
    await services.forest.release(id)
  }

  private func perform(_ number: OperationNumber, _ command: TreeCommand, _ token: String?) async {
    do throws(TreeRefusal) {
      let identity = try await identity(for: command, token)
      let owner = TreeOwner(id: id) { [newsSink] event in newsSink.yield(event) }
      handle(.replied(number, try await services.forest.perform(command, by: owner, identity: identity)))
    } catch {
      handle(.refused(number, error))
    }
  }

  /// Lets the command pass where the token allows it; the identity that it proves.
  private func identity(for command: TreeCommand, _ token: String?) async throws(TreeRefusal) -> String? {
    guard !services.gatekeeper.isOpen else { return nil }
    do throws(RoomRefusal) {
      guard let room = command.tree else {
        throw RoomRefusal(.forbidden, "a tree needs a name here, because a token is for a room of a name")
      }
      guard case .token(_, let role, let identity) = try services.gatekeeper.grant(for: room, shown: token) else {
        return nil
      }
      guard role.mayChange || command.isForListeners else { throw RoomRefusal.onlyListens }
      return identity
    } catch {
      throw TreeRefusal(.tree, error.description)
    }
  }

  private func handOver(_ link: LinkNumber, to session: String, _ request: JSONRPCID) async {
    guard let other = services.trees.find(session), other !== self, let outlet = outlets.remove(link) else {
      return handle(.unknownSession(request, on: link))
    }
    handle(.linkLost(link))
    await other.resume(outlet, answering: request)
    if outlets.isEmpty { unreachableSince = MonotonicClock.now }
  }

  private func tick() async {
    let interval = KurentoTreeSession.tickInterval
    while (try? await Task.sleep(for: .nanoseconds(interval.nanoseconds))) != nil, !isOver {
      let now = MonotonicClock.now
      machine.advance(to: now)
      drain()
      if let since = unreachableSince, now - since >= KurentoTreeSession.patience {
        end(LinkClosing(code: 1000, reason: "nobody came back"))
      }
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

  /// True for what somebody does who only listens.
  fileprivate var isForListeners: Bool {
    switch self {
    case .create, .addSink, .removeSink, .candidate: true
    case .release, .setSource, .removeSource: false
    }
  }
}
