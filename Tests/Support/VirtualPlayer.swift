import Glibc
import Machines
import Music
import Recording

/// A musician in virtual time: plays a signal through a sound card with a clock of its own, real Opus and RTP.
///
/// All instants are seconds from the take's zero on the recorder's clock; what was played at an instant is known, so a
/// rendered track can be compared with it.
package struct VirtualPlayer {
  /// Something that happens to the player's sound card or connection.
  package enum Event: Hashable, Sendable {
    /// The microphone stands still, and the RTP clock with it.
    case stall(at: Double, length: Double)
    /// Nothing is sent while the RTP clock runs on.
    case silence(at: Double, length: Double)
    /// The connection is away; what is sent is lost, and the path frames say so.
    case outage(at: Double, length: Double)
    /// From here on another SSRC with other numbers is used.
    case reconnect(at: Double)
    /// The numbers of the packets jump ahead; nothing is left out.
    case numberJump(at: Double, by: UInt16)
    /// The packets' times jump ahead by so many samples; nothing is left out, and the encoder goes on.
    case timeJump(at: Double, by: UInt32)
    /// From here on another sound card captures, whose clock is off by so many ppm.
    case device(at: Double, drift: Double)
    /// From here on packets are so many samples long.
    case packetLength(at: Double, samples: Int)
    /// From here on so many channels are encoded.
    case channels(at: Double, count: Int)
    /// What arrives in this time is read at its end, all at once: a path that holds packets, or a recorder that stands
    /// still.
    case held(at: Double, length: Double)
    /// Packets of somebody else's, with this SSRC and numbers of their own, come in between.
    case stray(at: Double, source: UInt32, count: Int)
    /// Silence is captured and sent like sound.
    case mute(at: Double, length: Double)
    /// The clock of the reports jumps by so many seconds.
    case clockJump(at: Double, by: Double)
  }

  package var name = "ada"
  package var signal = VirtualSignal()
  package var settings = OpusEncoder.Settings(complexity: 0)
  /// The sound card against the recorder's clock, in ppm.
  package var drift = 0.0
  package var start = 0.1
  package var end = 10.0
  /// Samples per packet.
  package var packet = 960
  package var link = VirtualLink()
  /// What everything goes through instead of `link`, where it is set: with the recorder's real requests.
  package var network: VirtualNetwork?
  package var firstSequence: UInt16 = 1_000
  package var firstTimestamp: UInt32 = 50_000
  package var source: UInt32 = 0x1234_5678
  /// Payload 63 carries each packet together with the one before (RFC 2198).
  package var sendsRedundancy = false
  package var sendsReports = true
  package var sendsCaptureTime = false
  /// Seconds between two capture times; one is sent at once where the clocks part by more than a millisecond, as browsers
  /// do. 0: with every packet.
  package var captureTimeInterval = 0.0
  package var reportsRoundTrip = true
  /// Through a network: the recorder's reports are answered by sender reports, as browsers do.
  package var answersWithReports = false
  package var events: [Event] = []
  /// What the sender's NTP clock is ahead of the take's zero, in seconds.
  package var clockOffset = 3_900_000_000.0

  package static let opus: UInt8 = 111
  package static let red: UInt8 = 63
  package static let captureTimeExtension: UInt8 = 5

  package init(_ name: String = "ada") {
    self.name = name
  }

  /// What is played in `count` samples from the time line's sample `start`.
  package func played(from start: Int, count: Int, channel: Int = 0) -> [Float] {
    signal.samples(from: start, count: count, channel: channel)
  }

  /// How the journal is told to read the packets.
  package var stream: JournalStream {
    JournalStream(
      opusPayloadType: VirtualPlayer.opus, redPayloadType: VirtualPlayer.red,
      absoluteCaptureTimeExtension: VirtualPlayer.captureTimeExtension)
  }

  /// Everything that the recorder receives from the player as track `track`, in no particular order.
  package func frames(track: Int, zero: MonotonicTime) throws -> [JournalFrame] {
    var sender = VirtualSender(player: self, track: track, zero: zero)
    return try sender.frames()
  }
}
