import Glibc
import Logging
import Machines
import NIOCore
import Rooms
import Signaling

/// One stream played by an RTMP client: a musician, or the live mix.
///
/// Clients that offer Opus by Enhanced RTMP get the packets unchanged, all others AAC.
final class RTMPPlayer: Sendable {
  let membership: Membership
  let source: AudioSource
  private let tap: AudioTap
  private let takesOpus: Bool
  private let transcoders: Transcoders.Share

  /// OpusHead (RFC 7845 section 5.1): version 1, 2 channels, pre-skip 312, 48 kHz, no gain, mapping family 0.
  private static let opusHead =
    Array("OpusHead".utf8) + [1, 2, 0x38, 0x01, 0x80, 0xBB, 0, 0, 0, 0, 0]

  /// - Throws: `RoomRefusal` if there is nothing to hear.
  init(
    _ membership: Membership, to source: AudioSource, takesOpus: Bool, transcoders: Transcoders.Share
  ) async throws(RoomRefusal) {
    self.membership = membership
    self.transcoders = transcoders
    self.source = source
    self.takesOpus = takesOpus
    tap = try await membership.openTap(to: source)
  }

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
    do {
      var count: Int64 = 0
      try await AACEncoder().run(tap.packets) { frame in
        if count == 0 { send(AudioTag(.aac, .header(AACEncoder.configuration)), 0) }
        send(
          AudioTag(.aac, .frame(frame)),
          UInt32(truncatingIfNeeded: count * AACTimeline.frameLength * 1_000 / 48_000))
        count += 1
      }
    } catch let error as IOError where error.errnoCode == ENOENT {
      throw RTMPCallError(
        .invocationException, "AAC needs ffmpeg on the server, and ffmpeg is not installed; offer Opus")
    } catch {
      throw RTMPCallError(.generalException, "the audio cannot be sent: \(error)")
    }
  }
}
