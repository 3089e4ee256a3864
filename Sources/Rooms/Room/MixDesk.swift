import Music
import Realtime
import Recording

/// The live mix of one room: made while it has listeners, on a thread without packets.
struct MixDesk {
  /// The mix; nil without listeners.
  private var mix: LiveMix?
  private var listeners: [LiveMixOutput: [Peer]] = [:]
  /// How the musicians' packets arrive, whether or not anybody listens to the mix.
  private var arrivals: [ParticipantID: LiveHistory] = [:]
  /// Connections that are no member's, by number.
  var outlets: [UInt64: Peer] = [:]

  /// Parameters for reading the live mix, like those of a musician's Opus stream with this payload type.
  private static let reading = Forwarder.Source(opusPayloadType: LiveMixStream.payloadType)

  var isMixing: Bool { mix != nil }

  /// Adds a connection as a listener; the first one starts the mix.
  /// - Returns: the mix if it was started; its packets are to be passed to `forward`.
  /// - Throws: the reason why the mix cannot be made.
  mutating func join(_ peer: Peer, _ output: LiveMixOutput, on loops: MediaLoops) throws -> LiveMix? {
    let isNew = mix == nil
    if isNew {
      let loop = loops.lease()
      do {
        mix = try LiveMix(loop: loop, after: arrivals, release: loops.release)
      } catch {
        loops.release(loop)
        throw error
      }
    }
    listeners[output, default: []].append(peer)
    mix?.setOutputs(Set(listeners.keys))
    return isNew ? mix : nil
  }

  /// Removes a listener; the last one to leave stops the mix.
  mutating func leave(_ peer: Peer) {
    guard let mix else { return }
    for output in listeners.keys { listeners[output]?.removeAll { $0 === peer } }
    listeners = listeners.filter { !$0.value.isEmpty }
    guard listeners.isEmpty else { return mix.setOutputs(Set(listeners.keys)) }
    mix.end()
    self.mix = nil
  }

  /// Takes a musician's packet.
  mutating func offer(_ packet: ReceivedPacket, of participant: ParticipantID, reading source: Forwarder.Source) {
    arrivals[participant, default: LiveHistory()].add(packet)
    mix?.offer(packet, of: participant, reading: source)
  }

  /// Forgets a musician who has left or starts another sequence of numbers.
  mutating func remove(_ participant: ParticipantID) {
    arrivals[participant] = nil
    mix?.remove(participant)
  }

  /// Forwards a mix's packets to the listeners.
  func forward(_ packets: [LiveMix.Packet], of mix: LiveMix) {
    // A mix may still deliver packets after it was ended.
    guard self.mix === mix else { return }
    let now = MonotonicClock.now
    for packet in packets {
      for peer in listeners[packet.output] ?? [] { peer.forward(packet.received, from: MixDesk.reading, at: now) }
    }
  }
}
