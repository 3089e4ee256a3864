import Testing

@testable import Realtime

@Suite struct SourceRegisterTests {
  @Test func letsGoOfTheSourceThatWasNotHeardForLongest() {
    var register = SourceRegister(limit: 2, memory: 10)
    #expect(register.note(rtp: 1, of: 1) == nil)
    #expect(register.note(rtp: 1, of: 2) == nil)
    #expect(register.note(rtp: 2, of: 1) == nil)
    #expect(register.note(rtp: 1, of: 3) == 2)
    #expect(register.note(rtcp: 1, of: 4) == 1)
    #expect(register.count == 2)
  }

  @Test func aFormerSourceMayGoOnButNotBeginAnew() {
    var register = SourceRegister(limit: 1, memory: 10)
    _ = register.note(rtp: 500, of: 1)
    _ = register.note(rtcp: 7, of: 1)
    #expect(register.admits(rtp: 400, of: 1), "the stream's own window knows what was seen")
    _ = register.note(rtp: 1, of: 2)
    #expect(!register.admits(rtp: 500, of: 1))
    #expect(!register.admits(rtp: 499, of: 1))
    #expect(!register.admits(rtcp: 7, of: 1))
    #expect(register.admits(rtp: 501, of: 1))
    #expect(register.admits(rtcp: 8, of: 1))
    #expect(register.note(rtp: 501, of: 1) == 2)
    #expect(!register.admits(rtp: 499, of: 1), "its new stream would take it")
    #expect(!register.admits(rtcp: 7, of: 1))
  }

  @Test func whatAWrappedSourceSentCannotComeBack() {
    var register = SourceRegister(limit: 1, memory: 10)
    for number: UInt16 in [40_000, 65_000, 3] { _ = register.note(rtp: number, of: 1) }
    #expect(register.admits(rtp: 64_000, of: 1), "libsrtp tells the rounds apart")
    _ = register.note(rtp: 1, of: 2)
    #expect(!register.admits(rtp: 65_535, of: 1))
    #expect(!register.admits(rtp: 4, of: 1))
  }

  @Test func aSourceThatCameBackMayWrap() {
    var register = SourceRegister(limit: 1, memory: 10)
    _ = register.note(rtp: 60_000, of: 1)
    _ = register.note(rtp: 1, of: 2)
    for number: UInt16 in [65_000, 3] { _ = register.note(rtp: number, of: 1) }
    #expect(register.admits(rtp: 4, of: 1))
  }

  @Test func remembersTheNewestOfManyFormerSources() {
    var register = SourceRegister(limit: 1, memory: 10)
    for ssrc in UInt32(1)...1_000 { _ = register.note(rtp: 9, of: ssrc) }
    #expect(!register.admits(rtp: 9, of: 999))
    #expect(!register.admits(rtp: 9, of: 995))
    #expect(register.admits(rtp: 9, of: 1))
    #expect(register.count == 1)
  }
}
