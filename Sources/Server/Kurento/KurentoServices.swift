import Logging
import NIOCore
import Rooms
import Signaling

/// What every Kurento session needs of the service around it.
struct KurentoServices: Sendable {
  let broker: Broker
  let gatekeeper: Gatekeeper
  let rooms: SessionRegistry<KurentoSession>
  let trees: SessionRegistry<KurentoTreeSession>
  let parked: ParkedSeats
  let forest: Trees
  let limits: ServerLimits
  let logger: Logger

  /// Serves a WebSocket of one of the two dialects until it is closed.
  func serve(_ stream: HTTPOrWebSocketChannel.WebSocketStream, _ opening: LinkOpening) async {
    if opening.path == .kurentoTree {
      let session = trees.open {
        KurentoTreeSession(id: $0, traits: opening.traits, token: opening.token, services: self)
      }
      await serve(stream, session, number: trees.nextLink())
    } else {
      let session = rooms.open {
        KurentoSession(id: $0, traits: opening.traits, token: opening.token, services: self)
      }
      await serve(stream, session, number: rooms.nextLink())
    }
  }

  private func serve(
    _ stream: HTTPOrWebSocketChannel.WebSocketStream, _ session: (any SignalingSession)?, number: LinkNumber
  ) async {
    guard let session else {
      logger.warning("a connection was closed because there are as many sessions as this service keeps")
      stream.channel.close(promise: nil)
      return
    }
    await SessionLink(number: number, session: session, limits: limits, logger: logger).run(stream)
  }
}
