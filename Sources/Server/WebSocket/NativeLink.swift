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
  /// The room as it stands in the path.
  let room: String
  let broker: Broker
  let gatekeeper: Gatekeeper
  let limits: ServerLimits
  let logger: Logger

  private typealias Outbound = NIOAsyncChannelOutboundWriter<WebSocketFrame>
  private typealias Mailbox = LinkMailbox<NativeMessage>

  /// Serves the link until it is closed.
  func run(_ stream: HTTPOrWebSocketChannel.WebSocketStream) async {
    let channel = stream.channel
    // Who cannot be told is cut: whatever is queued for them is not read.
    let mailbox = Mailbox(capacity: limits.mailbox) { channel.close(promise: nil) }
    let member = LinkMember(room: room, broker: broker, gatekeeper: gatekeeper, mailbox: mailbox)
    let pulse = LinkPulse(at: MonotonicClock.now)
    channel.closeFuture.whenComplete { _ in mailbox.finish() }
    do {
      try await stream.executeThenClose { inbound, outbound in
        await withTaskGroup(of: Void.self) { group in
          group.addTask { await FrameReader(mailbox: mailbox, pulse: pulse, limits: limits).run(inbound) }
          group.addTask { await member.run() }
          group.addTask { await LinkClock(mailbox: mailbox, pulse: pulse, limits: limits).run(channel) }
          await withGracefulShutdownHandler {
            await pump(mailbox, member, outbound, channel)
          } onGracefulShutdown: {
            mailbox.put(.shutdown)
            LinkFarewell(mailbox: mailbox, limits: limits).limit(channel)
          }
          group.cancelAll()
        }
      }
    } catch {
      logger.debug("a signaling link broke", metadata: ["error": "\(error)"])
    }
  }

  private func pump(_ mailbox: Mailbox, _ member: LinkMember, _ outbound: Outbound, _ channel: any Channel) async {
    let farewell = LinkFarewell(mailbox: mailbox, limits: limits)
    var machine = NativeServer(limits: JSONLimits(bytes: limits.message), at: MonotonicClock.now)
    for await input in mailbox.inputs {
      let now = MonotonicClock.now
      do {
        switch input {
        case .text(let text): machine.handle(.text(text), at: now)
        case .binary: machine.handle(.binary, at: now)
        case .message(.joined(let id, let grant)): machine.handle(.joined(id, grant), at: now)
        case .message(.replied(let id, let reply)): machine.handle(.replied(id, reply), at: now)
        case .message(.refused(let id, let refusal)): machine.handle(.refused(id, refusal), at: now)
        case .message(.event(let event)): machine.handle(.event(event), at: now)
        case .ping(let bytes):
          try await outbound.write(WebSocketFrame(fin: true, opcode: .pong, data: .init(bytes: bytes)))
        case .tick: machine.advance(to: now)
        case .pingDue: try await outbound.write(WebSocketFrame(fin: true, opcode: .ping, data: ByteBuffer()))
        case .remoteClosed(let closing): return try await outbound.write(closing.frame)
        case .violation(let closing): return await farewell.say(closing, outbound, channel)
        case .message(.eventsEnded): return await farewell.say(.tooSlow, outbound, channel)
        case .shutdown: return await farewell.say(.shutdown, outbound, channel)
        }
        while let output = machine.next() {
          switch output {
          case .join(let id, let request, let token): member.ask(.join(id, request, token: token))
          case .perform(let id, let command): member.ask(.perform(id, command))
          case .send(let text):
            try await outbound.write(WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(string: text)))
          case .close(let code, let reason):
            return await farewell.say(LinkClosing(code: code, reason: reason), outbound, channel)
          }
        }
      } catch {
        return
      }
    }
  }
}
