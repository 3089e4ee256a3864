import TestSupport
import Testing

@testable import Realtime

@Suite struct GenericNackTests {
  private func roundTrip(_ numbers: [UInt16]) throws -> (read: [UInt16], length: Int) {
    let bytes = RTCPCompound.write([.nack(GenericNack(sender: 1, media: 2, sequenceNumbers: numbers))])
    guard case .nack(let nack) = try #require(try RTCPCompound.parse(bytes).first) else { return ([], 0) }
    return (nack.sequenceNumbers, bytes.count)
  }

  @Test func packsSeventeenNumbersIntoOneEntry() throws {
    let numbers = (100...116).map { UInt16($0) }
    #expect(try roundTrip(numbers) == (numbers, 16))
    #expect(try roundTrip(numbers + [117]) == (numbers + [117], 20))
  }

  @Test func packsOverTheWrap() throws {
    let numbers: [UInt16] = [65_534, 65_535, 0, 3, 14]
    #expect(try roundTrip(numbers) == (numbers, 16))
  }

  @Test func losesNoNumberWhateverTheOrder() throws {
    var random = SeededRandom(5)
    for _ in 0..<200 {
      let numbers = (0..<Int.random(in: 1...100, using: &random)).map { _ in
        UInt16.random(in: 0...300, using: &random)
      }
      #expect(Set(try roundTrip(numbers).read) == Set(numbers))
    }
  }

  @Test func refusesARequestForNothing() {
    #expect(throws: RTCPError.shortBody(payloadType: 205, offset: 0, needed: 12, available: 8)) {
      try RTCPCompound.parse(hexadecimal("81cd0002 00000005 00000006"))
    }
  }

  @Test func leavesTransportWideFeedbackUnread() throws {
    let bytes = hexadecimal("8fcd0004 00000005 00000006 00010001 00000000")
    guard case .unknown(let other) = try #require(try RTCPCompound.parse(bytes).first) else {
      return #expect(Bool(false), "transport-wide feedback was read as a NACK")
    }
    #expect(other.count == 15)
    #expect(RTCPCompound.write([.unknown(other)]) == bytes)
  }
}
