import TestSupport
import Testing

@testable import Server

@Suite struct ByteRangeTests {
  @Test(
    arguments: [
      ("bytes=0-0", 0..<1), ("bytes=0-499", 0..<500), ("bytes=500-", 500..<1000), ("bytes=-300", 700..<1000),
      ("bytes=-5000", 0..<1000), ("bytes=999-", 999..<1000), ("bytes=900-99999", 900..<1000),
      ("bytes=0-99999999999999999999999", 0..<1000), ("BYTES=1-2", 1..<3), (" bytes=1-2 ", 1..<3),
      ("bytes=0-9,10-19", 0..<20), ("bytes=10-19,0-9", 0..<20), ("bytes=0-9, 5-14", 0..<15),
      // Apart: the first alone.
      ("bytes=0-9,100-109", 0..<10), ("bytes=5000-,3-4", 3..<5),
    ] as [(String, Range<Int64>)])
  func readsStretches(field: String, expected: Range<Int64>) {
    #expect(ByteRange(field, size: 1_000) == .part(expected))
  }

  @Test(arguments: [
    nil, "", "bytes", "bytes=", "bytes=-", "bytes=a-b", "bytes=5-4", "bytes=1-2-3", "bytes=+1-2", "bytes=1-2,",
    "items=0-1", "bytes=0x1-2", "bytes=１-2", "bytes=" + Array(repeating: "0-1", count: 17).joined(separator: ","),
  ])
  func ignoresWhatItCannotRead(field: String?) {
    #expect(ByteRange(field, size: 1_000) == .whole)
  }

  @Test(arguments: ["bytes=1000-", "bytes=1000-1001", "bytes=-0", "bytes=99999999999999999999999-"])
  func refusesWhatLiesOutside(field: String) {
    #expect(ByteRange(field, size: 1_000) == .unsatisfiable)
  }

  @Test func anEmptyFileHasNoStretch() {
    #expect(ByteRange("bytes=0-", size: 0) == .unsatisfiable)
    #expect(ByteRange("bytes=-1", size: 0) == .unsatisfiable)
  }

  @Test func neverLeavesTheFile() {
    var generator = SeededRandom(11)
    let letters = Array("bytes=-,0123456789 ")
    var parts = 0
    for _ in 0..<20_000 {
      let count = Int.random(in: 0..<24, using: &generator)
      let text = "bytes=" + String((0..<count).map { _ in letters.randomElement(using: &generator) ?? "-" })
      let size = Int64.random(in: 0..<50, using: &generator)
      if case .part(let part) = ByteRange(text, size: size) {
        parts += 1
        #expect(!part.isEmpty && part.lowerBound >= 0 && part.upperBound <= size, "\(text) of \(size)")
      }
    }
    #expect(parts > 100)
  }
}
