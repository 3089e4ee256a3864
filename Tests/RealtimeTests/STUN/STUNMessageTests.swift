import Realtime
import Testing

/// Messages of other implementations (RFC 5769), and ours.
@Suite struct STUNMessageTests {
  private static func bytes(_ text: String) -> [UInt8] {
    text.split { $0 == " " || $0 == "\n" }.compactMap { UInt8($0, radix: 16) }
  }

  @Test func readsAnAddressOfIPv4() throws {
    let message = try STUNMessage(
      parsing: Self.bytes(
        """
        01 01 00 3c 21 12 a4 42 b7 e7 a7 01 bc 34 d6 86 fa 87 df ae 80 22 00 0b 74 65 73 74 20 76 65 63 74 6f 72 20
        00 20 00 08 00 01 a1 47 e1 12 a6 43 00 08 00 14 2b 91 f5 99 fd 9e 90 c3 8c 74 89 f9 2a f9 ba 53 f0 6b e7 d7
        80 28 00 04 c0 7d 4c 96
        """))
    #expect(message.kind == .bindingSuccess)
    #expect(message.mappedAddress?.description == "192.0.2.1:32853")
    #expect(message.attributes.count == 4)
  }

  @Test func readsAnAddressOfIPv6() throws {
    let message = try STUNMessage(
      parsing: Self.bytes(
        """
        01 01 00 48 21 12 a4 42 b7 e7 a7 01 bc 34 d6 86 fa 87 df ae 80 22 00 0b 74 65 73 74 20 76 65 63 74 6f 72 20
        00 20 00 14 00 02 a1 47 01 13 a9 fa a5 d3 f1 79 bc 25 f4 b5 be d2 b9 d9 00 08 00 14 a3 82 95 4e 4b e6 7f 11
        78 4c 7c 82 92 c2 75 bf e3 ed 41 41 80 28 00 04 c8 fb 0b 4c
        """))
    #expect(message.mappedAddress?.description == "[2001:db8:1234:5678:11:2233:4455:6677]:32853")
  }

  /// RFC 5769 section 2.4, to the byte.
  @Test func signsAsOthersDo() {
    let user = RelaySecret.Credentials(
      username: "\u{30DE}\u{30C8}\u{30EA}\u{30C3}\u{30AF}\u{30B9}", password: "TheMatrIX")
    let credentials = STUNCredentials(
      user, realm: Array("example.org".utf8), nonce: Array("f//499k954d6OL34oL9FSTvy64sA".utf8))
    let transaction = Self.bytes("78 ad 34 33 c6 ad 72 c0 29 da 41 2e")
    let expected = Self.bytes(
      """
      00 01 00 60 21 12 a4 42 78 ad 34 33 c6 ad 72 c0 29 da 41 2e 00 06 00 12 e3 83 9e e3 83 88 e3 83 aa e3 83 83 e3 82
      af e3 82 b9 00 00 00 15 00 1c 66 2f 2f 34 39 39 6b 39 35 34 64 36 4f 4c 33 34 6f 4c 39 46 53 54 76 79 36 34 73 41
      00 14 00 0b 65 78 61 6d 70 6c 65 2e 6f 72 67 00 00 08 00 14 f6 70 24 65 6d d6 4a 3e 02 b8 e0 71 2e 85 c9 a2 8c a8
      96 66
      """)
    #expect(credentials.sign(STUNMessage(.bindingRequest, transaction: transaction)) == expected)
  }

  @Test func aRefusalHasACodeAndAReason() throws {
    let message = STUNMessage(
      .allocateError, transaction: [1], [.init(0x0009, [0, 0, 4, 38] + Array("Stale Nonce".utf8))])
    let refusal = try #require(try STUNMessage(parsing: message.bytes).refusal)
    #expect((refusal.code, refusal.reason) == (438, "Stale Nonce"))
  }

  @Test func refusesWhatIsCutOffOrNoSTUN() throws {
    let whole = STUNMessage(.bindingRequest, transaction: [7], [STUNMessage.data([1, 2, 3])]).bytes
    #expect(throws: Never.self) { try STUNMessage(parsing: whole) }
    for length in 20..<whole.count {
      #expect(throws: STUNProblem.incomplete) { try STUNMessage(parsing: Array(whole.prefix(length))) }
    }
    #expect(throws: STUNProblem.notSTUN) { try STUNMessage(parsing: Array("HTTP/1.1 400 Bad Request".utf8)) }
    #expect(throws: STUNProblem.notSTUN) { try STUNMessage(parsing: []) }
  }

  @Test(arguments: ["192.0.2.1", "::1", "2001:db8::1", "::", "fe80::1:0:0:1", "1:2:3:4:5:6:7:8", "1:0:3:4:5:6:7:8"])
  func writesAnAddressAsPeopleDo(_ text: String) throws {
    #expect(try #require(IPAddress(parsing: text)).text == text)
  }
}

/// What a time server's answer says.
@Suite struct ClockQuestionTests {
  private static func answer(_ question: ClockQuestion, server ahead: Int64, stratum: UInt8 = 2) -> [UInt8] {
    func bytes(_ time: NTPTime) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: time.bits >> (56 - 8 * $0)) } }
    let there = NTPTime(unixNanoseconds: question.asked.unixNanoseconds + ahead + 10_000_000)
    return [0x24, stratum] + [UInt8](repeating: 0, count: 22) + bytes(question.asked) + bytes(there) + bytes(there)
  }

  private static let asked = NTPTime(unixNanoseconds: 1_795_000_000_000_000_000)
  /// The way there and back takes 20 ms.
  private static let heard = NTPTime(unixNanoseconds: 1_795_000_000_020_000_000)

  @Test func tellsHowFarTheClockIsOff() throws {
    let question = ClockQuestion(at: Self.asked)
    for seconds: Int64 in [-3_600, 0, 3_600] {
      let ahead = question.ahead(Self.answer(question, server: seconds * 1_000_000_000), heard: Self.heard)
      #expect(abs(try #require(ahead) + seconds * 1_000_000_000) < 1_000)
    }
  }

  @Test func believesNoAnswerToAnotherQuestionAndNoServerWithoutTheTime() {
    let question = ClockQuestion(at: Self.asked)
    let answer = Self.answer(ClockQuestion(at: Self.heard), server: 0)
    #expect(question.ahead(answer, heard: Self.heard) == nil)
    #expect(question.ahead(Self.answer(question, server: 0, stratum: 0), heard: Self.heard) == nil)
    #expect(question.ahead(Array(Self.answer(question, server: 0).dropLast()), heard: Self.heard) == nil)
    #expect(question.bytes.count == 48)
  }
}
