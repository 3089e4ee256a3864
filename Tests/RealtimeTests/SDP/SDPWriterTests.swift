import Realtime
import Testing

@Suite struct SDPWriterTests {
  @Test func aLineBreakInAValueMakesNoLine() throws {
    var description = SessionDescription(origin: SDPOrigin(sessionID: "1", sessionVersion: "1"))
    description.attributes = [SDPAttribute("cname", "x\r\na=ice-lite\u{0}"), SDPAttribute("tool\n", "caf\u{E9}\t1")]
    description.name = "a\r\nm=audio 9 X 0"
    let again = try SessionDescription(parsing: description.text)
    #expect(again.attributes == [SDPAttribute("cname", "xa=ice-lite"), SDPAttribute("tool", "caf\u{E9}\t1")])
    #expect(again.media.isEmpty)
  }

  @Test func writesTheLinesInTheOrderOfTheStandard() {
    let description = SessionDescription(
      origin: SDPOrigin(sessionID: "7", sessionVersion: "2"), attributes: [SDPAttribute("ice-lite")],
      media: [
        MediaDescription(
          media: "audio", port: 4_000, portCount: 2, transport: "RTP/AVP", formats: ["0", "8"],
          attributes: [SDPAttribute("sendonly")])
      ])
    #expect(
      description.text
        == SDPText.wire(
          """
          v=0
          o=- 7 2 IN IP4 0.0.0.0
          s=-
          t=0 0
          a=ice-lite
          m=audio 4000/2 RTP/AVP 0 8
          c=IN IP4 0.0.0.0
          a=sendonly
          """))
  }
}
