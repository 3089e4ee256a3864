import Testing

@testable import Realtime

@Suite struct SourceRegisterTests {
  @Test func letsGoOfTheSourceThatWasNotHeardForLongest() throws {
    var register = SourceRegister(limit: 2, memory: 10)
    register.note(rtp: 1, of: 1)
    register.note(rtp: 1, of: 2)
    register.note(rtp: 3, of: 1)
    register.note(rtcp: 1, of: 3)
    #expect(register.count == 2)
    #expect(try register.admit(rtp: 2, of: 1) == 2, "its window knows what was seen")
    #expect(throws: SRTPError.replayed) { try register.admit(rtp: 0, of: 2) }
    register.note(rtp: 2, of: 2)
    #expect(register.count == 2)
    #expect(throws: SRTPError.replayed) { try register.admit(rtp: 2, of: 1) }
  }

  @Test func aFormerSourceMayGoOnButNotBeginAnew() throws {
    var register = SourceRegister(limit: 1, memory: 10)
    register.note(rtp: 500, of: 1)
    register.note(rtcp: 7, of: 1)
    #expect(try register.admit(rtp: 400, of: 1) == 400)
    register.note(rtp: 1, of: 2)
    #expect(throws: SRTPError.replayed) { try register.admit(rtp: 500, of: 1) }
    #expect(throws: SRTPError.replayed) { try register.admit(rtp: 499, of: 1) }
    #expect(throws: SRTPError.replayed) { try register.admit(rtcp: 7, of: 1) }
    #expect(try register.admit(rtp: 501, of: 1) == 501)
    try register.admit(rtcp: 8, of: 1)
    register.note(rtp: 501, of: 1)
    #expect(throws: SRTPError.replayed) { try register.admit(rtp: 499, of: 1) }
    #expect(throws: SRTPError.replayed) { try register.admit(rtcp: 7, of: 1) }
    #expect(throws: SRTPError.replayed) { try register.admit(rtp: 1, of: 2) }
  }

  @Test func aFormerSourceKeepsItsRound() throws {
    var register = SourceRegister(limit: 1, memory: 10)
    for index: Int64 in [40_000, 65_000, 65_539] { register.note(rtp: index, of: 1) }
    #expect(try register.admit(rtp: 64_000, of: 1) == 64_000)
    register.note(rtp: 1, of: 2)
    #expect(throws: SRTPError.replayed) { try register.admit(rtp: 65_000, of: 1) }
    #expect(throws: SRTPError.replayed) { try register.admit(rtp: 3, of: 1) }
    #expect(try register.admit(rtp: 4, of: 1) == 65_540)
  }

  @Test func remembersTheNewestOfManyFormerSources() throws {
    var register = SourceRegister(limit: 1, memory: 10)
    for ssrc in UInt32(1)...1_000 { register.note(rtp: 9, of: ssrc) }
    #expect(throws: SRTPError.replayed) { try register.admit(rtp: 9, of: 999) }
    #expect(throws: SRTPError.replayed) { try register.admit(rtp: 9, of: 995) }
    #expect(try register.admit(rtp: 9, of: 1) == 9)
    #expect(register.count == 1)
  }

  @Test func takesNoIndexOfMoreThan48Bits() throws {
    var register = SourceRegister(limit: 1, memory: 10)
    register.note(rtp: PacketIndex.last - 1, of: 1)
    #expect(try register.admit(rtp: 65_535, of: 1) == PacketIndex.last)
    #expect(throws: SRTPError.exhausted) { try register.admit(rtp: 0, of: 1) }
  }
}
