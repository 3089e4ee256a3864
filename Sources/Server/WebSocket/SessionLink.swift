import Logging
import NIOCore
import NIOWebSocket
import Recording
import Rooms
import ServiceLifecycle
import Signaling
import Synchronization

/// One WebSocket: passes frames in and texts out, and adds no messages of its own.
struct SessionLink {
  let number: LinkNumber
  let session: any SignalingSession
  let framing: any LinkFraming
  /// Nil if the link has not negotiated it.
  let compression: MessageCompression?
  let origin: Turnstile.Origin
  let places: ConnectionPlaces
  let limits: ServerLimits
  /// The close codes by which a client gives its seat up; any other close is a loss.
  let leavings: Set<UInt16>
  let logger: Logger
  /// How the link comes to its session.
  var enter = SessionLink.attach

  typealias Entrance = @Sendable (any SignalingSession, any SessionOutlet) async -> Void
  static let attach: Entrance = { session, outlet in await session.attach(outlet) }

  private typealias Outbound = NIOAsyncChannelOutboundWriter<WebSocketFrame>

  /// The session's view of the link.
  private final class Outlet: SessionOutlet {
    let number: LinkNumber
    let isLasting = true
    let origin: Turnstile.Origin
    private let mailbox: LinkMailbox
    private let current: Mutex<any SignalingSession>
    private let proven: @Sendable (Credential) -> Void

    init(
      number: LinkNumber, origin: Turnstile.Origin, mailbox: LinkMailbox, session: any SignalingSession,
      proven: @escaping @Sendable (Credential) -> Void
    ) {
      (self.number, self.origin) = (number, origin)
      self.proven = proven
      self.mailbox = mailbox
      current = Mutex(session)
    }

    var session: any SignalingSession { current.withLock { $0 } }
    func send(_ text: String, _ receipt: TextReceipt?) { mailbox.put(.send(text, receipt)) }
    func close(_ closing: LinkClosing) { mailbox.put(.close(closing)) }
    func prove(as credential: Credential) { proven(credential) }
    func move(to session: any SignalingSession) { current.withLock { $0 = session } }
  }

  /// Serves the link until it is closed.
  func run(_ stream: HTTPOrWebSocketChannel.WebSocketStream) async {
    let channel = stream.channel
    // A client that cannot be notified is cut off: it does not read its queue anyway.
    let mailbox = LinkMailbox(capacity: limits.mailbox, bytes: limits.mailboxBytes) { channel.close(promise: nil) }
    let places = places
    let outlet = Outlet(number: number, origin: origin, mailbox: mailbox, session: session) {
      places.prove(channel, as: $0)
    }
    let pulse = LinkPulse(at: MonotonicClock.now)
    channel.closeFuture.whenComplete { _ in mailbox.finish() }
    await enter(session, outlet)
    do {
      try await stream.executeThenClose { inbound, outbound in
        await withTaskGroup(of: Void.self) { group in
          group.addTask {
            await FrameReader(
              mailbox: mailbox, pulse: pulse, limits: limits, framing: framing, compression: compression
            ).run(inbound)
          }
          group.addTask { await LinkClock(mailbox: mailbox, pulse: pulse, places: places, limits: limits).run(channel) }
          await withGracefulShutdownHandler {
            await pump(mailbox, outlet, outbound, channel)
          } onGracefulShutdown: {
            mailbox.put(.shutdown)
            LinkFarewell(mailbox: mailbox, framing: framing, limits: limits).limit(channel)
          }
          group.cancelAll()
        }
      }
    } catch {
      logger.debug("a signaling link broke", metadata: ["error": "\(error)"])
    }
    await outlet.session.linkLost(number, isLeaving: false)
  }

  private func pump(_ mailbox: LinkMailbox, _ outlet: Outlet, _ outbound: Outbound, _ channel: any Channel) async {
    let farewell = LinkFarewell(mailbox: mailbox, framing: framing, limits: limits)
    if let opening = framing.opening, (try? await outbound.write(.text(opening))) == nil { return }
    for await input in mailbox.inputs {
      mailbox.took(input)
      do {
        switch input {
        case .text(let text): await outlet.session.receive(text, from: number)
        case .binary:
          await outlet.session.unreadable(
            "binary messages are not taken here; every message is a JSON object as text", from: number)
        case .send(let text, let receipt):
          try await outbound.write(.message(text, framing, compression))
          receipt?.sign()
        case .ping(let bytes):
          try await outbound.write(WebSocketFrame(fin: true, opcode: .pong, data: .init(bytes: bytes)))
        case .pingDue:
          try await outbound.write(WebSocketFrame(fin: true, opcode: .ping, data: ByteBuffer()))
          if let heartbeat = framing.heartbeat { try await outbound.write(.text(heartbeat)) }
        // After the responses to earlier messages, which wait in the mailbox.
        case .remoteClosed, .violation: mailbox.put(.answered(input))
        case .answered(.remoteClosed(let closing)):
          // Before the reply: a client that sees it finds the seat free.
          await outlet.session.linkLost(number, isLeaving: leavings.contains(closing.code))
          return try await outbound.write(closing.frame)
        case .close(let closing), .answered(.violation(let closing)):
          return await farewell.say(closing, outbound, channel)
        case .answered(.shutdown): return await farewell.say(.shutdown, outbound, channel)
        case .answered: break
        // The room has ended before, but what it said last may still be on its way here.
        case .shutdown: await outlet.session.afterRoom { mailbox.put(.answered(.shutdown)) }
        }
      } catch {
        return
      }
    }
  }
}

/// The end of a link from our side.
struct LinkFarewell {
  let mailbox: LinkMailbox
  let framing: any LinkFraming
  let limits: ServerLimits

  /// Sends a close frame and waits briefly for the other side to close.
  ///
  /// Closing at once could reset the connection, and the reset could overtake the close frame.
  func say(
    _ closing: LinkClosing, _ outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>, _ channel: any Channel
  ) async {
    let stall = limit(channel)
    defer { stall.cancel() }
    if let last = framing.closing(code: closing.code, reason: closing.reason) {
      try? await outbound.write(.text(last))
    }
    guard (try? await outbound.write(closing.frame)) != nil else { return }
    let limit = channel.eventLoop.scheduleTask(in: .milliseconds(limits.closeTimeout)) { channel.close(promise: nil) }
    defer { limit.cancel() }
    for await input in mailbox.inputs {
      switch input {
      case .answered(.shutdown): continue
      case .remoteClosed, .answered: return
      default: continue
      }
    }
  }

  /// Ends the connection of a client that reads nothing, not even the close frame.
  @discardableResult
  func limit(_ channel: any Channel) -> Scheduled<Void> {
    channel.eventLoop.scheduleTask(in: .milliseconds(limits.pongTimeout)) { channel.close(promise: nil) }
  }
}

extension WebSocketFrame {
  /// A message of the session as its link frames it.
  fileprivate static func message(
    _ text: String, _ framing: any LinkFraming, _ compression: MessageCompression?
  ) -> WebSocketFrame {
    switch framing.frame(of: text) {
    case .text(let text): .text(text, compression)
    case .bytes(let bytes): WebSocketFrame(fin: true, opcode: .binary, data: ByteBuffer(bytes: bytes))
    }
  }

  /// A whole text message; compressed if that was negotiated and is worth it.
  static func text(_ text: String, _ compression: MessageCompression? = nil) -> WebSocketFrame {
    if let compression, text.utf8.count >= Deflate.least,
      let bytes = Deflate.deflate(Array(text.utf8), windowBits: compression.windowBits)
    {
      return WebSocketFrame(fin: true, rsv1: true, opcode: .text, data: ByteBuffer(bytes: bytes))
    }
    return WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(string: text))
  }
}
