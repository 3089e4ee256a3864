import Signaling
import Testing

@testable import Server

@Suite struct HeaderFieldTests {
  @Test func comparesTagsStronglyAndWeakly() {
    let tag = EntityTag("a")
    #expect(tag.matches("\"a\"", strongly: true) && tag.matches("*", strongly: true))
    #expect(tag.matches("\"b\", \"a\"", strongly: true))
    #expect(!tag.matches("W/\"a\"", strongly: true) && tag.matches("W/\"a\"", strongly: false))
    for field in ["", "a", "\"a", "\"b\"", "\"a\"\"", "\""] {
      #expect(!tag.matches(field, strongly: false), "\(field)")
    }
  }

  @Test func writesAndReadsDates() {
    #expect(HTTPDate(seconds: 784_111_777).description == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(HTTPDate(parsing: "Sun, 06 Nov 1994 08:49:37 GMT") == HTTPDate(seconds: 784_111_777))
    for seconds in stride(from: 0 as Int64, to: 4_000_000_000, by: 86_399_999) {
      #expect(HTTPDate(parsing: HTTPDate(seconds: seconds).description)?.seconds == seconds)
    }
  }

  @Test(arguments: [
    "", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:37 CET",
    "Sun, 06 Nov 99999 08:49:37 GMT", "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 25:49:37 GMT", "     ",
  ])
  func readsNoOtherDates(text: String) {
    #expect(HTTPDate(parsing: text) == nil)
  }

  @Test(arguments: [
    (nil, true), ("", true), ("*/*", true), ("application/*", true), ("application/sdp", true),
    ("text/html, application/sdp;q=0.5", true), ("text/html", false), ("application/sdp;q=0", false),
    ("*/*, application/sdp;q=0", false), ("text/*", false), ("APPLICATION/SDP", true),
  ])
  func knowsWhatIsAccepted(field: String?, isAccepted: Bool) {
    #expect(MediaTypeName.accepts(field, MediaTypeName.sdp) == isAccepted)
  }

  @Test(arguments: [
    ("take 1.flac", "attachment; filename=\"take 1.flac\"; filename*=UTF-8''take%201.flac"),
    ("Größe.flac", "attachment; filename=\"Gr__e.flac\"; filename*=UTF-8''Gr%C3%B6%C3%9Fe.flac"),
    ("a\"b\\c\r\nd", "attachment; filename=\"a_b_c_d\"; filename*=UTF-8''a%22b_c%0D%0Ad"),
    ("../../x", "attachment; filename=\".._.._x\"; filename*=UTF-8''.._.._x"),
  ])
  func namesDownloadsSafely(name: String, field: String) {
    #expect(ContentDisposition.attachment(name) == field)
  }

  @Test func percentCodingGoesBothWays() {
    for text in ["", "a b", "Größe", "100%", "a/b?c#d", "🎸", "~-._"] {
      #expect(text.percentEncoded.percentDecoded == text)
      #expect(text.percentEncoded.utf8.allSatisfy { $0 < 0x7F && $0 != 0x20 && $0 != UInt8(ascii: "/") })
    }
    for text in ["%", "%4", "%zz", "%ff", "a%C3"] { #expect(text.percentDecoded == nil) }
  }
}
