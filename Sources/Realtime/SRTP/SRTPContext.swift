/// Protects outgoing and decrypts incoming packets of one connection (RFC 3711, RFC 7714), with OpenSSL's AES.
///
/// Results of a call are in a buffer of the context, one for each direction, and valid until its next call.
package final class SRTPContext {
  /// Longest packet accepted in either direction, in bytes.
  package static let longestPacket = 4_096
  /// How late a packet may be, in packets.
  package static let replayWindow = Int(SequenceWindow<32>.length)
  /// Sources with a replay window: those of `IncomingStreams`, and some that only send reports.
  package static let mostSources = 2 * IncomingStreams.limit
  /// Former sources remembered to prevent replays: a change every 5 s for five hours.
  package static let mostFormerSources = 4_096

  package let profile: SRTPProfile

  private let rtpProtection: PacketCipher
  private let rtcpProtection: PacketCipher
  private let rtpOpening: PacketCipher
  private let rtcpOpening: PacketCipher
  private let protected: UnsafeMutableRawPointer
  private let opened: UnsafeMutableRawPointer
  private var sent = SentSources()
  private var sources = SourceRegister(limit: mostSources, memory: mostFormerSources)

  /// Derives the session keys; the master keys are not kept. Throws `SRTPError.library` if OpenSSL runs out of memory.
  package init(keys: borrowing KeyPair) throws(SRTPError) {
    guard let rtpProtection = PacketCipher(keys.sending, kind: .rtp, protects: true),
      let rtcpProtection = PacketCipher(keys.sending, kind: .rtcp, protects: true),
      let rtpOpening = PacketCipher(keys.receiving, kind: .rtp, protects: false),
      let rtcpOpening = PacketCipher(keys.receiving, kind: .rtcp, protects: false)
    else { throw .library }
    self.rtpProtection = rtpProtection
    self.rtcpProtection = rtcpProtection
    self.rtpOpening = rtpOpening
    self.rtcpOpening = rtcpOpening
    profile = keys.profile
    protected = .allocate(byteCount: Self.longestPacket + PacketCipher.longestTrailer, alignment: 16)
    opened = .allocate(byteCount: Self.longestPacket, alignment: 16)
  }

  deinit {
    protected.deallocate()
    opened.deallocate()
  }

  /// Encrypts and authenticates one RTP packet. Two packets with the same SSRC and sequence number must be identical
  /// (a retransmission); otherwise the key stream would be used twice (RFC 3711 §9.1).
  package func protect(rtp packet: UnsafeRawBufferPointer) throws(SRTPError) -> UnsafeRawBufferPointer {
    let header = try Self.rtpHeader(of: packet, trailer: 0)
    let ssrc = packet.bigEndianWord(at: 8)
    var source = sent[ssrc]
    let index = PacketIndex.guess(packet.sequenceNumber, highest: source.highest)
    guard index <= PacketIndex.last else { throw .exhausted }
    let highest = max(index, source.highest ?? index)
    guard highest &- index < Int64(Self.replayWindow) else { throw .tooOld }
    let parameters = PacketCipher.Parameters(clear: header, ssrc: ssrc, index: index, word: index.rolloverCounter)
    guard rtpProtection.protect(packet, parameters, into: protected) else { throw .library }
    source.highest = highest
    sent[ssrc] = source
    return UnsafeRawBufferPointer(start: protected, count: packet.count &+ rtpProtection.trailer)
  }

  /// Encrypts and authenticates one RTCP compound.
  package func protect(rtcp compound: UnsafeRawBufferPointer) throws(SRTPError) -> UnsafeRawBufferPointer {
    try Self.check(compound, shortest: Self.rtcpHeaderLength)
    let ssrc = compound.bigEndianWord(at: 4)
    var source = sent[ssrc]
    guard source.report < Self.lastRTCPIndex else { throw .exhausted }
    source.report &+= 1
    sent[ssrc] = source
    let parameters = PacketCipher.Parameters(
      clear: Self.rtcpHeaderLength, ssrc: ssrc, index: Int64(source.report),
      word: source.report | PacketCipher.encrypted)
    guard rtcpProtection.protect(compound, parameters, into: protected) else { throw .library }
    return UnsafeRawBufferPointer(start: protected, count: compound.count &+ rtcpProtection.trailer)
  }

  /// Verifies and decrypts one RTP packet; throws if it is replayed, modified or foreign.
  package func unprotect(rtp packet: UnsafeRawBufferPointer) throws(SRTPError) -> UnsafeRawBufferPointer {
    let header = try Self.rtpHeader(of: packet, trailer: rtpOpening.trailer)
    let ssrc = packet.bigEndianWord(at: 8)
    let index = try sources.admit(rtp: packet.sequenceNumber, of: ssrc)
    let parameters = PacketCipher.Parameters(clear: header, ssrc: ssrc, index: index, word: index.rolloverCounter)
    guard rtpOpening.open(packet, parameters, into: opened) else { throw .notAuthentic }
    sources.note(rtp: index, of: ssrc)
    return UnsafeRawBufferPointer(start: opened, count: packet.count &- rtpOpening.trailer)
  }

  /// Verifies and decrypts one RTCP compound. In Galois/counter mode it may be authentic without being encrypted.
  package func unprotect(rtcp compound: UnsafeRawBufferPointer) throws(SRTPError) -> UnsafeRawBufferPointer {
    let trailer = rtcpOpening.trailer
    try Self.check(compound, shortest: Self.rtcpHeaderLength + trailer)
    let ssrc = compound.bigEndianWord(at: 4)
    let word = compound.bigEndianWord(at: compound.count - profile.rtcpWordEnd)
    let isEncrypted = word & PacketCipher.encrypted != 0
    guard isEncrypted || profile == .aeadAES128GCM else { throw .unencrypted }
    let index = Int64(word & Self.lastRTCPIndex)
    try sources.admit(rtcp: index, of: ssrc)
    let clear = isEncrypted ? Self.rtcpHeaderLength : compound.count - trailer
    let parameters = PacketCipher.Parameters(clear: clear, ssrc: ssrc, index: index, word: word)
    guard rtcpOpening.open(compound, parameters, into: opened) else { throw .notAuthentic }
    sources.note(rtcp: index, of: ssrc)
    return UnsafeRawBufferPointer(start: opened, count: compound.count &- trailer)
  }
}

extension SRTPContext {
  /// RFC 3550 §5.1, without contributing sources.
  private static let rtpHeaderLength = 12
  /// RFC 3550 §6.4: the common header and the sender's SSRC.
  private static let rtcpHeaderLength = 8
  /// RFC 3711 §3.4: 31 bits.
  private static let lastRTCPIndex: UInt32 = 0x7FFF_FFFF

  private static func check(_ packet: UnsafeRawBufferPointer, shortest: Int) throws(SRTPError) {
    guard packet.count >= shortest else { throw .malformed(length: packet.count) }
    guard packet.count <= longestPacket else { throw .oversized(length: packet.count) }
  }

  /// Length of the header of an RTP packet with contributing sources and extension, behind which there is room for the
  /// trailer.
  private static func rtpHeader(of packet: UnsafeRawBufferPointer, trailer: Int) throws(SRTPError) -> Int {
    try check(packet, shortest: rtpHeaderLength + trailer)
    // Room for the header itself; in range: the packet is longer than its trailer.
    let room = packet.count - trailer
    var length = rtpHeaderLength + 4 * Int(packet[0] & 0x0F)
    if packet[0] & 0x10 != 0 {
      guard length + 4 <= room else { throw .malformed(length: packet.count) }
      length += 4 + 4 * Int(packet.bigEndianWord(at: length) & 0xFFFF)
    }
    guard length <= room else { throw .malformed(length: packet.count) }
    return length
  }
}

extension SRTPProfile {
  /// Bytes from the E flag and the SRTCP index to the end: RFC 3711 section 3.4 puts the tag behind them, RFC 7714
  /// section 9.2 before them.
  fileprivate var rtcpWordEnd: Int {
    switch self {
    case .aeadAES128GCM: 4
    case .aes128CMSHA180: 4 + tagLength
    }
  }
}

extension Int64 {
  /// The upper 32 bits of a packet's index.
  fileprivate var rolloverCounter: UInt32 { UInt32(truncatingIfNeeded: self &>> 16) }
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
