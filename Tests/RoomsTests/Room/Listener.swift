import Machines
import Music
import Realtime
import Recording
import Signaling
import Synchronization
import Testing

@testable import Rooms

/// Somebody who hears one connection of a room: real packets, decoded for measuring.
final class Listener: Sendable {
  private struct Heard {
    var payloads: [[UInt8]] = []
    var waiting: (count: Int, continuation: CheckedContinuation<Void, Never>)?
  }

  private let heard: Mutex<Heard>
  let peer: ClientPeer
  let label: PeerLabel

  /// Subscribes `membership` to `source` and waits for the connection.
  init(_ service: LiveService, _ membership: Membership, to source: AudioSource, as name: String) async throws {
    label = try service.label(name)
    let state = Box()
    heard = Mutex(Heard())
    peer = ClientPeer(
      loop: service.clients, sends: false, configuration: service.ice, certificate: service.certificate,
      onPacket: { packet, _ in state.owner?.take(packet) })
    state.set(self)
    let offer = try await peer.offer()
    guard case .answer(_, let answer) = try await membership.perform(.subscribe(label, to: source, offer: offer)) else {
      throw ClientPeer.Failure(description: "no answer")
    }
    try await peer.accept(answer: answer)
    try await peer.waitUntilConnected()
  }

  /// The way from the packet's closure to its listener, which does not exist yet when the closure is made.
  private final class Box: Sendable {
    private let place = Mutex<Weak>(Weak())
    private struct Weak { weak var listener: Listener? }
    var owner: Listener? { place.withLock { $0.listener } }
    func set(_ listener: Listener) { place.withLock { $0.listener = listener } }
  }

  private func take(_ packet: ReceivedPacket) {
    heard.withLock { heard in
      heard.payloads.append(Array(packet.packet.payload))
      guard let (count, continuation) = heard.waiting, heard.payloads.count >= count else { return }
      heard.waiting = nil
      continuation.resume()
    }
  }

  /// Waits for `count` further packets and decodes them: the left channel.
  func listen(to count: Int) async throws -> [Float] {
    heard.withLock { $0.payloads = [] }
    await withCheckedContinuation { continuation in
      heard.withLock { $0.waiting = (count, continuation) }
    }
    let decoder = try OpusDecoder(channels: 2)
    var samples: [Float] = []
    var buffer = [Float](repeating: 0, count: 2 * 5_760)
    for payload in heard.withLock({ $0.payloads }) {
      let frames = try buffer.withUnsafeMutableBufferPointer { try decoder.decode(payload[...], into: $0) }
      samples += stride(from: 0, to: 2 * frames, by: 2).map { buffer[$0] }
    }
    return samples
  }
}
