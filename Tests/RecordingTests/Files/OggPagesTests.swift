import Testing

@testable import Recording

@Suite struct OggPagesTests {
  /// A page of one packet.
  private func page(serial: [UInt8], body: [UInt8]) -> [UInt8] {
    Array("OggS".utf8) + [0, 2] + [UInt8](repeating: 0, count: 8) + serial + [0, 0, 0, 0] + [9, 9, 9, 9]
      + [1, UInt8(body.count)] + body
  }

  @Test func pagesGetTheSerialNumberAndTheirChecksumHoweverTheyArrive() {
    let stream = page(serial: [1, 2, 3, 4], body: [5, 6, 7]) + page(serial: [1, 2, 3, 4], body: [])
    var results: Set<[UInt8]> = []
    for piece in [1, 5, 28, stream.count] {
      var pages = OggPages(serial: 0x0403_0201 &+ 1)
      var output: [UInt8] = []
      for start in stride(from: 0, to: stream.count, by: piece) {
        output += stream[start..<min(stream.count, start + piece)].withUnsafeBytes { pages.take($0) }
      }
      #expect(pages.rest().isEmpty)
      results.insert(output)
    }
    #expect(results.count == 1)
    let output = results.first ?? []
    #expect(output.count == stream.count)
    #expect(Array(output[14..<18]) == [2, 2, 3, 4])
    var first = Array(output.prefix(31))
    let sum = first[22..<26].enumerated().reduce(UInt32(0)) { $0 | UInt32($1.element) << (8 * UInt32($1.offset)) }
    first.replaceSubrange(22..<26, with: [0, 0, 0, 0])
    #expect(OggPages.checksum(first) == sum)
  }

  @Test func whatIsNoOggIsHeldBackAndNotLost() {
    var pages = OggPages(serial: 1)
    let nonsense = [UInt8](repeating: 0x4F, count: 100)
    #expect(nonsense.withUnsafeBytes { pages.take($0) }.isEmpty)
    #expect(pages.rest() == nonsense)
  }
}
