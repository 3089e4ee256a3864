import Testing

@testable import Signaling

@Suite struct AMFLimitTests {
  private func read(_ bytes: [UInt8], _ limits: AMFLimits = .message) throws(AMFError) -> AMFValue {
    var reader = AMFReader(bytes, limits: limits)
    return try reader.value()
  }

  private func nested(_ depth: Int) -> AMFValue {
    (0..<depth).reduce(AMFValue.null) { value, _ in .array([value]) }
  }

  @Test func thirtyTwoContainersInsideEachOtherAreTakenAndOneMoreIsNot() throws {
    #expect(try read(AMFWriter.bytes([nested(32)])) == nested(32))
    #expect(throws: AMFError.tooDeep(limit: 32)) { try read(AMFWriter.bytes([nested(33)])) }
  }

  @Test func aReferenceCountsAsDeepAsWhatItStandsFor() {
    // Each array holds the one before: shallow in bytes, deep when it is unfolded.
    var bytes: [UInt8] = [0x0A, 0, 0, 0, 50, 0x0A, 0, 0, 0, 0]
    for index in 1..<50 { bytes += [0x0A, 0, 0, 0, 1, 0x07, 0, UInt8(index)] }
    #expect(throws: AMFError.tooDeep(limit: 32)) { try read(bytes) }
  }

  @Test func tenThousandValuesAreTakenAndOneMoreIsNot() throws {
    let full = AMFValue.array([AMFValue](repeating: .null, count: 9_999))
    #expect(try read(AMFWriter.bytes([full])) == full)
    let over = AMFValue.array([AMFValue](repeating: .null, count: 10_000))
    #expect(throws: AMFError.tooManyValues(limit: 10_000)) { try read(AMFWriter.bytes([over])) }
    #expect(try read(AMFWriter.bytes([over]), .synchronisation) == over)
  }

  @Test func textThatIsPointedToOftenCountsEachTime() {
    // 100,000 letters once, then 20 times by a reference of two bytes.
    var bytes: [UInt8] = [0x11, 0x09, 21 << 1 | 1, 0x01, 0x06, 0x8C, 0x9A, 0x41]
    bytes += [UInt8](repeating: UInt8(ascii: "x"), count: 100_000)
    for _ in 0..<20 { bytes += [0x06, 0x00] }
    #expect(throws: AMFError.tooManyBytes(limit: 1 << 20)) { try read(bytes) }
  }

  @Test func namesHaveLimits() throws {
    let key = String(repeating: "k", count: 1024)
    #expect(try read(AMFWriter.bytes([[key: 1]])) == [key: 1])
    #expect(throws: AMFError.tooLong("a member's name", limit: 1024)) { try read(AMFWriter.bytes([[key + "k": 1]])) }
    let name = String(repeating: "C", count: 255)
    #expect(try read(AMFWriter.bytes([.object([], className: name)])) == .object([], className: name))
    #expect(throws: AMFError.tooLong("a class name", limit: 255)) {
      try read(AMFWriter.bytes([.object([], className: name + "C")]))
    }
  }

  @Test func announcedCountsMustFitIntoTheBytesThatAreLeft() {
    #expect(throws: AMFError.count(4_294_967_295, left: 1)) { try read([0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0x05]) }
    #expect(throws: AMFError.truncated("a long string")) { try read([0x0C, 0xFF, 0xFF, 0xFF, 0xFF, 0x61]) }
    #expect(throws: AMFError.count(2, left: 5)) { try read([0x11, 0x0F, 0x05, 0, 1, 2, 3, 4]) }
  }

  @Test func arrayCollectionsVectorsAndDictionariesAreRead() throws {
    let name = Array("flex.messaging.io.ArrayCollection".utf8)
    #expect(try read([0x11, 0x0A, 0x07, UInt8(name.count << 1 | 1)] + name + [0x09, 0x03, 0x01, 0x04, 0x05]) == [5])
    #expect(try read([0x11, 0x0D, 0x05, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 7]) == [-1, 7])
    #expect(try read([0x11, 0x0E, 0x03, 0, 0xFF, 0xFF, 0xFF, 0xFF]) == [4_294_967_295])
    #expect(try read([0x11, 0x10, 0x05, 0, 0x01, 0x04, 0x01, 0x03]) == [1, true])
    #expect(try read([0x11, 0x11, 0x05, 0, 0x04, 0x07, 0x03, 0x06, 0x03, 0x61, 0x02]) == ["7": true, "a": false])
  }

  @Test func bytesOfEveryLengthOfTheirLengthComeBack() throws {
    for count in [0, 1, 63, 64, 8_191, 8_192, 1_048_575] {
      let value = AMFValue.bytes((0..<count).map { UInt8(truncatingIfNeeded: $0) })
      #expect(try read(AMFWriter.bytes([value]), AMFLimits(values: 1, bytes: 2 << 20)) == value)
    }
    // The fourth byte of a long length gives 8 bits.
    let long = AMFWriter.bytes([.bytes([UInt8](repeating: 0, count: 1 << 20))])
    #expect(long.prefix(6) == [0x11, 0x0C, 0x80, 0xC0, 0x80, 0x01])
  }

  @Test func flashArraysHaveAnOrderedAndANamedPart() throws {
    let mixed = AMFValue.array([1, "two"], named: [AMFMember("x", true)])
    #expect(try read(AMFWriter.bytes([mixed])) == mixed)
    #expect(try read(AMFWriter.bytes([.array([], named: [AMFMember("x", true)])])) == ["x": true])
  }

  @Test func manyMembersKeepTheirOrderAndTheLastOfAName() throws {
    var list = AMFMemberList()
    for round in 0..<2 { for index in 0..<40 { list.set("k\(index)", .number(Double(round * 100 + index))) } }
    #expect(list.members.map(\.name) == (0..<40).map { "k\($0)" })
    #expect(list.members.map(\.value) == (100..<140).map { AMFValue.number(Double($0)) })
  }
}
