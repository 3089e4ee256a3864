import Testing

@testable import Rooms

@Suite struct WaitingWritesTests {
  @Test func tooManyBecomeOneBehindTheOneThatIsUnderWay() {
    var writes = WaitingWrites<String>(capacity: 3)
    for name in ["a", "b", "c"] { writes.add(name) { $0.joined() } }
    #expect(writes.count == 3)
    writes.add("d") { $0.joined() }
    #expect(writes.count == 3)
    #expect(writes.removeAll() == ["a", "bc", "d"])
    #expect(writes.isEmpty)
  }

  @Test func withoutAnythingInTheirPlaceNoneIsLost() {
    var writes = WaitingWrites<Int>(capacity: 2)
    for number in 1...5 { writes.add(number, merge: nil) }
    #expect(writes.removeAll() == [1, 2, 3, 4, 5])
  }
}
