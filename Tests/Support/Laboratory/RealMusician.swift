import Realtime

/// A musician of the laboratory: plays identifiable noise to a real service, by plain RTP or WebRTC, on a clock and over a
/// path of their own. Times are seconds from the scenario's beginning.
package struct RealMusician: Sendable {
  /// Blocks of 20 ms that the microphone gave and the sender left out.
  package struct Drop: Sendable {
    package var at: Double
    package var blocks: Int
    /// Whether RTP time counts what was left out.
    package var timeRunsOn: Bool

    package init(at: Double, blocks: Int, timeRunsOn: Bool) {
      (self.at, self.blocks, self.timeRunsOn) = (at, blocks, timeRunsOn)
    }
  }

  /// What the musician's RTCP says.
  package struct Reports: Sendable {
    /// Seconds between two.
    package var interval = 1.0
    /// Seconds by which the RTP time of sender reports is ahead of their NTP time.
    package var lead = 0.0
    /// The most by which a report leaves after the time that it tells.
    package var lateness = 0.0
    /// Whether the recorder's reports are answered (DLRR, RFC 3611 section 4.5).
    package var answers = true
    /// Seconds that an answer claims to have been held longer than it was.
    package var heldTooLong = 0.0

    package init() {}
  }

  /// Packets of somebody else at the musician's port.
  package struct Stray: Sendable {
    package var at: Double
    package var count: Int

    package init(at: Double, count: Int) {
      (self.at, self.count) = (at, count)
    }
  }

  /// How the musician comes to the room.
  package enum Entrance: Sendable {
    case plainRTP
    /// By WHIP, with ICE, DTLS and SRTP.
    case webRTC
  }

  package var name: String
  package var entrance = Entrance.plainRTP
  /// Of the noise, the path's dice, SSRC and first numbers.
  package var seed: UInt64
  /// Its `start` is when the musician begins to play.
  package var card: VirtualSoundCard
  /// When the musician leaves; nil plays until after the take's stop.
  package var leaves: Double?
  /// Seconds from then until the input is ended, for what is still on its way.
  package var patience = 0.0
  package var path = RealPath()
  /// Nil sends none.
  package var reports: Reports? = Reports()
  /// Whether what the recorder asks for again is sent again.
  package var answersRequests = true
  package var drops: [Drop] = []
  /// When another SSRC with numbers and times of its own begins.
  package var sourceChanges: [Double] = []
  /// When sequence numbers jump, and by how much; RTP time goes on.
  package var jumps: [(at: Double, by: UInt16)] = []
  package var sendsRedundancy = false
  /// Packets from one with its capture time (abs-capture-time) to the next; nil sends none.
  package var stampsEvery: Int?
  package var strays: [Stray] = []

  package init(name: String, seed: UInt64, card: VirtualSoundCard) {
    (self.name, self.seed, self.card) = (name, seed, card)
  }

  /// What the musician's wall clock shows at `time`; it is not the laboratory's, nor anybody else's.
  func wallTime(at time: Double) -> NTPTime {
    var random = SeededRandom(seed &+ 11)
    let offset = Int64(random.next() % 60_000_000_000)
    return NTPTime(unixNanoseconds: 1_790_000_000_000_000_000 + offset + Int64(time * 1e9))
  }
}
