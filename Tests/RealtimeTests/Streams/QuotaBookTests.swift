import Testing

@testable import Machines

@Suite struct QuotaBookTests {
  private enum Work { case join, stream }
  private enum Scope { case token, address, service }
  private typealias Book = QuotaBook<Work, Scope>

  private func time(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: milliseconds * 1_000_000) }

  @Test func aRateIsABurstAndThenOneAtATime() {
    var book = Book([.init(.join, per: .token, .rate(3, per: .seconds(30)))])
    for _ in 0..<3 {
      let verdict = book.begin(.join, by: [.token: "a"], at: time(0))
      #expect(verdict == .admitted)
    }
    let early = book.begin(.join, by: [.token: "a"], at: time(0))
    #expect(early == .refused(.token, retryAfter: .seconds(10)))
    let stillEarly = book.begin(.join, by: [.token: "a"], at: time(9_999))
    #expect(stillEarly == .refused(.token, retryAfter: .milliseconds(1)))
    // A refused attempt costs nothing: the time that was named is right.
    let due = book.begin(.join, by: [.token: "a"], at: time(10_000))
    #expect(due == .admitted)
    let next = book.begin(.join, by: [.token: "a"], at: time(10_000))
    #expect(next == .refused(.token, retryAfter: .seconds(10)))
    // Others, and other work, do not notice.
    let other = book.begin(.join, by: [.token: "b"], at: time(0))
    let unlimited = book.begin(.stream, by: [.token: "a"], at: time(0))
    #expect(other == .admitted && unlimited == .admitted)
  }

  @Test func askingWhetherWorkMayBeginCountsNothing() {
    var book = Book([.init(.join, per: .token, .rate(1, per: .seconds(60))), .init(.stream, per: .token, .held(1))])
    for work in [Work.join, .stream] {
      for _ in 0..<3 {
        let open = book.refusal(of: work, by: [.token: "a"], at: time(0))
        #expect(open == nil)
      }
      let first = book.begin(work, by: [.token: "a"], at: time(0))
      #expect(first == .admitted)
      let over = book.refusal(of: work, by: [.token: "a"], at: time(0))
      let refused = book.begin(work, by: [.token: "a"], at: time(0))
      #expect(over == refused)
    }
  }

  @Test func workIsCountedForAllItsPartiesOrForNone() {
    var book = Book([
      .init(.join, per: .token, .rate(2, per: .seconds(60))), .init(.join, per: .address, .rate(1, per: .seconds(60))),
    ])
    let first = book.begin(.join, by: [.token: "a", .address: "here"], at: time(0))
    #expect(first == .admitted)
    for _ in 0..<5 {
      let refused = book.begin(.join, by: [.token: "a", .address: "here"], at: time(0))
      #expect(refused == .refused(.address, retryAfter: .seconds(60)))
    }
    let elsewhere = book.begin(.join, by: [.token: "a", .address: "there"], at: time(0))
    #expect(elsewhere == .admitted)
  }

  @Test func whatIsHeldCountsUntilItEndsAndAReserveIsForThePrivileged() {
    var book = Book([.init(.stream, per: .service, .held(3, reserve: 1))])
    let parties: [Scope: String] = [.service: ""]
    for _ in 0..<2 {
      let verdict = book.begin(.stream, by: parties, at: time(0))
      #expect(verdict == .admitted)
    }
    let third = book.begin(.stream, by: parties, at: time(0))
    #expect(third == .refused(.service, retryAfter: .seconds(10)))
    let operators = book.begin(.stream, by: parties, isPrivileged: true, at: time(0))
    #expect(operators == .admitted)
    let another = book.begin(.stream, by: parties, isPrivileged: true, at: time(0))
    #expect(another != .admitted)
    for _ in 0..<3 { book.end(.stream, by: parties) }
    #expect(book.count == 0)
    // What was not begun cannot be ended.
    book.end(.stream, by: parties)
    let again = book.begin(.stream, by: parties, at: time(0))
    #expect(again == .admitted)
  }

  @Test func inventedNamesTakeNoMoreMemoryAndDoNotForgetTheBusiest() {
    var book = Book([.init(.join, per: .token, .rate(100, per: .seconds(100)))], capacity: 64)
    for _ in 0..<100 { _ = book.begin(.join, by: [.token: "busy"], at: time(0)) }
    for number in 0..<10_000 { _ = book.begin(.join, by: [.token: "\(number)"], at: time(0)) }
    #expect(book.count <= 64)
    let busy = book.begin(.join, by: [.token: "busy"], at: time(0))
    #expect(busy == .refused(.token, retryAfter: .seconds(1)))
  }

  @Test func whoHasRecoveredIsForgotten() {
    var book = Book([.init(.join, per: .token, .rate(1, per: .seconds(1)))])
    for second in 0..<1_000 {
      let verdict = book.begin(.join, by: [.token: "\(second)"], at: time(Int64(second) * 1_000))
      #expect(verdict == .admitted)
    }
    #expect(book.count < 32)
  }

  @Test func figuresAndTimesOutOfRangeAreHarmless() {
    var book = Book([
      .init(.join, per: .token, .rate(.max, per: .nanoseconds(.max))),
      .init(.stream, per: .token, .held(0, reserve: 9)),
      .init(.join, per: .service, .rate(-1, per: .zero)),
    ])
    for now in [Int64.min, -1, 0, .max] {
      let verdict = book.begin(
        .join, by: [.token: "a", .service: "b\(now)"], at: MonotonicTime(nanoseconds: now))
      #expect(verdict == .admitted)
    }
    let none = book.begin(.stream, by: [.token: "a"], at: time(0))
    #expect(none != .admitted)
  }
}
