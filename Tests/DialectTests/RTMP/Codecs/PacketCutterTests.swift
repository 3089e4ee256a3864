import Testing

@testable import Server

@Suite struct PacketCutterTests {
  private func samples(_ range: Range<Int>) -> [Float] { range.map { Float($0) } }

  @Test func soundInARowBecomesPacketsOf20Milliseconds() {
    var cutter = PacketCutter(channels: 1)
    var blocks = cutter.add(samples(0..<1_024), at: 0)
    blocks += cutter.add(samples(1_024..<2_048), at: 1_024)
    blocks += cutter.add(samples(2_048..<3_072), at: 2_048)
    #expect(blocks.map(\.time) == [0, 960, 1_920])
    #expect(blocks.flatMap(\.samples) == samples(0..<2_880))
    #expect(blocks.allSatisfy { $0.missing == 0 && $0.count == 960 })
  }

  @Test func beforeAGapNothingIsLostAndBehindItNothingMoves() {
    var cutter = PacketCutter(channels: 1)
    var blocks = cutter.add(samples(0..<1_024), at: 0)
    blocks += cutter.add(samples(2_048..<3_072), at: 2_048)
    blocks += cutter.finish()
    #expect(blocks.map(\.time) == [0, 960, 2_048, 3_008])
    #expect(blocks.map(\.count) == [960, 64, 960, 64])
    #expect(blocks.map(\.samples.count) == [960, 120, 960, 120])
    #expect(blocks.map(\.missing) == [0, 0, 1, 0])
    #expect(Array(blocks[1].samples.prefix(64)) == samples(960..<1_024))
    #expect(blocks[2].samples == samples(2_048..<3_008))
  }

  @Test func aLongGapSaysHowManyPacketsAreMissing() {
    var cutter = PacketCutter(channels: 2)
    _ = cutter.add([Float](repeating: 1, count: 2 * 960), at: 0)
    let blocks = cutter.add([Float](repeating: 1, count: 2 * 960), at: 10_560)
    #expect(blocks.map(\.missing) == [10])
  }

  @Test func roundingIsNoGap() {
    var cutter = PacketCutter(channels: 1)
    _ = cutter.add(samples(0..<500), at: 0)
    let blocks = cutter.add(samples(500..<1_000), at: 501)
    #expect(blocks.map(\.time) == [0] && blocks[0].samples == samples(0..<960))
  }

  @Test func soundThatIsThereAlreadyIsLeftOut() {
    var cutter = PacketCutter(channels: 1)
    _ = cutter.add(samples(0..<1_000), at: 0)
    let blocks = cutter.add(samples(900..<1_920), at: 900)
    #expect(blocks.map(\.time) == [960] && blocks[0].samples == samples(960..<1_920))
    let older = cutter.add(samples(0..<100), at: 0)
    #expect(older.isEmpty)
  }

  @Test func theEndOfTimeDoesNotTrap() {
    var cutter = PacketCutter(channels: 1)
    _ = cutter.add(samples(0..<10), at: .max - 5)
    _ = cutter.add(samples(0..<10), at: .min)
    let rest = cutter.finish()
    #expect(rest.count <= 1)
  }
}
