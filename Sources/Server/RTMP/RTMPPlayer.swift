import Rooms
import Signaling
import Synchronization

/// One stream played by an RTMP client: a musician, or the live mix.
///
/// Clients that offer Opus by Enhanced RTMP get the packets unchanged, all others AAC.
final class RTMPPlayer: Sendable {
  let membership: Membership
  let source: AudioSource
  private let tap: AudioTap
  private let takesOpus: Bool
  private let transcoders: Transcoders.Share
  private let broadcasts: AACBroadcasts

  /// OpusHead (RFC 7845 section 5.1): version 1, 2 channels, pre-skip 312, 48 kHz, no gain, mapping family 0.
  private static let opusHead =
    Array("OpusHead".utf8) + [1, 2, 0x38, 0x01, 0x80, 0xBB, 0, 0, 0, 0, 0]

  /// - Throws: `RoomRefusal` if there is nothing to hear.
  init(
    _ membership: Membership, to source: AudioSource, takesOpus: Bool, transcoders: Transcoders.Share,
    broadcasts: AACBroadcasts
  ) async throws(RoomRefusal) {
    self.membership = membership
    self.transcoders = transcoders
    self.broadcasts = broadcasts
    self.source = source
    self.takesOpus = takesOpus
    tap = try await membership.openTap(to: source)
  }

  /// What the client gets.
  var codec: String { takesOpus ? "opus" : "aac" }
  /// Packets that the client did not take in time.
  var dropped: Int { tap.drops.count.load(ordering: .relaxed) }

  /// Ends the playing.
  func finish() async { await membership.close(tap) }

  /// Sends until the playing ends; `send` gets tags with timestamps in milliseconds.
  /// - Throws: `RTMPCallError` with the reason for the client if the audio is not available.
  func run(_ send: @escaping @Sendable (AudioTag, UInt32) -> Void) async throws(RTMPCallError) {
    if takesOpus {
      send(AudioTag(.opus, .header(RTMPPlayer.opusHead)), 0)
      for await packet in tap.packets {
        send(AudioTag(.opus, .frame(packet.opus)), UInt32(truncatingIfNeeded: packet.timestamp / 48))
      }
      return
    }
    try transcoders.enter()
    defer { transcoders.leave() }
    let count = Mutex<Int64>(0)
    do {
      try await broadcasts.play(.init(room: membership.room, source: source), tap.packets) { frame in
        let number = count.withLock { count in
          defer { count += 1 }
          return count
        }
        if number == 0 { send(AudioTag(.aac, .header(AACEncoder.configuration)), 0) }
        let time = number * AACEncoder.frameLength * 1_000 / 48_000
        send(AudioTag(.aac, .frame(frame)), UInt32(truncatingIfNeeded: time))
      }
    } catch let error as RTMPCallError {
      throw error
    } catch let refusal as AudioTranscoder.Refusal {
      throw RTMPCallError(.invocationException, refusal.description)
    } catch {
      throw RTMPCallError(.generalException, "the audio cannot be sent: \(error)")
    }
  }
}
