import Machines
import NIOCore
import NIOWebSocket
import Recording
import Rooms
import Signaling

/// Reads the frames of one link into its mailbox and enforces the limits.
struct FrameReader {
  let mailbox: LinkMailbox
  let pulse: LinkPulse
  let limits: ServerLimits
  let framing: any LinkFraming
  /// Nil if the link has not negotiated it.
  let compression: MessageCompression?

  /// Reads until the other side closes, breaks a rule, or is gone, and reports which to the mailbox.
  func run(_ frames: NIOAsyncChannelInboundStream<WebSocketFrame>) async {
    var rate = RateLimit(perSecond: limits.messageRate, burst: limits.messageBurst)
    var messages = MessageAssembler(
      limit: limits.message, fragments: limits.fragments, inflater: compression == nil ? nil : Deflate.inflate)
    do {
      for try await frame in frames {
        let now = MonotonicClock.now
        pulse.beat(at: now)
        let event: MessageAssembler.Event?
        do throws(FrameViolation) {
          event = try messages.add(MessageAssembler.Frame(frame))
        } catch {
          // Nothing comes after a close frame, not even an answer to ours.
          let isLast = frame.opcode == .connectionClose
          return mailbox.put(isLast ? .remoteClosed(LinkClosing(error)) : .violation(LinkClosing(error)))
        }
        // A pong answers our own ping and is free; every message and other frame counts against the rate.
        guard let event, event != .pong else { continue }
        let inputs = inputs(of: event)
        for index in 0..<max(1, inputs.count) {
          guard rate.admit(at: now) else {
            return mailbox.put(.violation(.tooMany(rate: limits.messageRate, burst: limits.messageBurst)))
          }
          if index < inputs.count { mailbox.put(inputs[index]) }
        }
        switch inputs.last {
        case .remoteClosed, .violation: return
        default: break
        }
      }
      mailbox.finish()
    } catch NIOWebSocketError.invalidFrameLength {
      mailbox.put(.violation(LinkClosing(.tooLarge(limit: limits.message))))
    } catch is NIOWebSocketError {
      // The decoder looks at the length of control frames.
      mailbox.put(.violation(LinkClosing(.longControl)))
    } catch {
      mailbox.finish()
    }
  }

  /// None for a pong and for an empty text of SockJS.
  private func inputs(of event: MessageAssembler.Event) -> [LinkInput] {
    do throws(FramingFault) {
      switch event {
      case .text(let text):
        let json = JSONLimits(
          bytes: limits.message, depth: 2, stringBytes: limits.message, values: max(2, limits.messageBurst))
        return try framing.messages(in: text, limits: json).map(LinkInput.text)
      case .binary(let bytes): return [try framing.message(in: bytes).map(LinkInput.text) ?? .binary]
      case .ping(let bytes): return [.ping(bytes)]
      case .pong: return []
      case .close(let code): return [.remoteClosed(LinkClosing(code: code, reason: ""))]
      }
    } catch {
      return [.violation(LinkClosing(code: error.code, reason: error.sentence))]
    }
  }
}

extension MessageAssembler.Frame {
  init(_ frame: WebSocketFrame) {
    self.init(
      isFinal: frame.fin, reserved: frame.reservedBits.rawValue >> 4, opcode: UInt8(webSocketOpcode: frame.opcode),
      isMasked: frame.maskKey != nil, payload: Array(frame.unmaskedData.readableBytesView))
  }
}
