import Testing

@testable import Realtime

/// Two ends that hold each other's keys.
struct SRTPPair {
  let left: SRTPContext
  let right: SRTPContext

  init(_ profile: SRTPProfile) throws {
    let length = profile.keyLength + profile.saltLength
    let one = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 1) }
    let two = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 11 &+ 3) }
    left = try SRTPContext(keys: Self.pair(profile, sending: one, receiving: two))
    right = try SRTPContext(keys: Self.pair(profile, sending: two, receiving: one))
  }

  static func pair(_ profile: SRTPProfile, sending: [UInt8], receiving: [UInt8]) throws -> KeyPair {
    guard let sending = KeyMaterial(profile: profile, keyAndSalt: sending),
      let receiving = KeyMaterial(profile: profile, keyAndSalt: receiving),
      let pair = KeyPair(sending: sending, receiving: receiving)
    else { throw SRTPError.malformed(length: sending.count) }
    return pair
  }

  /// A plain RTP packet (RFC 3550 §5.1) without extension.
  static func rtp(_ sequence: UInt16, ssrc: UInt32 = 0xCAFE, payload: [UInt8] = Array(repeating: 0x5A, count: 100))
    -> [UInt8]
  {
    let words = [UInt32(sequence) &* 480, ssrc].flatMap { (word: UInt32) -> [UInt8] in
      [24, 16, 8, 0].map { (shift: UInt32) -> UInt8 in UInt8(truncatingIfNeeded: word >> shift) }
    }
    return [0x80, 111, UInt8(sequence >> 8), UInt8(truncatingIfNeeded: sequence)] + words + payload
  }

  /// An empty receiver report (RFC 3550 §6.4.2).
  static func receiverReport(ssrc: UInt32 = 0xCAFE) -> [UInt8] {
    [0x80, 201, 0, 1] + (0..<4).map { UInt8(truncatingIfNeeded: ssrc >> (24 - 8 * UInt32($0))) }
  }
}

extension SRTPContext {
  func protected(rtp packet: [UInt8]) throws -> [UInt8] {
    Array(try packet.withUnsafeBytes { bytes in try protect(rtp: bytes) })
  }

  func unprotected(rtp packet: [UInt8]) throws -> [UInt8] {
    Array(try packet.withUnsafeBytes { bytes in try unprotect(rtp: bytes) })
  }

  func protected(rtcp compound: [UInt8]) throws -> [UInt8] {
    Array(try compound.withUnsafeBytes { bytes in try protect(rtcp: bytes) })
  }

  func unprotected(rtcp compound: [UInt8]) throws -> [UInt8] {
    Array(try compound.withUnsafeBytes { bytes in try unprotect(rtcp: bytes) })
  }
}
