import Signaling
import Testing

@Suite struct MessageCompressionTests {
  private static let plain = "permessage-deflate; server_no_context_takeover; client_no_context_takeover"

  @Test(arguments: [
    // Chromium and Firefox; Python's websockets; a client that wants nothing.
    "permessage-deflate; client_max_window_bits", "permessage-deflate",
    "permessage-deflate; server_no_context_takeover; client_no_context_takeover; client_max_window_bits=12",
    "x-webkit-deflate-frame, PerMessage-Deflate", "permessage-deflate; foo, permessage-deflate",
    "  permessage-deflate ;\tclient_max_window_bits = \"8\" ",
  ])
  func anAcceptableOfferIsAccepted(offer: String) {
    let compression = MessageCompression.accept([offer])
    #expect(compression?.response == MessageCompressionTests.plain && compression?.windowBits == 15)
  }

  @Test(arguments: 9...15)
  func theWindowOfTheServiceIsAsTheClientWantsIt(bits: Int) {
    for text in ["\(bits)", "\"\(bits)\""] {
      let compression = MessageCompression.accept(["permessage-deflate; server_max_window_bits=\(text)"])
      #expect(compression?.windowBits == bits)
      #expect(compression?.response == MessageCompressionTests.plain + "; server_max_window_bits=\(bits)")
    }
  }

  @Test func theFirstAcceptableOfferOfAllFieldsCounts() {
    let fields = [
      "permessage-deflate; server_max_window_bits=8",
      "permessage-deflate; server_max_window_bits=10, permessage-deflate; server_max_window_bits=11",
    ]
    #expect(MessageCompression.accept(fields)?.windowBits == 10)
  }

  @Test(arguments: [
    "", ",", ";", "permessage-deflat", "permessage-bzip2", "permessage-deflate; foo", "permessage-deflate; foo=1",
    "permessage-deflate;", "permessage-deflate; server_max_window_bits", "permessage-deflate; server_max_window_bits=",
    "permessage-deflate; server_max_window_bits=8", "permessage-deflate; server_max_window_bits=16",
    "permessage-deflate; server_max_window_bits=09", "permessage-deflate; server_max_window_bits=-9",
    "permessage-deflate; server_max_window_bits=99999999999999999999", "permessage-deflate; client_max_window_bits=7",
    "permessage-deflate; client_max_window_bits=\"10", "permessage-deflate; server_no_context_takeover=1",
    "permessage-deflate; client_no_context_takeover; client_no_context_takeover", "permessage-deflate; =",
    "permessage-deflate; server_max_window_bits=10; server_max_window_bits=10",
  ])
  func anyOtherOfferIsDeclined(offer: String) {
    #expect(MessageCompression.accept([offer]) == nil)
  }

  @Test func aFloodOfOffersIsNotRead() {
    let many = String(repeating: "permessage-deflate; foo, ", count: 1_000) + "permessage-deflate"
    #expect(MessageCompression.accept([many]) == nil)
    #expect(MessageCompression.accept(["permessage-deflate" + String(repeating: ";", count: 10_000)]) == nil)
    #expect(MessageCompression.accept([]) == nil)
  }
}
