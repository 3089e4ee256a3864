import Logging
import Recording
import Signaling

extension RoomActor {
  var isMixing: Bool { mix.isMixing }

  /// Lets a connection hear a mix.
  func joinMix(_ peer: Peer, _ output: LiveMixOutput) throws(RoomRefusal) {
    do {
      guard let started = try mix.join(peer, output, on: services.mixLoops) else { return }
      // Ends with the mix's stream, when the last listener leaves or the mix itself ends; it holds the room no longer.
      Task { for await packets in started.packets { mix.forward(packets, of: started) } }
    } catch {
      logger.error("no live mix", metadata: ["error": "\(error)"])
      throw RoomRefusal(.unavailable, "the live mix could not be made: \(error)")
    }
  }
}
