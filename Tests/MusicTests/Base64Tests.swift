import Machines
import Testing

@Suite struct Base64Tests {
  /// RFC 4648 section 10.
  private static let vectors = [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
    ("foobar", "Zm9vYmFy"),
  ]

  @Test(arguments: vectors) func isThatOfTheRFC(text: String, encoded: String) {
    #expect(Base64.standard.encode(Array(text.utf8)) == encoded)
    #expect(Base64.standard.decode(encoded) == Array(text.utf8))
    let unpadded = encoded.filter { $0 != "=" }
    #expect(Base64.url.encode(Array(text.utf8)) == unpadded)
    #expect(Base64.url.decode(unpadded) == Array(text.utf8))
  }

  @Test func theAlphabetsDifferInTwoLetters() {
    #expect(Base64.standard.encode([0xFB, 0xFF]) == "+/8=")
    #expect(Base64.url.encode([0xFB, 0xFF]) == "-_8")
    #expect(Base64.url.decode("+/8") == nil)
    #expect(Base64.standard.decode("-_8=") == nil)
  }

  @Test(arguments: ["Z", "Zg", "Zg=", "Zh==", "Zm9=", "====", "Z===", "Zm9v=", "Zm\u{e9}=", "Zm-_"])
  func anotherSpellingIsRefused(_ wrong: String) {
    #expect(Base64.standard.decode(wrong) == nil)
  }

  @Test(arguments: ["Z", "Zh", "Zm9", "Zg==", "Zm8=", "Zm9v\n", "Zm 9v", "Zm9v+"])
  func anotherSpellingForAddressesIsRefused(_ wrong: String) {
    #expect(Base64.url.decode(wrong) == nil)
  }
}
