import Music
import Recording
import Signaling

/// Outlets: the room's mix for parts of the service that are no members, such as broadcasts. Nobody sees them, and they
/// end with the room.
extension RoomActor {
  /// Most outlets of a room.
  private static let mostOutlets = 8

  func openOutlet(_ output: LiveMixOutput) throws(RoomRefusal) -> MixOutlet {
    guard !isClosed else { throw RoomActor.closing }
    guard mix.outlets.count < RoomActor.mostOutlets else {
      throw RoomRefusal(.tooMany, "\(mix.outlets.count) outlets of the mix of \(name) are open, the most of a room")
    }
    let transport = TapTransport()
    let peer = tapPeer(on: transport)
    do throws(RoomRefusal) {
      try joinMix(peer, output)
    } catch {
      peer.close()
      throw error
    }
    let number = UInt64.random(in: .min ... .max)
    mix.outlets[number] = peer
    return MixOutlet(room: self, number: number, packets: transport.packets)
  }

  func closeOutlet(_ number: UInt64) {
    guard let peer = mix.outlets.removeValue(forKey: number) else { return }
    mix.leave(peer)
    peer.close()
  }

  func endOutlets() {
    for number in mix.outlets.keys { closeOutlet(number) }
  }
}

/// The live mix of a room within this process, heard by nobody in the room.
package struct MixOutlet: Sendable {
  let room: RoomActor
  let number: UInt64
  /// Packets as they come, silence among them; ends with the room. A slow reader loses the oldest.
  package let packets: AsyncStream<AudioTap.Packet>

  package func close() async { await room.closeOutlet(number) }
}

extension Broker {
  /// Opens an outlet of a room's mix.
  /// - Parameter output: who is heard.
  /// - Throws: `RoomRefusal` `.wrongState` if nobody is in the room, `.tooMany`.
  package func openOutlet(
    of name: RoomName, _ output: LiveMixOutput = .everybody
  ) async throws(RoomRefusal) -> MixOutlet {
    try await live(name).openOutlet(output)
  }
}
