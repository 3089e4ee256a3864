import Realtime
import Recording

/// Everything that a musician will play, encoded in advance, so that a busy machine delays no packet for it.
struct MusicianScore: Sendable {
  /// 20 ms that the microphone gave.
  struct Block: Sendable {
    /// Its first sample on the musician's sound card.
    var first: Int
    /// When that was captured, in seconds from the scenario's beginning.
    var captured: Double
    /// When its last sample was.
    var complete: Double
    /// Nil where the sender left it out.
    var packet: Packet?
  }

  struct Packet: Sendable {
    var source: UInt32
    var sequence: UInt16
    var timestamp: UInt32
    /// How many packets of this stream were sent before.
    var ordinal: Int
    var bytes: [UInt8]
    /// Whether this packet carries the one before it again.
    var repeatsPrevious: Bool

    /// Of its stream and its number.
    var key: UInt64 { UInt64(source) << 16 | UInt64(sequence) }
  }

  static let blockLength = 960
  static let payloadType: UInt8 = 111
  static let redPayloadType: UInt8 = 112
  /// Of abs-capture-time.
  static let captureTimeExtension: UInt8 = 3

  let blocks: [Block]
  /// What the microphone heard, from sample 0 of the sound card.
  let noise: [Float]

  /// - Parameters:
  ///   - end: when the musician stops, in seconds from the scenario's beginning.
  ///   - isMute: packets of silence, where their places alone count.
  init(_ musician: RealMusician, until end: Double, isMute: Bool = false) throws {
    let count = max(0, Int((end - musician.card.start) * 50))
    noise =
      isMute ? [] : IdentifiableNoise(seed: musician.seed).samples(from: 0, count: count * MusicianScore.blockLength)
    var writing = try Writing(musician)
    var blocks: [Block] = []
    for number in 0..<count {
      let first = number * MusicianScore.blockLength
      var block = Block(
        first: first, captured: musician.card.captured(atMedia: Double(first) / 48_000),
        complete: musician.card.captured(atMedia: Double(first + MusicianScore.blockLength) / 48_000))
      let samples = isMute ? nil : Array(noise[first..<(first + MusicianScore.blockLength)])
      block.packet = try writing.packet(samples, captured: block.captured)
      blocks.append(block)
    }
    self.blocks = blocks
  }

  /// The sender's state from packet to packet.
  private struct Writing {
    private let musician: RealMusician
    private var random: SeededRandom
    private var encoder: OpusEncoder
    private var source: UInt32
    private var sequence: UInt16
    private var timestamp: UInt32
    private var ordinal = 0
    private var previous: [UInt8]?
    private var changes: [Double]
    private var jumps: [(at: Double, by: UInt16)]
    private var drops: [RealMusician.Drop]

    /// A packet of 20 ms.
    private static let silence: [UInt8] = [0xF8, 0xFF, 0xFE]
    private static let settings = OpusEncoder.Settings(channels: 1, bitrate: 128_000, complexity: 3)

    init(_ musician: RealMusician) throws {
      self.musician = musician
      random = SeededRandom(musician.seed &+ 7)
      encoder = try OpusEncoder(Writing.settings)
      source = UInt32.random(in: 1 ... .max, using: &random)
      sequence = UInt16.random(in: 0 ... .max, using: &random)
      timestamp = UInt32.random(in: 0 ... .max, using: &random)
      (changes, jumps, drops) = (musician.sourceChanges, musician.jumps, musician.drops)
    }

    /// The packet with `samples`, or silence without any; nil where they are left out.
    mutating func packet(_ samples: [Float]?, captured: Double) throws -> Packet? {
      if let index = drops.firstIndex(where: { captured >= $0.at && $0.blocks > 0 }) {
        drops[index].blocks -= 1
        if drops[index].timeRunsOn { timestamp &+= UInt32(MusicianScore.blockLength) }
        previous = nil
        return nil
      }
      if let change = changes.first, captured >= change {
        changes.removeFirst()
        encoder = try OpusEncoder(Writing.settings)
        source = UInt32.random(in: 1 ... .max, using: &random)
        sequence = UInt16.random(in: 0 ... .max, using: &random)
        timestamp = UInt32.random(in: 0 ... .max, using: &random)
        (ordinal, previous) = (0, nil)
      }
      if let jump = jumps.first, captured >= jump.at {
        jumps.removeFirst()
        sequence &+= jump.by
        previous = nil
      }
      let payload = try samples.map { try encoder.encode($0) } ?? Writing.silence
      let result = Packet(
        source: source, sequence: sequence, timestamp: timestamp, ordinal: ordinal,
        bytes: try bytes(payload, captured: captured),
        repeatsPrevious: musician.sendsRedundancy && previous != nil)
      previous = payload
      ordinal += 1
      sequence &+= 1
      timestamp &+= UInt32(MusicianScore.blockLength)
      return result
    }

    private func bytes(_ payload: [UInt8], captured: Double) throws -> [UInt8] {
      let stamps = stamps(captured)
      guard musician.sendsRedundancy, let previous else {
        return writer(MusicianScore.payloadType).packet(extensions: stamps, payload: payload)
      }
      let copy = RedundantAudio.Block(
        payloadType: MusicianScore.payloadType, timestampOffset: UInt32(MusicianScore.blockLength),
        payload: previous[...])
      let red = RedundantAudio(
        redundant: [copy], primaryPayloadType: MusicianScore.payloadType, primary: payload[...])
      return writer(MusicianScore.redPayloadType).packet(extensions: stamps, payload: try red.payload())
    }

    /// When the packet's first sample was captured, by the musician's wall clock.
    private func stamps(_ captured: Double) -> [RTPHeaderExtension] {
      guard let interval = musician.stampsEvery, ordinal % interval == 0 else { return [] }
      let time = musician.wallTime(at: captured)
      return [.absoluteCaptureTime(AbsoluteCaptureTime(captured: time), id: MusicianScore.captureTimeExtension)]
    }

    private func writer(_ payloadType: UInt8) -> RTPWriter {
      RTPWriter(payloadType: payloadType, sequenceNumber: sequence, timestamp: timestamp, ssrc: source)
    }
  }
}
