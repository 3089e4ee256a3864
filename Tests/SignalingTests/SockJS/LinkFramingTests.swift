import Signaling
import Testing

@Suite struct LinkFramingTests {
  private let limits = JSONLimits(bytes: 1_000, depth: 2, stringBytes: 1_000, values: 10)

  @Test func aPlainLinkHasNoFrames() {
    let plain = LinkFraming.plain
    #expect(plain.opening == nil && plain.heartbeat == nil && plain.closing(code: 1000, reason: "") == nil)
    #expect(plain.text(of: "{}") == "{}" && plain.messages(in: "[\"a\"]", limits: limits) == ["[\"a\"]"])
  }

  @Test func aSockJSLinkHasItsFrames() {
    let link = LinkFraming.sockJS
    #expect(link.opening == "o" && link.heartbeat == "h")
    #expect(link.text(of: #"{"id":1}"#) == #"a["{\"id\":1}"]"#)
    #expect(link.closing(code: 3000, reason: "Go away!") == #"c[3000,"Go away!"]"#)
    #expect(SockJSFrame.messages(["a", "b"]) == #"a["a","b"]"#)
  }

  @Test(arguments: [
    ("", []), ("[]", []), (#""a""#, ["a"]), (#"["a"]"#, ["a"]), (#"["a","b"]"#, ["a", "b"]),
    (#"["\ud83c\udfb8\u200c"]"#, ["🎸\u{200C}"]), (#" [ "{\"id\":1}" ] "#, [#"{"id":1}"#]),
  ])
  func aTextOfTheClientHoldsMessages(text: String, messages: [String]) {
    #expect(LinkFraming.sockJS.messages(in: text, limits: limits) == messages)
  }

  @Test(arguments: [#"["a"#, "a", "1", "null", "{}", "[1]", #"["a",1]"#, "[[]]", #"["a"]b"#, #"["\ud83c"]"#, "[,]"])
  func anythingElseIsNone(text: String) {
    #expect(LinkFraming.sockJS.messages(in: text, limits: limits) == nil)
  }

  @Test func manyAndLongMessagesAreNone() {
    let ten = "[" + [String](repeating: "\"\"", count: 10).joined(separator: ",") + "]"
    #expect(LinkFraming.sockJS.messages(in: ten, limits: limits) == nil)
    #expect(LinkFraming.sockJS.messages(in: "\"\(String(repeating: "a", count: 1_000))\"", limits: limits) == nil)
  }

  /// Section "JSON Unicode Encoding" of SockJS 0.3.3: what browsers change on the way to a page.
  @Test func charactersThatBrowsersMangleAreEscaped() throws {
    let mangled = "\u{200C}\u{200F}\u{2028}\u{202F}\u{2060}\u{206F}\u{FFF0}\u{FFFD}"
    let frame = SockJSFrame.messages([mangled + "Größe🎸"])
    #expect(frame == #"a["\u200c\u200f\u2028\u202f\u2060\u206f\ufff0\ufffdGröße🎸"]"#)
    #expect(LinkFraming.sockJS.messages(in: String(frame.dropFirst()), limits: limits) == [mangled + "Größe🎸"])
  }
}
