import Machines
import NIOCore
import Recording

/// Bytes of a client, and when they came off the socket.
struct SocketBytes: Sendable {
  var bytes: ByteBuffer
  var arrival: MonotonicTime
}

/// Notes when bytes come off the socket. The tasks that read them share their threads with everything else, so on a busy
/// machine they are late by more than the path ever is.
final class ArrivalStamp: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = SocketBytes

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    context.fireChannelRead(wrapInboundOut(SocketBytes(bytes: unwrapInboundIn(data), arrival: MonotonicClock.now)))
  }
}
