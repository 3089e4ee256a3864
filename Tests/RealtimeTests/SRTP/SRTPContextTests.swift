import TestSupport
import Testing

@testable import Realtime

struct SRTPContextTests {
  @Test(arguments: SRTPProfile.allCases) func carriesRTPBothWays(profile: SRTPProfile) throws {
    let pair = try SRTPPair(profile)
    for sequence in UInt16(0)..<100 {
      let packet = SRTPPair.rtp(sequence)
      let sealed = try pair.left.protected(rtp: packet)
      #expect(sealed.count == packet.count + profile.tagLength)
      #expect(sealed[12..<60] != packet[12..<60], "the payload is encrypted")
      #expect(try pair.right.unprotected(rtp: sealed) == packet)
      #expect(try pair.left.unprotected(rtp: pair.right.protected(rtp: packet)) == packet)
    }
  }

  @Test(arguments: SRTPProfile.allCases) func carriesRTCP(profile: SRTPProfile) throws {
    let pair = try SRTPPair(profile)
    let report = SRTPPair.receiverReport()
    #expect(try pair.right.unprotected(rtcp: pair.left.protected(rtcp: report)) == report)
  }

  @Test(arguments: SRTPProfile.allCases) func refusesAReplay(profile: SRTPProfile) throws {
    let pair = try SRTPPair(profile)
    let sealed = try pair.left.protected(rtp: SRTPPair.rtp(7))
    _ = try pair.right.unprotected(rtp: sealed)
    #expect(throws: SRTPError.replayed) { try pair.right.unprotected(rtp: sealed) }
    let report = try pair.left.protected(rtcp: SRTPPair.receiverReport())
    _ = try pair.right.unprotected(rtcp: report)
    #expect(throws: SRTPError.replayed) { try pair.right.unprotected(rtcp: report) }
  }

  @Test(arguments: SRTPProfile.allCases) func refusesEveryFlippedBit(profile: SRTPProfile) throws {
    let pair = try SRTPPair(profile)
    let sealed = try pair.left.protected(rtp: SRTPPair.rtp(7, payload: [1, 2, 3]))
    for bit in 0..<sealed.count * 8 {
      var changed = sealed
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(throws: SRTPError.self) { try pair.right.unprotected(rtp: changed) }
    }
    #expect(try pair.right.unprotected(rtp: sealed).suffix(3) == [1, 2, 3], "the true packet is still welcome")
  }

  @Test(arguments: SRTPProfile.allCases) func refusesEveryTruncation(profile: SRTPProfile) throws {
    let pair = try SRTPPair(profile)
    let sealed = try pair.left.protected(rtp: SRTPPair.rtp(7))
    let report = try pair.left.protected(rtcp: SRTPPair.receiverReport())
    for length in 0..<sealed.count {
      #expect(throws: SRTPError.self) { try pair.right.unprotected(rtp: Array(sealed.prefix(length))) }
    }
    for length in 0..<report.count {
      #expect(throws: SRTPError.self) { try pair.right.unprotected(rtcp: Array(report.prefix(length))) }
    }
  }

  @Test(arguments: SRTPProfile.allCases) func survivesRandomBytes(profile: SRTPProfile) throws {
    let pair = try SRTPPair(profile)
    var random = SeededRandom(11)
    for _ in 0..<1_000 {
      let noise = random.bytes(count: Int(random.next() % 200), first: 0x80 | UInt8(random.next() % 64))
      #expect(throws: SRTPError.self) { try pair.right.unprotected(rtp: noise) }
      #expect(throws: SRTPError.self) { try pair.right.unprotected(rtcp: noise) }
    }
    // Strangers took no source's place.
    for ssrc in UInt32(1)...4 {
      _ = try pair.right.unprotected(rtp: pair.left.protected(rtp: SRTPPair.rtp(1, ssrc: ssrc)))
    }
  }

  @Test func takesALateRepairWithinTheWindowAndNoneBehindIt() throws {
    let pair = try SRTPPair(.aeadAES128GCM)
    let late = try pair.left.protected(rtp: SRTPPair.rtp(100))
    let tooLate = try pair.left.protected(rtp: SRTPPair.rtp(101))
    _ = try pair.right.unprotected(rtp: pair.left.protected(rtp: SRTPPair.rtp(2_000)))
    #expect(try pair.right.unprotected(rtp: late) == SRTPPair.rtp(100))
    _ = try pair.right.unprotected(rtp: pair.left.protected(rtp: SRTPPair.rtp(2_500)))
    #expect(throws: SRTPError.tooOld) { try pair.right.unprotected(rtp: tooLate) }
  }

  @Test func sendsTheSamePacketAgainForANack() throws {
    let pair = try SRTPPair(.aeadAES128GCM)
    let first = try pair.left.protected(rtp: SRTPPair.rtp(5))
    for sequence in UInt16(6)..<300 { _ = try pair.left.protected(rtp: SRTPPair.rtp(sequence)) }
    #expect(try pair.left.protected(rtp: SRTPPair.rtp(5)) == first)
  }

  @Test func keepsTheCipherInStepOverSequenceWraps() throws {
    let pair = try SRTPPair(.aes128CMSHA180)
    var sequence: UInt16 = 65_000
    for _ in 0..<2_000 {
      let packet = SRTPPair.rtp(sequence, payload: [9])
      try #require(try pair.right.unprotected(rtp: pair.left.protected(rtp: packet)) == packet)
      sequence &+= 97
    }
  }

  @Test(arguments: SRTPProfile.allCases) func takesAnyNumberOfSourcesAndNothingOfThemTwice(profile: SRTPProfile) throws
  {
    let pair = try SRTPPair(profile)
    var media: [[UInt8]] = []
    var reports: [[UInt8]] = []
    for ssrc in UInt32(1)...200 {
      media.append(try pair.left.protected(rtp: SRTPPair.rtp(7, ssrc: ssrc, payload: [1])))
      reports.append(try pair.left.protected(rtcp: SRTPPair.receiverReport(ssrc: ssrc)))
    }
    for (packet, report) in zip(media, reports) {
      _ = try pair.right.unprotected(rtp: packet)
      _ = try pair.right.unprotected(rtcp: report)
    }
    for (packet, report) in zip(media, reports) {
      #expect(throws: SRTPError.replayed) { try pair.right.unprotected(rtp: packet) }
      #expect(throws: SRTPError.replayed) { try pair.right.unprotected(rtcp: report) }
    }
    let next = SRTPPair.rtp(8, ssrc: 1, payload: [2])
    let sealed = try pair.left.protected(rtp: next)
    #expect(try pair.right.unprotected(rtp: sealed) == next, "a former source goes on")
    #expect(throws: SRTPError.replayed) { try pair.right.unprotected(rtp: sealed) }
    #expect(throws: SRTPError.replayed) { try pair.right.unprotected(rtp: try #require(media.first)) }
  }

  @Test func keepsReplayWindowsOfAFewSourcesOnly() throws {
    let pair = try SRTPPair(.aeadAES128GCM)
    let (first, second) = (SRTPPair.rtp(6, ssrc: 1), SRTPPair.rtp(6, ssrc: 2))
    let late = (try pair.left.protected(rtp: first), try pair.left.protected(rtp: second))
    for ssrc in 1...UInt32(SRTPContext.mostSources) + 1 {
      _ = try pair.right.unprotected(rtp: pair.left.protected(rtp: SRTPPair.rtp(7, ssrc: ssrc)))
    }
    #expect(throws: SRTPError.replayed) { try pair.right.unprotected(rtp: late.0) }
    #expect(try pair.right.unprotected(rtp: late.1) == second)
  }

  @Test func refusesACompoundWithoutTheFlagOfEncryption() throws {
    let pair = try SRTPPair(.aes128CMSHA180)
    var sealed = try pair.left.protected(rtcp: SRTPPair.receiverReport())
    sealed[8] &= 0x7F
    #expect(throws: SRTPError.unencrypted) { try pair.right.unprotected(rtcp: sealed) }
  }

  @Test func protectsAtOnceWhatItHasJustOpened() throws {
    let pair = try SRTPPair(.aeadAES128GCM)
    let packet = SRTPPair.rtp(9)
    let sealed = try pair.left.protected(rtp: packet)
    let echo = try sealed.withUnsafeBytes { bytes in
      Array(try pair.right.protect(rtp: pair.right.unprotect(rtp: bytes)))
    }
    #expect(try pair.left.unprotected(rtp: echo) == packet)
  }

  @Test func aStrangerTakesNobodysPlace() throws {
    let pair = try SRTPPair(.aeadAES128GCM)
    let stranger = try SRTPPair(.aeadAES128GCM).right
    let first = try pair.left.protected(rtp: SRTPPair.rtp(1, ssrc: 1))
    _ = try pair.right.unprotected(rtp: first)
    for ssrc in UInt32(1)...500 {
      let sealed = try stranger.protected(rtp: SRTPPair.rtp(2, ssrc: ssrc))
      #expect(throws: SRTPError.notAuthentic) { try pair.right.unprotected(rtp: sealed) }
    }
    #expect(throws: SRTPError.replayed) { try pair.right.unprotected(rtp: first) }
    #expect(try !pair.right.unprotected(rtp: pair.left.protected(rtp: SRTPPair.rtp(2, ssrc: 1))).isEmpty)
  }

  @Test func refusesAPacketThatIsTooLongInsteadOfCuttingIt() throws {
    let pair = try SRTPPair(.aeadAES128GCM)
    let long = SRTPPair.rtp(1, payload: [UInt8](repeating: 0, count: 5_000))
    #expect(throws: SRTPError.oversized(length: 5_012)) { try pair.left.protected(rtp: long) }
    #expect(throws: SRTPError.oversized(length: 5_012)) { try pair.right.unprotected(rtp: long) }
  }

  @Test func refusesAHeaderThatReachesBeyondItsEnd() throws {
    let pair = try SRTPPair(.aeadAES128GCM)
    var packet = SRTPPair.rtp(1, payload: [0, 0, 255, 255])
    packet[0] |= 0x10  // an extension of 65 535 words
    #expect(throws: SRTPError.self) { try pair.left.protected(rtp: packet) }
    packet[0] = 0x8F  // fifteen contributing sources
    #expect(throws: SRTPError.self) { try pair.left.protected(rtp: packet) }
  }

  @Test func keyMaterialMustHaveTheProfilesLength() {
    for length in [0, 1, 27, 29, 30, 31] {
      let refused = KeyMaterial(profile: .aeadAES128GCM, keyAndSalt: [UInt8](repeating: 1, count: length)) == nil
      #expect(refused)
    }
    let taken = KeyMaterial(profile: .aes128CMSHA180, keyAndSalt: [UInt8](repeating: 1, count: 30)) != nil
    #expect(taken)
  }

  @Test func keysOfDifferentProfilesMakeNoPair() {
    guard let gcm = KeyMaterial(profile: .aeadAES128GCM, keyAndSalt: [UInt8](repeating: 1, count: 28)),
      let counterMode = KeyMaterial(profile: .aes128CMSHA180, keyAndSalt: [UInt8](repeating: 1, count: 30))
    else {
      Issue.record("key material of the right length was refused")
      return
    }
    let refused = KeyPair(sending: gcm, receiving: counterMode) == nil
    #expect(refused)
  }
}
