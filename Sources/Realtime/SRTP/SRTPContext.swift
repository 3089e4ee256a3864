import CSRTP

/// Protects outgoing and decrypts incoming packets with libsrtp (RFC 3711, RFC 7714).
///
/// Packets are copied into the context's own scratch buffer, because libsrtp works in place and requires 4-byte
/// alignment. Results of a call are in that buffer and valid until the next call.
package final class SRTPContext {
  /// Longest packet accepted in either direction, in bytes.
  package static let longestPacket = 4_096
  /// How late a packet may be, in packets. A retransmission may come 3 s late, which is 300 packets of 10 ms, or 1200
  /// of 2.5 ms; the usual 128 would lose them.
  package static let replayWindow = 2_048
  /// Sources for which libsrtp keeps a stream: those of `IncomingStreams`, and some that only send reports.
  package static let mostSources = 2 * IncomingStreams.limit
  /// Former sources remembered to prevent replays: a change every 5 s for five hours.
  package static let mostFormerSources = 4_096

  package let profile: SRTPProfile

  private let sending: srtp_t
  private let receiving: srtp_t
  private let scratch: UnsafeMutableRawBufferPointer
  private var sources = SourceRegister(limit: mostSources, memory: mostFormerSources)

  /// Derives the session keys; the master keys are not kept. Throws `SRTPError.library` if libsrtp runs out of
  /// memory.
  package init(keys: borrowing KeyPair) throws(SRTPError) {
    guard Self.started == srtp_err_status_ok else { throw SRTPError(Self.started, length: 0) }
    let sending = try Self.makeSession(keys.sending, kind: ssrc_any_outbound)
    do throws(SRTPError) {
      receiving = try Self.makeSession(keys.receiving, kind: ssrc_any_inbound)
    } catch {
      srtp_dealloc(sending)
      throw error
    }
    self.sending = sending
    profile = keys.profile
    scratch = .allocate(byteCount: Self.longestPacket + Int(SRTP_MAX_TRAILER_LEN) + 4, alignment: 16)
  }

  deinit {
    srtp_dealloc(sending)
    srtp_dealloc(receiving)
    scratch.deallocate()
  }

  /// Encrypts and authenticates one RTP packet. Two packets with the same SSRC and sequence number must be identical
  /// (a retransmission); otherwise the key stream would be used twice (RFC 3711 §9.1).
  package func protect(rtp packet: UnsafeRawBufferPointer) throws(SRTPError) -> UnsafeRawBufferPointer {
    try transform(packet, shortest: Self.rtpHeaderLength) { srtp_protect(self.sending, $0, $1) }
  }

  /// Encrypts and authenticates one RTCP compound.
  package func protect(rtcp compound: UnsafeRawBufferPointer) throws(SRTPError) -> UnsafeRawBufferPointer {
    try transform(compound, shortest: Self.rtcpHeaderLength) { srtp_protect_rtcp(self.sending, $0, $1) }
  }

  /// Verifies and decrypts one RTP packet; throws if it is replayed, modified or foreign.
  package func unprotect(rtp packet: UnsafeRawBufferPointer) throws(SRTPError) -> UnsafeRawBufferPointer {
    let shortest = Self.rtpHeaderLength + profile.tagLength
    guard packet.count >= shortest else { throw .malformed(length: packet.count) }
    let (ssrc, number) = (packet.bigEndianWord(at: 8), packet.sequenceNumber)
    guard sources.admits(rtp: number, of: ssrc) else { throw .replayed }
    let plain = try transform(packet, shortest: shortest) { srtp_unprotect(self.receiving, $0, $1) }
    forget(sources.note(rtp: number, of: ssrc))
    return plain
  }

  /// Verifies and decrypts one RTCP compound.
  package func unprotect(rtcp compound: UnsafeRawBufferPointer) throws(SRTPError) -> UnsafeRawBufferPointer {
    let shortest = Self.rtcpHeaderLength + Self.rtcpIndexLength + profile.tagLength
    guard compound.count >= shortest else { throw .malformed(length: compound.count) }
    let ssrc = compound.bigEndianWord(at: 4)
    let index = compound.bigEndianWord(at: compound.count - profile.rtcpTrailer) & 0x7FFF_FFFF
    guard sources.admits(rtcp: index, of: ssrc) else { throw .replayed }
    let plain = try transform(compound, shortest: shortest) { srtp_unprotect_rtcp(self.receiving, $0, $1) }
    forget(sources.note(rtcp: index, of: ssrc))
    return plain
  }

  /// Makes libsrtp release a source's stream, which it would otherwise keep for ever.
  private func forget(_ ssrc: UInt32?) {
    if let ssrc { srtp_remove_stream(receiving, ssrc.bigEndian) }
  }
}

extension SRTPContext {
  /// RFC 3550 §5.1, without contributing sources.
  private static let rtpHeaderLength = 12
  /// RFC 3550 §6.4: the common header and the sender's SSRC.
  private static let rtcpHeaderLength = 8
  /// RFC 3711 §3.4: the E flag and the SRTCP index.
  private static let rtcpIndexLength = 4

  /// Calls `srtp_init` once per process; Swift runs this initializer under its own lock.
  private static let started = srtp_init()

  private func transform(
    _ packet: UnsafeRawBufferPointer, shortest: Int,
    _ operation: (UnsafeMutableRawPointer, UnsafeMutablePointer<Int32>) -> srtp_err_status_t
  ) throws(SRTPError) -> UnsafeRawBufferPointer {
    guard packet.count >= shortest else { throw .malformed(length: packet.count) }
    guard packet.count <= Self.longestPacket else { throw .oversized(length: packet.count) }
    guard let start = scratch.baseAddress else { throw .malformed(length: packet.count) }
    scratch.copyMemory(from: packet)
    var length = Int32(packet.count)
    let status = operation(start, &length)
    guard status == srtp_err_status_ok, length >= 0, Int(length) <= scratch.count else {
      throw SRTPError(status, length: packet.count)
    }
    return UnsafeRawBufferPointer(start: start, count: Int(length))
  }

  private static func makeSession(
    _ material: borrowing KeyMaterial, kind: srtp_ssrc_type_t
  ) throws(SRTPError) -> srtp_t {
    let profile =
      switch material.profile {
      case .aeadAES128GCM: srtp_profile_aead_aes_128_gcm
      case .aes128CMSHA180: srtp_profile_aes128_cm_sha1_80
      }
    var policy = srtp_policy_t()
    srtp_crypto_policy_set_from_profile_for_rtp(&policy.rtp, profile)
    srtp_crypto_policy_set_from_profile_for_rtcp(&policy.rtcp, profile)
    policy.ssrc.type = kind
    policy.key = material.bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    policy.window_size = UInt(replayWindow)
    // A subscriber's NACK is answered with the identical packet.
    policy.allow_repeat_tx = 1
    var session: srtp_t?
    let status = srtp_create(&session, &policy)
    guard status == srtp_err_status_ok, let session else { throw SRTPError(status, length: 0) }
    return session
  }
}

extension SRTPProfile {
  /// Bytes from the SRTCP index to the end: RFC 3711 section 3.4 puts the tag after it, RFC 7714 section 9.2 before
  /// it.
  fileprivate var rtcpTrailer: Int {
    switch self {
    case .aeadAES128GCM: 4
    case .aes128CMSHA180: 4 + tagLength
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Sequence number of an RTP header; the caller has checked its length.
  fileprivate var sequenceNumber: UInt16 {
    UInt16(bigEndian: loadUnaligned(fromByteOffset: 2, as: UInt16.self))
  }

  /// Four bytes in network byte order; the caller has checked the bounds.
  fileprivate func bigEndianWord(at offset: Int) -> UInt32 {
    UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }
}

/// The reason why a packet was not protected or decrypted.
package enum SRTPError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Shorter than a header and a tag, or with inner lengths beyond its end; the length in bytes.
  case malformed(length: Int)
  /// Longer than `SRTPContext.longestPacket`; the length in bytes.
  case oversized(length: Int)
  /// The tag does not match the key: another key, or a modified packet.
  case notAuthentic
  /// Already received.
  case replayed
  /// Older than the replay window, so a replay cannot be excluded.
  case tooOld
  /// libsrtp refused for another reason, with its status number.
  case library(status: UInt32)

  init(_ status: srtp_err_status_t, length: Int) {
    switch status {
    case srtp_err_status_auth_fail, srtp_err_status_cipher_fail: self = .notAuthentic
    case srtp_err_status_replay_fail: self = .replayed
    case srtp_err_status_replay_old: self = .tooOld
    case srtp_err_status_bad_param, srtp_err_status_parse_err: self = .malformed(length: length)
    default: self = .library(status: UInt32(status.rawValue))
    }
  }

  package var description: String {
    switch self {
    case .malformed(let length): "a packet of \(length) bytes is too short or its header reaches beyond its end"
    case .oversized(let length):
      "a packet of \(length) bytes is too long; at most \(SRTPContext.longestPacket) are taken"
    case .notAuthentic: "the authentication tag is wrong: another key, or a modified packet"
    case .replayed: "the packet was seen before"
    case .tooOld: "the packet is older than the replay window of \(SRTPContext.replayWindow) packets"
    case .library(let status): "libsrtp refused with status \(status)"
    }
  }
}
