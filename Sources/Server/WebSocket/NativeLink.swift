import Logging
import Machines
import NIOCore
import NIOWebSocket
import Rooms
import ServiceLifecycle
import Signaling

/// One native signaling link: pumps a `NativeServer` between a WebSocket and a room.
///
/// Everything that happens goes through one mailbox, so the machine is touched by one task alone. Reading, commands and
/// time are tasks beside it; when the pump ends, they end.
struct NativeLink {
  let path: SignalPath
  let broker: Broker
  let gatekeeper: Gatekeeper
  let limits: ServerLimits
  let logger: Logger

  private typealias Outbound = NIOAsyncChannelOutboundWriter<WebSocketFrame>

  /// How often time is looked at, at most; joins time out by it.
  private static let tickInterval = MonotonicTime.Span.seconds(1)

  /// Serves the link until it is closed.
  func run(_ stream: HTTPOrWebSocketChannel.WebSocketStream) async {
    let channel = stream.channel
    // Who cannot be told is cut: whatever is queued for them is not read.
    let mailbox = LinkMailbox(capacity: limits.mailbox) { channel.close(promise: nil) }
    let member = LinkMember(room: path.room, broker: broker, gatekeeper: gatekeeper, mailbox: mailbox)
    let pulse = LinkPulse(at: MonotonicClock.now)
    channel.closeFuture.whenComplete { _ in mailbox.put(.disconnected) }
    do {
      try await stream.executeThenClose { inbound, outbound in
        await withTaskGroup(of: Void.self) { group in
          group.addTask { await FrameReader(mailbox: mailbox, pulse: pulse, limits: limits).run(inbound) }
          group.addTask { await member.run() }
          group.addTask { await tick(mailbox, pulse, channel) }
          await withGracefulShutdownHandler {
            await pump(mailbox, member, outbound, channel)
          } onGracefulShutdown: {
            mailbox.put(.shutdown)
          }
          group.cancelAll()
        }
      }
    } catch {
      logger.debug("a signaling link broke", metadata: ["error": "\(error)"])
    }
  }

  /// Lets time pass in the mailbox and has pings sent; cuts a connection from which nothing comes, not even pongs.
  ///
  /// It stands beside the pump, which may be stuck in a write that the other side does not read.
  private func tick(_ mailbox: LinkMailbox, _ pulse: LinkPulse, _ channel: any Channel) async {
    let interval = min(NativeLink.tickInterval, .milliseconds(max(1, limits.pingInterval / 4)))
    var lastPing = MonotonicClock.now
    var isWaiting = false
    while true {
      guard (try? await Task.sleep(for: .nanoseconds(interval.nanoseconds))) != nil else { return }
      let now = MonotonicClock.now
      mailbox.put(.tick)
      if isWaiting, pulse.last >= lastPing { isWaiting = false }
      if isWaiting, now - lastPing >= .milliseconds(limits.pongTimeout) { return channel.close(promise: nil) }
      if !isWaiting, now - lastPing >= .milliseconds(limits.pingInterval) {
        lastPing = now
        isWaiting = true
        mailbox.put(.pingDue)
      }
    }
  }

  private func pump(_ mailbox: LinkMailbox, _ member: LinkMember, _ outbound: Outbound, _ channel: any Channel) async {
    var machine = NativeServer(limits: JSONLimits(bytes: limits.message), at: MonotonicClock.now)
    for await input in mailbox.inputs {
      let now = MonotonicClock.now
      do {
        switch input {
        case .text(let text): machine.handle(.text(text), at: now)
        case .binary: machine.handle(.binary, at: now)
        case .joined(let id, let grant): machine.handle(.joined(id, grant), at: now)
        case .replied(let id, let reply): machine.handle(.replied(id, reply), at: now)
        case .refused(let id, let refusal): machine.handle(.refused(id, refusal), at: now)
        case .event(let event): machine.handle(.event(event), at: now)
        case .ping(let bytes):
          try await outbound.write(WebSocketFrame(fin: true, opcode: .pong, data: .init(bytes: bytes)))
        case .tick: machine.advance(to: now)
        case .pingDue: try await outbound.write(WebSocketFrame(fin: true, opcode: .ping, data: ByteBuffer()))
        case .remoteClosed(let closing): return try await outbound.write(closing.frame)
        case .violation(let closing): return await close(closing, outbound, mailbox, channel)
        case .eventsEnded: return await close(.tooSlow, outbound, mailbox, channel)
        case .shutdown: return await close(.shutdown, outbound, mailbox, channel)
        case .disconnected: return
        }
        while let output = machine.next() {
          switch output {
          case .join(let id, let request, let token): member.ask(.join(id, request, token: token))
          case .perform(let id, let command): member.ask(.perform(id, command))
          case .send(let text):
            try await outbound.write(WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(string: text)))
          case .close(let code, let reason):
            return await close(LinkClosing(code: code, reason: reason), outbound, mailbox, channel)
          }
        }
      } catch {
        return
      }
    }
  }

  /// Sends a close frame and waits for the other side to close, but not for long.
  ///
  /// Closing at once could reset the connection, and the reset overtake the frame that says why.
  private func close(
    _ closing: LinkClosing, _ outbound: Outbound, _ mailbox: LinkMailbox, _ channel: any Channel
  ) async {
    guard (try? await outbound.write(closing.frame)) != nil else { return }
    let limit = channel.eventLoop.scheduleTask(in: .milliseconds(limits.closeTimeout)) { mailbox.put(.disconnected) }
    defer { limit.cancel() }
    for await input in mailbox.inputs {
      switch input {
      case .remoteClosed, .disconnected: return
      default: continue
      }
    }
  }
}
