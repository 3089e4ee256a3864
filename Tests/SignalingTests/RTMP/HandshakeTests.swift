import Testing

@testable import Signaling

@Suite struct HandshakeTests {
  private let digest = RTMPDigest(SHA256.hmac)

  @Test func theHashOfTheseTestsIsTheStandardOne() {
    #expect(
      Hex.text(SHA256.hash(Array("abc".utf8)))
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    // RFC 4231 section 4.3.
    #expect(
      Hex.text(SHA256.hmac(Array("Jefe".utf8), Array("what do ya want for nothing?".utf8)))
        == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
  }

  @Test func theSimpleHandshakeEchoesAndAnswersAtOnce() throws {
    var server = RTMPServerHandshake(seed: 7, digest: digest)
    let packet = Hex.bytes("0001020300000000") + RTMPNoise(seed: 9).copy(1528)
    var input = ([3] + packet)[...]
    let answer = try server.receive(&input, clock: 0x0A0B_0C0D)
    #expect(answer.count == 3073 && answer[0] == 3)
    #expect(Array(answer[1..<9]) == Hex.bytes("0a0b0c0d00000000"))
    #expect(Array(answer[1537..<1545]) == Hex.bytes("000102030a0b0c0d"))
    #expect(Array(answer[1545...]) == Array(packet[8...]))
    #expect(!server.isComplete)
    // What follows the client's echo stays for the chunks.
    var rest = ([UInt8](repeating: 0xAB, count: 1536) + [1, 2, 3])[...]
    #expect(try server.receive(&rest, clock: 0).isEmpty)
    #expect(server.isComplete && Array(rest) == [1, 2, 3])
  }

  @Test func aVersionOfTextIsClosedAtItsFirstByteAndAStrangeOneAnsweredBy3() throws {
    for version: UInt8 in [32, UInt8(ascii: "G"), 255] {
      var input = [version][...]
      var server = RTMPServerHandshake(seed: 1, digest: nil)
      #expect(throws: RTMPViolation.self) { try server.receive(&input, clock: 0) }
    }
    for version: UInt8 in [0, 3, 6, 31] {
      var server = RTMPServerHandshake(seed: 1, digest: nil)
      var input = ([version] + [UInt8](repeating: 0, count: 1536))[...]
      #expect(try server.receive(&input, clock: 0).first == 3)
    }
  }

  @Test func theDigestSitsWhereTheRealOnesWere() throws {
    var count = 0
    for row in try RTMPVectors.read("handshakes.json", as: RTMPVectors.Handshake.self) {
      for found in [row.client, row.server].compactMap({ $0 }) {
        count += 1
        let schema: RTMPDigest.Schema = found.schema == 0 ? .zero : .one
        // Four bytes with the sum that leads to the captured place.
        var sum = found.offset - schema.offset - 4
        #expect((0..<728).contains(sum), "\(row.capture)")
        var packet = [UInt8](repeating: 0, count: 1536)
        for index in schema.offset..<schema.offset + 4 {
          packet[index] = UInt8(min(sum, 255))
          sum -= Int(packet[index])
        }
        #expect(RTMPDigest.position(schema, in: packet) == found.offset, "\(row.capture)")
        #expect(Hex.bytes(found.digest).count == RTMPDigest.digestLength)
      }
    }
    #expect(count > 2)
  }

  @Test(arguments: [RTMPDigest.Schema.zero, .one])
  func aSignedPacketIsAnsweredBySignedOnesInItsSchema(schema: RTMPDigest.Schema) throws {
    var packet = Hex.bytes("0000000109007c02") + RTMPNoise(seed: 5).copy(1528)
    let signed = digest.sign(&packet, schema, key: RTMPDigest.clientKey)
    var input = ([3] + packet)[...]
    var server = RTMPServerHandshake(seed: 8, digest: digest)
    let answer = try server.receive(&input, clock: 1)
    let first = Array(answer[1...1536])
    #expect(Array(first[4..<8]) == [5, 0, 1, 1])
    #expect(digest.find(in: first, key: RTMPDigest.serverKey)?.schema == schema)
    let body = Array(answer[1537..<3041])
    #expect(
      Array(answer[3041...]) == digest.signature(of: body, answering: signed, key: RTMPDigest.serverKey))
  }

  @Test func aWrongDigestGetsTheSimpleHandshake() throws {
    var packet = Hex.bytes("0000000109007c02") + RTMPNoise(seed: 5).copy(1528)
    _ = digest.sign(&packet, .one, key: RTMPDigest.serverKey)
    var input = ([3] + packet)[...]
    var server = RTMPServerHandshake(seed: 8, digest: digest)
    let answer = try server.receive(&input, clock: 1)
    #expect(Array(answer[5..<9]) == [0, 0, 0, 0] && Array(answer[1545...]) == Array(packet[8...]))
  }

  @Test(arguments: [(true, true), (true, false), (false, true), (false, false)], [1, 100, Int.max])
  func bothSidesAgreeWithAndWithoutDigests(sides: (Bool, Bool), step: Int) {
    var link = RTMPLink(
      digest: sides.0 ? digest : nil, clientDigest: sides.1 ? digest : nil, step: step)
    #expect(link.serverOutputs().connects.count == 1)
    #expect(link.clientOutputs().isEmpty)
  }

  @Test func aClientDoesNotTakeAServerThatEchoesWrongly() {
    var client = RTMPClientHandshake(seed: 1, digest: nil, clock: 0)
    var answer = ([3] + [UInt8](repeating: 1, count: 3072))[...]
    #expect(throws: RTMPViolation.self) { try client.receive(&answer, clock: 0) }
  }
}

extension RTMPNoise {
  /// Bytes of a generator that nobody goes on with.
  fileprivate func copy(_ count: Int) -> [UInt8] {
    var noise = self
    return noise.bytes(count)
  }
}
