import Machines
import Music
import Realtime
import TestSupport

@testable import Recording

/// A musician who plays into the live mix: real Opus, with a clock and a path of its own.
struct LivePlayer {
  static let opus: UInt8 = 111
  static let red: UInt8 = 63
  static let reading = Forwarder.Source(opusPayloadType: opus, redPayloadType: red)
  /// Seconds that are played again and again: a whole number of turns of all our tones, and of packets of any length.
  static let loop = 0.48

  var id: ParticipantID
  /// Hz, and amplitude.
  var tone = 1_000.0
  var level: Float = 0.25
  var settings = OpusEncoder.Settings(complexity: 0)
  /// Samples per packet.
  var packet = 960
  /// The sound card against the mixer, in ppm.
  var drift = 0.0
  /// When the first packet is sent, in seconds, and how long it plays.
  var start = 0.0
  var length = 5.0
  /// The path: seconds.
  var delay = 0.03
  var jitter = 0.0
  var loss = 0.0
  /// Share of packets that another overtakes, that come twice.
  var reordering = 0.0
  var duplication = 0.0
  var seed: UInt64 = 1
  var ssrc: UInt32 = 0x1234
  var segment = 0
  var firstTimestamp: Int64 = 7_000_000_000
  var sendsRedundancy = false

  init(_ number: UInt64, tone: Double = 1_000, level: Float = 0.25) {
    id = ParticipantID(ULID(high: 1, low: number))
    seed = number
    ssrc = UInt32(truncatingIfNeeded: 0x1000 &+ number)
    (self.tone, self.level) = (tone, level)
  }

  /// What the room gets, in no particular order.
  func arrivals() throws -> [LiveArrival] {
    let sound = Tone.stereo(tone, level: level, frames: Int(LivePlayer.loop * 48_000))
    let plane = settings.channels == 2 ? sound : stride(from: 0, to: sound.count, by: 2).map { sound[$0] }
    return try arrivals(playing: plane)
  }

  /// Plays interleaved samples, again from the beginning when they end.
  func arrivals(playing sound: [Float]) throws -> [LiveArrival] {
    let encoder = try OpusEncoder(settings)
    let width = packet * settings.channels
    let count = Int(length * 48_000) / packet
    var payloads: [[UInt8]] = []
    // Once more for the encoder to be in its stride where the loop closes.
    for round in 0..<2 where round == 0 || count > sound.count / width {
      payloads = try stride(from: 0, to: sound.count - width + 1, by: width).map {
        try encoder.encode(Array(sound[$0..<($0 + width)]))
      }
    }
    return try arrivals(of: (0..<count).map { payloads[$0 % payloads.count] })
  }

  /// Sends the packets of `payloads`.
  func arrivals(of payloads: [[UInt8]]) throws -> [LiveArrival] {
    var random = SeededRandom(seed)
    var arrivals: [LiveArrival] = []
    for (index, payload) in payloads.enumerated() {
      let sent = start + Double((index + 1) * packet) / 48_000 / (1 + drift * 1e-6)
      let wait = delay + jitter * (2 * random.unit() - 1)
      let isLost = random.unit() < loss
      let detour = random.unit() < reordering ? Double(packet) / 48_000 * 1.2 : 0
      let isDoubled = random.unit() < duplication
      guard !isLost else { continue }
      let earlier = sendsRedundancy && index > 0 ? payloads[index - 1] : nil
      let arrival = LiveArrival(
        source: id, time: sent + wait + detour, packet: try rtp(payload, earlier: earlier), sequence: Int64(index),
        timestamp: firstTimestamp + Int64(index * packet), segment: segment)
      arrivals.append(arrival)
      if isDoubled { arrivals.append(arrival.again(after: 0.001)) }
    }
    return arrivals
  }

  private func rtp(_ payload: [UInt8], earlier: [UInt8]?) throws -> RTPPacket {
    var writer = RTPWriter(payloadType: LivePlayer.opus, sequenceNumber: 0, timestamp: 0, ssrc: ssrc)
    guard let earlier else { return try RTPPacket(parsing: writer.packet(payload: payload)) }
    writer.payloadType = LivePlayer.red
    let block = RedundantAudio.Block(
      payloadType: LivePlayer.opus, timestampOffset: UInt32(packet), payload: earlier[...])
    let audio = RedundantAudio(redundant: [block], primaryPayloadType: LivePlayer.opus, primary: payload[...])
    return try RTPPacket(parsing: writer.packet(payload: audio.payload()))
  }
}
