import Machines
import NIOCore
import NIOWebSocket
import Recording
import Rooms

/// Reads the frames of one link into its mailbox and enforces the limits.
struct FrameReader {
  let mailbox: LinkMailbox
  let pulse: LinkPulse
  let limits: ServerLimits

  /// Reads until the other side closes, breaks a rule, or is gone, and reports which to the mailbox.
  func run(_ frames: NIOAsyncChannelInboundStream<WebSocketFrame>) async {
    var rate = RateLimit(perSecond: limits.messageRate, burst: limits.messageBurst)
    do {
      for try await frame in frames {
        let now = MonotonicClock.now
        pulse.beat(at: now)
        // A pong answers our own ping and is free; every other frame counts against the rate.
        guard frame.opcode == .pong || rate.admit(at: now) else {
          return mailbox.put(.violation(.tooMany(rate: limits.messageRate, burst: limits.messageBurst)))
        }
        let bytes = Array(frame.unmaskedData.readableBytesView)
        switch frame.opcode {
        case .text:
          guard let text = String(validating: bytes, as: UTF8.self) else {
            return mailbox.put(.violation(.invalidText))
          }
          mailbox.put(.text(text))
        case .binary: mailbox.put(.binary)
        case .ping: mailbox.put(.ping(bytes))
        case .pong: break
        case .connectionClose: return mailbox.put(.remoteClosed(FrameReader.echo(of: bytes)))
        default: return mailbox.put(.violation(.protocolError))
        }
      }
      mailbox.finish()
    } catch {
      switch error {
      case ClientFrameCheck.Violation.unmasked: mailbox.put(.violation(.unmasked))
      case ClientFrameCheck.Violation.reservedBits: mailbox.put(.violation(.protocolError))
      case NIOWebSocketError.invalidFrameLength, NIOWebSocketFrameAggregator.Error.accumulatedFrameSizeIsTooLarge,
        NIOWebSocketFrameAggregator.Error.tooManyFragments:
        mailbox.put(.violation(.tooLarge(limit: limits.message)))
      case is NIOWebSocketError, is NIOWebSocketFrameAggregator.Error:
        mailbox.put(.violation(.protocolError))
      default:
        mailbox.finish()
      }
    }
  }

  /// The code in reply to a close frame: its own if that may be sent, otherwise 1000 or 1002.
  private static func echo(of bytes: [UInt8]) -> LinkClosing {
    guard !bytes.isEmpty else { return LinkClosing(code: 1000, reason: "") }
    guard bytes.count >= 2 else { return .protocolError }
    let code = UInt16(bytes[0]) << 8 | UInt16(bytes[1])
    switch code {
    case 1000...1003, 1007...1014, 3000...4999: return LinkClosing(code: code, reason: "")
    default: return .protocolError
    }
  }
}

/// Passes only frames permitted to a client: masked (RFC 6455 section 5.1) and without extension bits, because no
/// extension is negotiated (section 5.2).
final class ClientFrameCheck: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame
  typealias InboundOut = WebSocketFrame

  /// The rule broken by a frame; the link is closed.
  enum Violation: Error {
    case unmasked, reservedBits
  }

  private var isOver = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isOver else { return }
    let frame = unwrapInboundIn(data)
    guard frame.maskKey != nil else { return refuse(.unmasked, context) }
    guard frame.reservedBits.isEmpty else { return refuse(.reservedBits, context) }
    context.fireChannelRead(data)
  }

  private func refuse(_ violation: Violation, _ context: ChannelHandlerContext) {
    isOver = true
    context.fireErrorCaught(violation)
  }
}
