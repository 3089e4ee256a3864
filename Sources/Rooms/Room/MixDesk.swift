import Music
import Realtime
import Recording

/// The live mix of one room: made while somebody hears it, on a thread that carries no packets.
struct MixDesk {
  /// Nil while nobody hears it.
  private var mix: LiveMix?
  private var listeners: [LiveMixOutput: [Peer]] = [:]

  /// The live mix is read like a musician's stream that sends Opus under this payload type.
  private static let reading = Forwarder.Source(opusPayloadType: LiveMixStream.payloadType)

  var isMixing: Bool { mix != nil }

  /// Lets a connection hear a mix; the first one starts it.
  /// - Returns: the mix where it was started, whose packets are to be passed to `forward`.
  /// - Throws: what keeps the mix from being made.
  mutating func join(_ peer: Peer, _ output: LiveMixOutput, on loops: MediaLoops) throws -> LiveMix? {
    let isNew = mix == nil
    if isNew { mix = try LiveMix(loop: loops.lease(), release: loops.release) }
    listeners[output, default: []].append(peer)
    mix?.setOutputs(Set(listeners.keys))
    return isNew ? mix : nil
  }

  /// The last one to leave stops the mix.
  mutating func leave(_ peer: Peer) {
    guard let mix else { return }
    for output in listeners.keys { listeners[output]?.removeAll { $0 === peer } }
    listeners = listeners.filter { !$0.value.isEmpty }
    guard listeners.isEmpty else { return mix.setOutputs(Set(listeners.keys)) }
    mix.end()
    self.mix = nil
  }

  /// A musician's packet.
  func offer(_ packet: ReceivedPacket, of participant: ParticipantID, reading source: Forwarder.Source) {
    mix?.offer(packet, of: participant, reading: source)
  }

  /// The musician is gone, or begins another stream of numbers.
  func remove(_ participant: ParticipantID) { mix?.remove(participant) }

  /// Gives the listeners what a mix made.
  func forward(_ packets: [LiveMix.Packet], of mix: LiveMix) {
    // A mix that was ended may still have said something.
    guard self.mix === mix else { return }
    let now = MonotonicClock.now
    for packet in packets {
      for peer in listeners[packet.output] ?? [] { peer.forward(packet.received, from: MixDesk.reading, at: now) }
    }
  }
}
