import Logging
import Machines
import Realtime
import Recording
import Signaling

/// The live mix: it exists while somebody listens to it, on a thread that carries no packets.
extension RoomActor {
  /// The live mix is read like a musician's stream that sends Opus with this payload type.
  private static let reading = Forwarder.Source(opusPayloadType: LiveMixStream.payloadType)

  var isMixing: Bool { liveMix != nil }

  /// Subscribes a connection to a mix; the first one starts it.
  func joinMix(_ peer: Peer, _ output: LiveMixOutput) throws(RoomRefusal) {
    mixListeners[output, default: []].append(peer)
    if liveMix == nil {
      do {
        let loop = services.mixLoops.lease()
        let mix = try LiveMix(loop: loop, release: services.mixLoops.release)
        liveMix = mix
        // The task ends with the mix's stream, which `leaveMix` or the mix itself finishes, and then releases the
        // room.
        Task { for await packets in mix.packets { forward(packets, of: mix) } }
      } catch {
        mixListeners = [:]
        logger.error("no live mix", metadata: ["error": "\(error)"])
        throw RoomRefusal(.unavailable, "the live mix could not be made: \(error)")
      }
    }
    liveMix?.setOutputs(Set(mixListeners.keys))
  }

  /// Unsubscribes a connection; the last one stops the mix.
  func leaveMix(_ peer: Peer) {
    guard let liveMix else { return }
    for output in mixListeners.keys { mixListeners[output]?.removeAll { $0 === peer } }
    mixListeners = mixListeners.filter { !$0.value.isEmpty }
    if mixListeners.isEmpty {
      liveMix.end()
      self.liveMix = nil
    } else {
      liveMix.setOutputs(Set(mixListeners.keys))
    }
  }

  private func forward(_ packets: [LiveMix.Packet], of mix: LiveMix) {
    // A mix may have produced packets before it was ended.
    guard liveMix === mix else { return }
    let now = MonotonicClock.now
    for packet in packets {
      for peer in mixListeners[packet.output] ?? [] {
        peer.forward(packet.received, from: RoomActor.reading, at: now)
      }
    }
  }
}
