import Logging
import Machines
import Music
import Recording
import Rooms
import Signaling

/// What runs of a connector that has been started.
extension OpenTokConnectors {
  func run(_ connector: OpenTokConnector) {
    let (id, wish) = (connector.id, connector.wish)
    guard let entry = live[id] else { return }
    let link = entry.link
    link.say(connector.greeting)
    live[id]?.sender = Task { [weak self, voice = entry.voice] in
      let end = await link.run { message in
        if let sound = OpenTokConnector.sound(of: message, by: wish.transport) { voice?.hear(sound) }
      }
      await self?.end(id, end == .closedByServer ? .closedByServer : .lost)
    }
    live[id]?.readers = [
      Task { [weak self, packets = entry.outlet.packets] in
        if await !OpenTokConnectors.play(packets, wish, to: link) { await self?.end(id, .failure) }
      },
      Task { [weak self, events = entry.membership.events] in
        var reason = OpenTokConnector.Reason.lost
        for await event in events {
          if case .closed(let closing) = event { reason = OpenTokConnectors.reason(closing) }
        }
        if !Task.isCancelled { await self?.end(id, reason) }
      },
    ]
    if let voice = entry.voice {
      live[id]?.readers.append(
        Task { [membership = entry.membership, logger] in
          do {
            try await voice.publish(by: membership)
          } catch {
            // A stream that a moderator has ended stays so; the connector goes on to listen.
            logger.info(
              "an Audio Connector publishes no more", metadata: ["connector": "\(id)", "reason": "\(error)"])
          }
        })
    }
  }

  /// - Returns: false if no sound could be made.
  private static func play(
    _ packets: AsyncStream<AudioTap.Packet>, _ wish: OpenTokConnectorWish, to link: ConnectorLink
  ) async -> Bool {
    guard var sound = try? LinearSound(rate: wish.rate, channels: wish.channels) else { return false }
    for await packet in packets {
      for piece in sound.pieces(of: packet.opus, at: packet.timestamp) {
        link.offer(OpenTokConnector.message(piece, by: wish.transport))
      }
    }
    return true
  }

  private static func reason(_ closing: RoomEvent.ClosingReason) -> OpenTokConnector.Reason {
    switch closing {
    case .kicked, .expired: .kicked
    case .roomClosed: .sessionEnded
    case .shutdown: .systemFailure
    case .replaced, .tooSlow: .lost
    }
  }
}
