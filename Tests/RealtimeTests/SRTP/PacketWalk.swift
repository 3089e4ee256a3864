import TestSupport

@testable import Realtime

/// Packets of a few sources over a network that loses, doubles, reorders and damages them.
struct PacketWalk {
  private var random: SeededRandom
  private var numbers: [UInt32: UInt16] = [:]
  private var sent: [Bool: [[UInt8]]] = [:]
  /// As many as have a replay window: libsrtp never forgets one.
  private static let sources: UInt32 = 12

  init(seed: UInt64) {
    random = SeededRandom(seed)
  }

  /// An RTP packet with contributing sources, extension and padding at times; rarely of a header alone, or with one
  /// that reaches beyond its end.
  mutating func rtp() -> [UInt8] {
    let ssrc = UInt32.random(in: 1...Self.sources, using: &random)
    let number = numbers[ssrc] ?? UInt16.random(in: .min ... .max, using: &random)
    let step: UInt16 = chance(50) ? .random(in: 2...2_500, using: &random) : chance(9) ? 0 : 1
    numbers[ssrc] = number &+ step
    // Late ones, as retransmissions are, and some that are too late.
    let delay: UInt16 = chance(10) ? .random(in: 1...(chance(4) ? 3_000 : 100), using: &random) : 0
    let contributors = chance(4) ? UInt8.random(in: 0...15, using: &random) : 0
    let (hasExtension, isPadded) = (chance(3), chance(6))
    var packet = SRTPPair.rtp(number &- delay, ssrc: ssrc, payload: [])
    packet[0] |= contributors | (hasExtension ? 0x10 : 0) | (isPadded ? 0x20 : 0)
    packet += bytes(4 * Int(contributors))
    if hasExtension {
      let words = chance(40) ? 400 : Int.random(in: 0...5, using: &random)
      packet += [0xBE, 0xDE, UInt8(words >> 8), UInt8(words & 0xFF)]
      if words < 400 { packet += bytes(4 * words) }
    }
    packet += bytes(length())
    if isPadded { packet += [0, 0, 3] }
    return packet
  }

  /// An RTCP compound of at least its header.
  mutating func rtcp() -> [UInt8] {
    SRTPPair.receiverReport(ssrc: .random(in: 1...Self.sources, using: &random)) + bytes(length())
  }

  /// What arrives when a packet was sent: mostly itself.
  mutating func arrivals(of packet: [UInt8], isReport: Bool) -> [[UInt8]] {
    let earlier = sent[isReport]?.randomElement(using: &random)
    sent[isReport, default: []].append(packet)
    if chance(20) { return [] }
    var arrivals = [packet]
    if chance(10), let earlier { arrivals.append(earlier) }
    if chance(10) { arrivals.insert(damaged(packet), at: 0) }
    if chance(100) { arrivals.append(bytes(Int.random(in: 0...80, using: &random))) }
    return arrivals
  }

  private mutating func damaged(_ packet: [UInt8]) -> [UInt8] {
    var packet = packet
    if chance(3) { return Array(packet.prefix(Int.random(in: 0..<packet.count, using: &random))) }
    // The first bytes say where everything else is.
    let index = chance(3) ? Int.random(in: 0..<4, using: &random) : packet.indices.randomElement(using: &random) ?? 0
    packet[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    return packet
  }

  private mutating func bytes(_ count: Int) -> [UInt8] { random.bytes(count) }

  private mutating func length() -> Int {
    chance(10) ? 0 : Int.random(in: 0...(chance(5) ? 1_500 : 340), using: &random)
  }

  private mutating func chance(_ oneIn: Int) -> Bool { Int.random(in: 0..<oneIn, using: &random) == 0 }
}
