import Logging
import Machines
import Realtime
import Recording
import Signaling

/// The live mix: made while somebody hears it, on a thread that carries no packets.
extension RoomActor {
  /// The live mix as a stream is read like a musician's who sends Opus under this payload type.
  private static let reading = Forwarder.Source(opusPayloadType: LiveMixStream.payloadType)

  var isMixing: Bool { liveMix != nil }

  /// Lets a connection hear a mix; the first one starts it.
  func joinMix(_ peer: Peer, _ output: LiveMixOutput) throws(RoomRefusal) {
    mixListeners[output, default: []].append(peer)
    if liveMix == nil {
      do {
        let loop = services.mixLoops.lease()
        let mix = try LiveMix(loop: loop, release: services.mixLoops.release)
        liveMix = mix
        // Ends with the mix's stream, which `leaveMix` or the mix itself finishes; it holds the room no longer.
        Task { for await packets in mix.packets { forward(packets, of: mix) } }
      } catch {
        mixListeners = [:]
        logger.error("no live mix", metadata: ["error": "\(error)"])
        throw RoomRefusal(.unavailable, "the live mix could not be made: \(error)")
      }
    }
    liveMix?.setOutputs(Set(mixListeners.keys))
  }

  /// The last one to leave stops the mix.
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
    // A mix that was ended may still have said something.
    guard liveMix === mix else { return }
    let now = MonotonicClock.now
    for packet in packets {
      for peer in mixListeners[packet.output] ?? [] {
        peer.forward(packet.received, from: RoomActor.reading, at: now)
      }
    }
  }
}
