import Signaling
import TestSupport
import Testing

@testable import Server

@Suite struct TrickleFragmentTests {
  @Test func readsCandidatesOfTheirSection() throws {
    let fragment = try TrickleFragment(
      parsing: "a=ice-ufrag:EsAw\r\na=ice-pwd:P2uY\r\nm=audio 9 RTP/AVP 0\r\na=mid:0\r\n"
        + "a=candidate:1 1 udp 1 192.0.2.1 61764 typ host\r\na=end-of-candidates\r\n")
    #expect(fragment.userFragment == "EsAw" && fragment.password == "P2uY")
    #expect(
      fragment.messages == [
        CandidateMessage(candidate: "candidate:1 1 udp 1 192.0.2.1 61764 typ host", mid: "0", mLineIndex: 0), .end,
      ])
  }

  @Test func readsLoneLineFeedsAndFragmentsWithoutMediaLine() throws {
    let fragment = try TrickleFragment(parsing: "a=mid:audio\na=candidate:1 1 udp 1 192.0.2.1 9 typ host\n")
    #expect(fragment.messages.first?.mid == "audio")
  }

  @Test(arguments: ["hello", "<html>", "v=0\r\no=x", "a=ice-ufrag:x\r\n\u{0}", "{\"candidate\":\"\"}"])
  func refusesWhatIsNoFragment(text: String) {
    #expect(throws: RoomRefusal.self) { try TrickleFragment(parsing: text) }
  }

  @Test func refusesTooManyCandidatesAndTooLongLines() {
    let many = Offers.fragment(Array(repeating: Offers.candidate, count: 65))
    #expect { try TrickleFragment(parsing: many) } throws: { ($0 as? RoomRefusal)?.code == .tooMany }
    let long = "a=candidate:" + String(repeating: "x", count: 2_000)
    #expect { try TrickleFragment(parsing: long) } throws: { ($0 as? RoomRefusal)?.code == .malformed }
  }

  @Test func makesTheOfferOfARestart() throws {
    let fragment = try TrickleFragment(parsing: Offers.fragment(userFragment: "wxyz", ends: true))
    let offer = fragment.applied(to: Offers.sending() + "a=candidate:old 1 udp 1 192.0.2.9 9 typ host\r\n")
    #expect(offer.contains("a=ice-ufrag:wxyz\r\n") && !offer.contains("a=ice-ufrag:abcd"))
    #expect(offer.contains("a=\(Offers.candidate)\r\n") && !offer.contains("candidate:old"))
    #expect(offer.hasSuffix("a=end-of-candidates\r\n"))
    // Everything else is as it was.
    #expect(offer.contains("a=rtpmap:111 opus/48000/2\r\n") && offer.contains("a=fingerprint:sha-256"))
  }

  @Test func writesWhatItReads() throws {
    let text = Offers.fragment(ends: true)
    #expect(try TrickleFragment(parsing: TrickleFragment(parsing: text).text) == TrickleFragment(parsing: text))
    let own = TrickleFragment(of: Offers.sending() + "a=\(Offers.candidate)\r\n")
    #expect(own.userFragment == "abcd" && own.sections.first?.candidates == [Offers.candidate])
  }

  @Test func neverTrapsOnRandomText() {
    var generator = SeededRandom(3)
    let pieces = ["a=", "m=", "mid:", "candidate:", "ice-ufrag:", "\r\n", "\n", "end-of-candidates", "é", "\0", " "]
    for _ in 0..<5_000 {
      let text = (0..<12).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
      _ = try? TrickleFragment(parsing: text)
      _ = TrickleFragment(of: text).applied(to: text)
    }
  }
}
