import Testing

@testable import Recording

@Suite struct DeliveryCountTests {
  @Test func whatNeverCameIsLostHoweverTheRestCame() {
    var count = DeliveryCount(first: 100)
    for number in Int64(100)..<200 where number % 10 != 3 { count.deliver(number) }
    #expect(count.expected == 100 && count.lost == 10)
    // Sent again, twice; and one that came before the first.
    for number: Int64 in [113, 113, 99, 150] { count.deliver(number) }
    #expect(count.expected == 101 && count.lost == 9)
  }

  @Test func whatASenderJumpsOverIsNotExpected() {
    var count = DeliveryCount(first: 1)
    for number in Int64(1)...50 { count.deliver(number) }
    count.jump(to: 30_000)
    for number in Int64(30_000)...30_049 { count.deliver(number) }
    #expect(count.expected == 100 && count.lost == 0)
    // One of them was on its way all the time.
    count.deliver(29_999)
    #expect(count.expected == 101 && count.lost == 0)
    count.jump(to: 70_000)
    count.deliver(70_000)
    #expect(count.expected == 102 && count.lost == 0)
  }

  @Test func whatIsGivenAwayIsCountedOnce() {
    var count = DeliveryCount(first: 0)
    for number in Int64(0)..<100 where number != 20 && number != 80 { count.deliver(number) }
    var rest = count.split(from: 60)
    #expect((count.expected, count.lost) == (60, 1))
    #expect((rest.expected, rest.lost) == (40, 1))
    count.deliver(20)
    rest.deliver(80)
    rest.deliver(100)
    #expect(count.lost == 0 && rest.lost == 0 && rest.expected == 41)
  }

  @Test func aJumpIsALossOnlyWhereThereIsRoomForIt() {
    #expect(SequenceStep(missing: 5, room: 4_800, shortest: 960).isLoss)
    #expect(SequenceStep(missing: 5, room: 9_600, shortest: 960).isLoss)
    #expect(!SequenceStep(missing: 6, room: 4_800, shortest: 960).isLoss)
    #expect(!SequenceStep(missing: 30_000, room: 48_000, shortest: 960).isLoss)
    #expect(!SequenceStep(missing: 1, room: 0, shortest: 960).isLoss)
    #expect(!SequenceStep(missing: 0, room: 960, shortest: 960).isLoss)
    #expect(!SequenceStep(missing: 3, room: -5, shortest: 0).isLoss)
  }
}
