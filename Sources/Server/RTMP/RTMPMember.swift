import Logging
import Machines
import Music
import Rooms
import Signaling
import Synchronization

/// The room's side of one RTMP connection: enters, carries out requests one after the other, and forwards events.
///
/// A client that connects to a room (and does not merely publish) is a listener in it: it receives events, calls
/// methods, and uses shared objects. Every stream that it publishes is a musician.
final class RTMPMember: Sendable {
  /// The requests of the machine.
  enum Wish: Sendable {
    case connect(RTMPConnectRequest)
    /// `cost`: bytes of the budget, until it is answered.
    case call(RTMPCallRequest, cost: Int)
    /// `cost`: bytes of the budget, until it is carried out.
    case object(RTMPObjectMessage, [RoomCommand], cost: Int)
    case publish(stream: UInt32, RTMPStreamName)
    /// `isLost`: the connection broke without an end message.
    case unpublish(stream: UInt32, isLost: Bool)
    case play(stream: UInt32, RTMPStreamName)
    case stopPlay(stream: UInt32)
  }

  struct State {
    var scope: RTMPScope?
    var credentials: RTMPCredentials?
    var membership: Membership?
    var caller: Caller?
    var codecs: [String] = []
    var publishers: [UInt32: RTMPPublication] = [:]
    var players: [UInt32: RTMPPlayer] = [:]
    var droppedByPastPlayers = 0
    /// Events of the room are for those who ask: Flash-era clients fail on calls that they do not know.
    var hearsEvents = false
    var isOver = false
    var hasAsked = false
  }

  let services: RTMPServices
  private let origin: Turnstile.Origin
  private let budget: ByteBudget
  let transcoders: Transcoders.Share
  let lane: ApplicationMethods.Lane
  let put: @Sendable (RTMPStep) -> Void
  /// Ends the connection.
  private let cut: @Sendable () -> Void
  private let wishes: AsyncStream<Wish>
  private let queue: AsyncStream<Wish>.Continuation
  let state = Mutex(State())

  /// Most queued requests; the machine bounds their rate.
  private static let backlog = 1_024

  init(
    services: RTMPServices, origin: Turnstile.Origin, budget: ByteBudget,
    put: @escaping @Sendable (RTMPStep) -> Void, cut: @escaping @Sendable () -> Void
  ) {
    self.services = services
    self.origin = origin
    self.budget = budget
    transcoders = services.transcoders.share()
    lane = services.application.lane()
    self.put = put
    self.cut = cut
    (wishes, queue) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(RTMPMember.backlog))
  }

  /// True once the client has asked for anything.
  var hasAsked: Bool { state.withLock { $0.hasAsked } }

  /// Queues a request of the client.
  func ask(_ wish: Wish) {
    state.withLock { $0.hasAsked = true }
    // Dropping a request would leave the two sides in different states.
    if case .dropped = queue.yield(wish) { cut() }
  }

  /// Counts memory of a request in the connection's budget: a client that does not read its answers is not read either.
  func charge(_ bytes: Int) -> Int {
    budget.add(bytes)
    return bytes
  }

  /// Ends the requests: all publishing and playing ends.
  func finish() { queue.finish() }

  /// Queues audio of a published stream; never waits.
  func take(_ tag: AudioTag, stream: UInt32, timestamp: UInt32, at arrival: MonotonicTime) {
    state.withLock { $0.publishers[stream] }?.take(tag, timestamp: timestamp, arrival: arrival)
  }

  /// Takes what a publisher says of its stream.
  func note(_ metadata: [AMFMember], stream: UInt32) { state.withLock { $0.publishers[stream] }?.note(metadata) }

  /// Runs until the connection ends; then all its members leave.
  func run() async {
    await withDiscardingTaskGroup { group in
      await withDiscardingTaskGroup { calls in
        for await wish in wishes { await carryOut(wish, &group, &calls) }
        // Nobody waits for their answers any more, and each has a place.
        calls.cancelAll()
      }
      for publisher in state.withLock({ Array($0.publishers.values) }) { publisher.finish(isLost: false) }
      for player in state.withLock({ Array($0.players.values) }) { await player.finish() }
      let membership = state.withLock { state in
        state.isOver = true
        return state.membership
      }
      await membership?.leave()
    }
  }

  private func carryOut(_ wish: Wish, _ streams: inout DiscardingTaskGroup, _ calls: inout DiscardingTaskGroup) async {
    switch wish {
    case .connect(let request):
      if let membership = await connect(request) { streams.addTask { await self.follow(membership) } }
    case .call(let request, let cost) where services.application.has(request.name):
      // The application's time delays nothing else; the budget bounds the calls that wait.
      calls.addTask { self.put(.answer(await self.callApplication(request), cost: cost)) }
    case .call(let request, let cost): put(.answer(await call(request), cost: cost))
    case .object(let message, let commands, let cost):
      await change(message, commands)
      budget.remove(cost)
    case .publish(let stream, let name):
      if let publisher = await publish(stream, name) { streams.addTask { await self.feed(publisher, stream, name) } }
    case .unpublish(let stream, let isLost):
      state.withLock { $0.publishers[stream] }?.finish(isLost: isLost)
    case .play(let stream, let name):
      if let player = await play(stream, name) { streams.addTask { await self.send(player, stream) } }
    case .stopPlay(let stream): await state.withLock { $0.endPlayer(of: stream) }?.finish()
    }
  }

  private func connect(_ request: RTMPConnectRequest) async -> Membership? {
    let credentials = RTMPCredentials(request)
    do throws(RoomRefusal) {
      let room = try services.room(of: request.scope)
      var entered: (membership: Membership, caller: Caller)?
      if request.isPublisher {
        // Encoders do not use events. They may present their token only with the stream's key.
        if let token = credentials.token {
          let (grant, _) = try services.turnstile.admit(token, at: .rtmp, from: origin)
          try Authorisation.check(grant.principal, .takeSeat, on: .room(room), at: .rtmp)
        }
      } else {
        let name = (credentials.name ?? "rtmp") + "-\(UInt32.random(in: .min ... .max))"
        entered = try await services.enter(
          room, as: name, role: .listener, token: credentials.token, from: origin)
      }
      state.withLock { state in
        (state.scope, state.credentials) = (request.scope, credentials)
        (state.membership, state.caller) = (entered?.membership, entered?.caller)
        state.codecs = request.codecs
        state.hearsEvents = request.wantsEvents
      }
      put(.input(.accept(properties: [])))
      return entered?.membership
    } catch {
      services.refusals.note(
        "an RTMP connection was refused", metadata(request.scope, ["reason": "\(error.description)"]))
      put(.input(.reject(RTMPMember.error(error).connectStatus)))
      return nil
    }
  }

  private func publish(_ stream: UInt32, _ name: RTMPStreamName) async -> RTMPPublication? {
    let (scope, credentials) = state.withLock { ($0.scope, $0.credentials) }
    guard let scope, let credentials else { return nil }
    do throws(RoomRefusal) {
      let room = try services.room(of: scope)
      let (membership, _) = try await services.enter(
        room, as: name.name, role: .musician, token: credentials.token(of: name), from: origin)
      let publisher = RTMPPublication(
        membership, limit: services.limits.tracks, budget: budget, transcoders: transcoders, logger: services.logger)
      state.withLock { $0.publishers[stream] = publisher }
      put(.input(.allowPublish(stream: stream)))
      return publisher
    } catch {
      refusePublishing(stream, name, error.description)
      return nil
    }
  }

  /// In the log too, because the people behind an encoder seldom see its answer.
  private func refusePublishing(_ stream: UInt32, _ name: RTMPStreamName, _ reason: String) {
    // The name without its query, which may hold a token.
    services.refusals.note(
      "a publication by RTMP was refused",
      metadata(state.withLock { $0.scope }, ["name": "\(name.name.prefix(64))", "reason": "\(reason)"]))
    put(.input(.refuse(stream: stream, .error(RTMPStatus.Code.publishBadName, reason))))
  }

  private func metadata(_ scope: RTMPScope?, _ more: Logger.Metadata) -> Logger.Metadata {
    var metadata = more
    metadata["app"] = "\(scope?.description ?? "")"
    metadata["address"] = origin.host.map { "\($0)" }
    return metadata
  }

  private func feed(_ publisher: RTMPPublication, _ stream: UInt32, _ name: RTMPStreamName) async {
    do throws(RTMPCallError) {
      try await publisher.run()
    } catch {
      refusePublishing(stream, name, error.description)
    }
    state.withLock { state in
      if state.publishers[stream] === publisher { state.publishers[stream] = nil }
    }
    // A disconnected musician keeps the seat for the grace period and can continue the same track under the same name.
    if publisher.isLost { publisher.membership.detach() } else { await publisher.membership.leave() }
  }

  private func follow(_ membership: Membership) async {
    for await event in membership.events {
      if !event.isNews || state.withLock({ $0.hearsEvents }) {
        put(.event(event))
      } else if case .closed(let reason) = event {
        put(.input(.close(reason.rawValue)))
      }
      switch event {
      case .left(let participant), .unpublished(let participant): await endPlaying(participant)
      default: break
      }
    }
    if !state.withLock({ $0.isOver }) { put(.input(.close("messages come faster than the room can handle them"))) }
  }

  static func error(_ refusal: RoomRefusal) -> RTMPCallError {
    switch refusal.code {
    case .invalidName: RTMPCallError(.serviceNotFound, refusal.description)
    case .unavailable: RTMPCallError(.shuttingDown, refusal.description)
    default: RTMPCallError(.accessDenied, refusal.description)
    }
  }
}

extension RTMPConnectRequest {
  /// True for requests of encoders, which only publish.
  fileprivate var isPublisher: Bool {
    members.contains { $0.name == "type" && $0.value.string == "nonprivate" }
      || flashVersion?.hasPrefix("FMLE/") == true
  }
}
