import Machines
import Music
import Recording
import Testing

@testable import Server

@Suite struct ShareSecretTests {
  @Test func namesItsTakeAndIsReadAsItWasWritten() throws {
    let take = TakeID(at: MonotonicClock.wall)
    let (one, other) = (ShareSecret(for: take), ShareSecret(for: take))
    #expect(one.text != other.text && one.hash != other.hash)
    #expect(one.text.count == 43 && one.take == take)
    #expect(ShareSecret(one.text) == one)
    for wrong in ["", "x", String(one.text.dropLast()), one.text + "A", String(one.text.dropLast()) + "!"] {
      #expect(ShareSecret(wrong) == nil, "\(wrong)")
    }
  }

  @Test func aPasswordFitsItsHashAndNoOther() throws {
    let hash = try #require(PasswordHash.make(of: "kitchen sink"))
    let again = try #require(PasswordHash.make(of: "kitchen sink"))
    #expect(hash.fits("kitchen sink") && !hash.fits("kitchen sinK") && !hash.fits(""))
    #expect(hash.hash != again.hash && hash.salt != again.salt)
    // RFC 7914, section 12: the second vector has another block size, so this only pins our own cost.
    #expect(hash.cost == 32_768 && hash.hash.count == 32)
  }
}
