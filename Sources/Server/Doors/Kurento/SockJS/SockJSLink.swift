import Hummingbird
import Machines
import NIOCore
import Recording
import Rooms
import ServiceLifecycle
import Signaling
import Synchronization

/// The link of a session over plain requests of SockJS, as `SessionLink` is of one over a WebSocket.
final class SockJSLink: SessionOutlet {
  /// One response that carries frames to the client.
  struct Receiver: Sendable {
    fileprivate let number: SockJSSession.Receiver
    fileprivate let channel: any Channel
    fileprivate let wakes: AsyncStream<Void>
    fileprivate let wake: AsyncStream<Void>.Continuation
    fileprivate let pace = WritePace()
  }

  private struct State {
    var frames: SockJSSession
    var rate: RateLimit
    /// Nil until the session is there.
    var session: (any SignalingSession)?
    var receiver: Receiver?
    var proof: Credential?
    /// True once the session knows that the link is lost.
    var isLost = false
  }

  let number: LinkNumber
  let isLasting = true
  /// The connection of the first request.
  let origin: Turnstile.Origin
  private let places: ConnectionPlaces
  private let limits: ServerLimits
  private let opened: MonotonicTime
  private let state: Mutex<State>

  init(number: LinkNumber, origin: Turnstile.Origin, places: ConnectionPlaces, limits: ServerLimits) {
    (self.number, self.origin, self.places, self.limits) = (number, origin, places, limits)
    opened = MonotonicClock.now
    var frames = SockJSSession.Limits()
    (frames.messages, frames.bytes) = (limits.mailbox, limits.mailboxBytes)
    frames.heartbeat = .milliseconds(limits.sockJSHeartbeat)
    frames.patience = .milliseconds(limits.sockJSPatience)
    state = Mutex(
      State(
        frames: SockJSSession(limits: frames, at: opened),
        rate: RateLimit(perSecond: limits.messageRate, burst: limits.messageBurst)))
  }

  // MARK: From the session

  func send(_ text: String, _ receipt: TextReceipt?) {
    change { state in
      guard !state.frames.put(text) else { return }
      let closing = LinkClosing.tooSlow
      state.frames.close(code: closing.code, reason: closing.reason, discardingMessages: true)
    }
  }

  func close(_ closing: LinkClosing) { change { $0.frames.close(code: closing.code, reason: closing.reason) } }

  func prove(as credential: Credential) {
    let channel = state.withLock { state in
      state.proof = credential
      return state.receiver?.channel
    }
    if let channel { places.prove(channel, as: credential) }
  }

  func move(to session: any SignalingSession) { state.withLock { $0.session = session } }

  var hasSession: Bool { state.withLock { $0.session != nil } }

  /// Changes what the receiver may have to write, and wakes it.
  private func change(_ body: (inout State) -> Void) {
    state.withLock { state in
      body(&state)
      state.receiver?.wake.yield()
    }
  }

  // MARK: From the client

  /// Gives messages to the session in their order. Too many of them end it.
  func receive(_ messages: [String], over channel: any Channel) async {
    if let proof = state.withLock({ $0.proof }) { places.prove(channel, as: proof) }
    let tooMany = LinkClosing.tooMany(rate: limits.messageRate, burst: limits.messageBurst)
    for message in messages {
      let now = MonotonicClock.now
      let session = state.withLock { state -> (any SignalingSession)? in
        guard !state.frames.isClosed else { return nil }
        guard state.rate.admit(at: now) else {
          state.frames.close(code: tooMany.code, reason: tooMany.reason)
          state.receiver?.wake.yield()
          return nil
        }
        return state.session
      }
      guard let session else { return }
      await session.receive(message, from: number)
    }
  }

  /// Makes a response the one that carries the frames; nil if another one does.
  func attach(_ transport: SockJSSession.Transport, over channel: any Channel) -> Receiver? {
    let now = MonotonicClock.now
    let (receiver, proof) = state.withLock { state -> (Receiver?, Credential?) in
      SockJSLink.dropBroken(&state, at: now)
      guard let number = state.frames.attach(transport, at: now) else { return (nil, nil) }
      // One of a closed session, which has nothing more to write.
      state.receiver?.wake.finish()
      let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
      let receiver = Receiver(number: number, channel: channel, wakes: wakes, wake: wake)
      state.receiver = receiver
      return (receiver, state.proof)
    }
    if let proof { places.prove(channel, as: proof) }
    return receiver
  }

  /// Writes frames until the response is full, the session is closed, or the client is gone.
  func write(to receiver: Receiver, _ writer: inout any ResponseBodyWriter) async throws {
    // Unless it has ended in order.
    defer { detach(receiver, isIntact: false) }
    try await withGracefulShutdownHandler {
      try await follow(receiver, &writer)
    } onGracefulShutdown: { [self] in
      // The room has ended before, but what it said last may still be on its way here.
      if let session = state.withLock({ $0.session }) {
        Task { await session.afterRoom { self.close(.shutdown) } }
      } else {
        close(.shutdown)
      }
      // Of a client that does not read.
      let channel = receiver.channel
      channel.eventLoop.scheduleTask(in: .milliseconds(limits.closeTimeout)) { channel.close(promise: nil) }
    }
  }

  private func follow(_ receiver: Receiver, _ writer: inout any ResponseBodyWriter) async throws {
    var wakes = receiver.wakes.makeAsyncIterator()
    while true {
      let step = state.withLock { $0.frames.next(for: receiver.number, at: MonotonicClock.now) }
      switch step {
      case .wait:
        guard await wakes.next() == nil else { continue }
        try Task.checkCancellation()
        return try await writer.finish(nil)
      case .write(let text), .finish(let text):
        if !text.isEmpty {
          receiver.pace.begin(at: MonotonicClock.now)
          try await writer.write(ByteBuffer(string: text))
          receiver.pace.end(at: MonotonicClock.now)
        }
        guard case .finish = step else { continue }
        // First, because a client that sees the end asks for the next response at once.
        detach(receiver, isIntact: true)
        return try await writer.finish(nil)
      }
    }
  }

  private func detach(_ receiver: Receiver, isIntact: Bool) {
    state.withLock { state in
      state.frames.detach(receiver.number, isIntact: isIntact, at: MonotonicClock.now)
      if state.receiver?.number == receiver.number { state.receiver = nil }
    }
  }

  /// A client whose connection is gone may have lost frames.
  private static func dropBroken(_ state: inout State, at now: MonotonicTime) {
    guard let receiver = state.receiver, !receiver.channel.isActive else { return }
    state.frames.detach(receiver.number, isIntact: false, at: now)
    receiver.wake.finish()
    state.receiver = nil
  }

  // MARK: Time

  /// Does what is due.
  /// - Returns: true once the link is over and nobody needs it any more.
  func tick(at now: MonotonicTime) async -> Bool {
    let (isOver, session) = state.withLock { state -> (Bool, (any SignalingSession)?) in
      if let receiver = state.receiver,
        receiver.pace.isStuck(longerThan: .milliseconds(limits.streamStall), at: now)
      {
        receiver.channel.close(promise: nil)
      }
      SockJSLink.dropBroken(&state, at: now)
      if state.proof == nil, now - opened >= .milliseconds(limits.proofTimeout) {
        let closing = LinkClosing.unproven(after: limits.proofTimeout)
        state.frames.close(code: closing.code, reason: closing.reason)
      }
      if state.frames.isClosed || state.frames.isHeartbeatDue(at: now) { state.receiver?.wake.yield() }
      let isOver = state.frames.isOver(at: now)
      // A response that comes just now learns of the end.
      if isOver { state.frames.close(code: 1002, reason: "Connection interrupted", discardingMessages: true) }
      guard isOver || state.frames.isClosed, !state.isLost else { return (isOver, nil) }
      state.isLost = true
      return (isOver, state.session)
    }
    await session?.linkLost(number, isLeaving: false)
    return isOver
  }
}
