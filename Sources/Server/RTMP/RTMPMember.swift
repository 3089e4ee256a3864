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

  private struct State {
    var scope: RTMPScope?
    var credentials: RTMPCredentials?
    var membership: Membership?
    var caller: Caller?
    var codecs: [String] = []
    var publishers: [UInt32: RTMPPublisher] = [:]
    var players: [UInt32: RTMPPlayer] = [:]
    var isOver = false
    var hasAsked = false
  }

  private let services: RTMPServices
  private let origin: Turnstile.Origin
  private let budget: ByteBudget
  private let transcoders: Transcoders.Share
  private let put: @Sendable (RTMPStep) -> Void
  /// Ends the connection.
  private let cut: @Sendable () -> Void
  private let wishes: AsyncStream<Wish>
  private let queue: AsyncStream<Wish>.Continuation
  private let state = Mutex(State())

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
    self.put = put
    self.cut = cut
    (wishes, queue) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(RTMPMember.backlog))
  }

  /// Queues a request of the client.
  var hasAsked: Bool { state.withLock { $0.hasAsked } }

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
  func take(_ tag: AudioTag, stream: UInt32, timestamp: UInt32, at now: MonotonicTime) {
    state.withLock { $0.publishers[stream] }?.take(tag, timestamp: timestamp, arrival: now)
  }

  /// Runs until the connection ends; then all its members leave.
  func run() async {
    await withDiscardingTaskGroup { group in
      for await wish in wishes {
        switch wish {
        case .connect(let request):
          if let membership = await connect(request) { group.addTask { await self.follow(membership) } }
        case .call(let request, let cost): put(.answer(await call(request), cost: cost))
        case .object(let message, let commands, let cost):
          await change(message, commands)
          budget.remove(cost)
        case .publish(let stream, let name):
          if let publisher = await publish(stream, name) { group.addTask { await self.feed(publisher, stream) } }
        case .unpublish(let stream, let isLost):
          state.withLock { $0.publishers[stream] }?.finish(isLost: isLost)
        case .play(let stream, let name):
          if let player = await play(stream, name) { group.addTask { await self.send(player, stream) } }
        case .stopPlay(let stream): await state.withLock { $0.players.removeValue(forKey: stream) }?.finish()
        }
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
      }
      put(.input(.accept(properties: [])))
      return entered?.membership
    } catch {
      put(.input(.reject(RTMPMember.error(error).connectStatus)))
      return nil
    }
  }

  private func call(_ request: RTMPCallRequest) async -> RTMPServer.Input {
    let (membership, caller) = state.withLock { ($0.membership, $0.caller) }
    guard let membership, let caller else {
      let error = RTMPCallError(.accessDenied, "a connection that only publishes cannot call methods")
      return .fail(request.ticket, error)
    }
    let call = RTMPCall(
      name: request.name, arguments: request.arguments, membership: membership, caller: caller, services: services)
    do throws(RTMPCallError) {
      return .answer(request.ticket, try await services.methods.perform(call))
    } catch {
      return .fail(request.ticket, error)
    }
  }

  private func change(_ message: RTMPObjectMessage, _ commands: [RoomCommand]) async {
    guard let membership = state.withLock({ $0.membership }) else { return }
    for command in commands {
      do throws(RoomRefusal) {
        _ = try await membership.perform(command)
      } catch {
        put(.refusedObject(error, name: message.name))
      }
    }
  }

  private func publish(_ stream: UInt32, _ name: RTMPStreamName) async -> RTMPPublisher? {
    let (scope, credentials) = state.withLock { ($0.scope, $0.credentials) }
    guard let scope, let credentials else { return nil }
    do throws(RoomRefusal) {
      let room = try services.room(of: scope)
      let (membership, _) = try await services.enter(
        room, as: name.name, role: .musician, token: credentials.token(of: name), from: origin)
      let publisher = RTMPPublisher(
        membership, budget: budget, transcoders: transcoders, logger: services.logger)
      state.withLock { $0.publishers[stream] = publisher }
      put(.input(.allowPublish(stream: stream)))
      return publisher
    } catch {
      put(.input(.refuse(stream: stream, .error(RTMPStatus.Code.publishBadName, error.description))))
      return nil
    }
  }

  private func feed(_ publisher: RTMPPublisher, _ stream: UInt32) async {
    do throws(RTMPCallError) {
      try await publisher.run()
    } catch {
      put(.input(.refuse(stream: stream, .error(RTMPStatus.Code.publishBadName, error.description))))
    }
    state.withLock { state in
      if state.publishers[stream] === publisher { state.publishers[stream] = nil }
    }
    // A disconnected musician keeps the seat for the grace period and can continue the same track under the same name.
    if publisher.isLost { publisher.membership.detach() } else { await publisher.membership.leave() }
  }

  private func play(_ stream: UInt32, _ name: RTMPStreamName) async -> RTMPPlayer? {
    let (membership, codecs) = state.withLock { ($0.membership, $0.codecs) }
    do throws(RoomRefusal) {
      guard let membership else { throw RoomRefusal(.forbidden, "a connection that only publishes cannot play") }
      let source = try await source(name.name, in: membership.room)
      let player = try await RTMPPlayer(
        membership, to: source, takesOpus: codecs.contains("Opus") || codecs.contains("*"),
        transcoders: transcoders)
      state.withLock { $0.players[stream] = player }
      put(.input(.allowPlay(stream: stream)))
      return player
    } catch {
      put(.input(.refuse(stream: stream, .error(RTMPStatus.Code.playStreamNotFound, error.description))))
      return nil
    }
  }

  /// A musician of the room by name, or the mix; a musician called "mix" takes precedence.
  private func source(_ name: String, in room: RoomName) async throws(RoomRefusal) -> AudioSource {
    let members = await services.broker.snapshot(of: room)?.members ?? []
    if let found = members.first(where: { $0.role == .musician && $0.participant.name.description == name }) {
      return .participant(found.participant.id)
    }
    guard name == AudioSource.mixName else {
      throw RoomRefusal(.unknownParticipant, "no musician \"\(name.prefix(64))\" is in \(room); \"mix\" is all of them")
    }
    return .mix
  }

  private func send(_ player: RTMPPlayer, _ stream: UInt32) async {
    let put = put
    do throws(RTMPCallError) {
      try await player.run { tag, time in put(.input(.audio(stream: stream, timestamp: time, tag))) }
    } catch {
      put(.input(.refuse(stream: stream, .error(RTMPStatus.Code.playFailed, error.description))))
      state.withLock { state in
        if state.players[stream] === player { state.players[stream] = nil }
      }
      await player.finish()
    }
  }

  /// Reports the end of the stream: otherwise players wait forever for a musician who has left.
  private func endPlaying(_ participant: ParticipantID) async {
    let gone = state.withLock { state in
      let gone = state.players.filter { $0.value.source == .participant(participant) }
      for stream in gone.keys { state.players[stream] = nil }
      return gone
    }
    for (stream, player) in gone {
      put(.input(.endPlay(stream: stream)))
      await player.finish()
    }
  }

  private func follow(_ membership: Membership) async {
    for await event in membership.events {
      put(.event(event))
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
