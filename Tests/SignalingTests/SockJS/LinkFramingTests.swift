import Signaling
import Testing

@Suite struct LinkFramingTests {
  private let limits = JSONLimits(bytes: 1_000, depth: 2, stringBytes: 1_000, values: 10)

  @Test func aPlainLinkHasNoFrames() throws {
    let plain = PlainFraming()
    #expect(plain.opening == nil && plain.heartbeat == nil && plain.closing(code: 1000, reason: "") == nil)
    #expect(plain.frame(of: "{}") == .text("{}"))
    #expect(try plain.messages(in: "[\"a\"]", limits: limits) == ["[\"a\"]"])
  }

  @Test func aSockJSLinkHasItsFrames() {
    let link = SockJSFraming()
    #expect(link.opening == "o" && link.heartbeat == "h")
    #expect(link.frame(of: #"{"id":1}"#) == .text(#"a["{\"id\":1}"]"#))
    #expect(link.closing(code: 3000, reason: "Go away!") == #"c[3000,"Go away!"]"#)
    #expect(SockJSFrame.messages(["a", "b"]) == #"a["a","b"]"#)
  }

  @Test(arguments: [
    ("", []), ("[]", []), (#""a""#, ["a"]), (#"["a"]"#, ["a"]), (#"["a","b"]"#, ["a", "b"]),
    (#"["\ud83c\udfb8\u200c"]"#, ["🎸\u{200C}"]), (#" [ "{\"id\":1}" ] "#, [#"{"id":1}"#]),
  ])
  func aTextOfTheClientHoldsMessages(text: String, messages: [String]) throws {
    #expect(try SockJSFraming().messages(in: text, limits: limits) == messages)
  }

  @Test(arguments: [#"["a"#, "a", "1", "null", "{}", "[1]", #"["a",1]"#, "[[]]", #"["a"]b"#, #"["\ud83c"]"#, "[,]"])
  func anythingElseIsNone(text: String) {
    #expect(throws: FramingFault.self) { try SockJSFraming().messages(in: text, limits: limits) }
  }

  @Test func manyAndLongMessagesAreNone() {
    let ten = "[" + [String](repeating: "\"\"", count: 10).joined(separator: ",") + "]"
    for text in [ten, "\"\(String(repeating: "a", count: 1_000))\""] {
      #expect(throws: FramingFault.self) { try SockJSFraming().messages(in: text, limits: limits) }
    }
  }

  /// Section "JSON Unicode Encoding" of SockJS 0.3.3: what browsers change on the way to a page.
  @Test func charactersThatBrowsersMangleAreEscaped() throws {
    let mangled = "\u{200C}\u{200F}\u{2028}\u{202F}\u{2060}\u{206F}\u{FFF0}\u{FFFD}"
    let frame = SockJSFrame.messages([mangled + "Größe🎸"])
    #expect(frame == #"a["\u200c\u200f\u2028\u202f\u2060\u206f\ufff0\ufffdGröße🎸"]"#)
    #expect(try SockJSFraming().messages(in: String(frame.dropFirst()), limits: limits) == [mangled + "Größe🎸"])
  }
}
