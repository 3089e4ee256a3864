import Machines
import Testing

@testable import Signaling

@Suite struct TicketBookTests {
  private struct Seat: Hashable, Sendable {
    var user: String
    var room = "take5"
  }

  private typealias Book = TicketBook<Seat>

  private let anna = Seat(user: "anna")
  private let start = MonotonicTime(nanoseconds: 1_000_000_000)

  /// "user@room" of the ticket's client, or why it got nothing.
  private func use(
    _ token: String, of book: inout Book, after seconds: Int64 = 0, if isRight: (Seat) -> Bool = { _ in true }
  ) -> String {
    switch book.redeem(token, at: start + .seconds(seconds), if: isRight) {
    case .admitted(let seat): "\(seat.user)@\(seat.room)"
    case .unknown: "unknown"
    case .expired: "expired"
    case .foreign: "foreign"
    }
  }

  @Test func aTicketIsGoodOnce() {
    var book = Book()
    book.issue("a", to: anna, for: 60, at: start)
    #expect(use("b", of: &book) == "unknown")
    // To look at it does not use it up.
    #expect(book.holder(of: "a", at: start) == anna && book.count == 1)
    #expect(use("a", of: &book) == "anna@take5")
    #expect(use("a", of: &book) == "unknown" && book.holder(of: "a", at: start) == nil)
    #expect(book.count == 0)
  }

  @Test(arguments: [(60, 60), (1, 1), (0, 1), (-5, 1), (601, 600), (.max, 600)] as [(Int, Int64)])
  func aTicketExpiresAtItsTime(wished: Int, life: Int64) {
    var book = Book()
    book.issue("a", to: anna, for: wished, at: start)
    #expect(book.holder(of: "a", at: start + .seconds(life) - .nanoseconds(1)) == anna)
    #expect(book.holder(of: "a", at: start + .seconds(life)) == nil)
    #expect(use("a", of: &book, after: life) == "expired")
    #expect(use("a", of: &book) == "unknown" && book.count == 0)
    book.issue("b", to: anna, for: wished, at: start)
    #expect(use("b", of: &book, after: life - 1) == "anna@take5")
  }

  @Test func aTicketIsForItsUserAndRoomAndSurvivesTheWrongOnes() {
    var book = Book()
    book.issue("a", to: anna, for: 60, at: start)
    #expect(use("a", of: &book) { $0.user == "bob" } == "foreign")
    #expect(use("a", of: &book) { $0.room == "blue" } == "foreign")
    #expect(use("a", of: &book) { $0 == anna } == "anna@take5")
  }

  @Test func anAddressThatWantsManyLosesItsOwnThatExpiresFirst() {
    var book = Book(most: 10, mostOfAddress: 3)
    book.issue("other", to: anna, for: 1, from: "192.0.2.1", at: start)
    for (token, life) in [("a", 60), ("b", 30), ("c", 90), ("d", 30), ("e", 60)] {
      book.issue(token, to: Seat(user: token), for: life, from: "192.0.2.2", at: start)
    }
    // b went for d, and d for e.
    let left = ["a", "b", "c", "d", "e", "other"].filter { book.holder(of: $0, at: start) != nil }
    #expect(left == ["a", "c", "e", "other"])
  }

  @Test func ofTicketsThatExpireTogetherTheOldestGoes() {
    var book = Book(most: 10, mostOfAddress: 3)
    for number in 0..<7 { book.issue("\(number)", to: anna, for: 60, at: start) }
    let left = (0..<7).filter { book.holder(of: "\($0)", at: start) != nil }
    #expect(left == [4, 5, 6])
  }

  @Test func aFullBookLosesTheFirstOfAll() {
    var book = Book(most: 4, mostOfAddress: 3)
    for (number, life) in [60, 30, 90, 40].enumerated() {
      book.issue("\(number)", to: anna, for: life, from: "192.0.2.\(number)", at: start)
    }
    book.issue("new", to: anna, for: 60, from: "192.0.2.9", at: start)
    #expect(book.count == 4)
    #expect(use("1", of: &book) == "unknown" && use("new", of: &book) == "anna@take5")
  }

  @Test func expiredTicketsMakeRoomFirst() {
    var book = Book(most: 4, mostOfAddress: 4)
    for number in 0..<3 { book.issue("\(number)", to: anna, for: 1, at: start) }
    book.issue("long", to: anna, for: 10, at: start)
    book.issue("new", to: anna, for: 60, at: start + .seconds(5))
    #expect(book.count == 2)
    #expect(use("long", of: &book, after: 5) == "anna@take5" && use("new", of: &book, after: 5) == "anna@take5")
  }

  @Test func massesOfTicketsTakeBoundedMemory() {
    var book = Book(most: 64, mostOfAddress: 16)
    for number in 0..<1_000 {
      book.issue("\(number)", to: anna, for: 600, from: "192.0.2.\(number % 100)", at: start)
      if book.count > 64 { Issue.record("\(book.count) tickets") }
    }
    #expect(book.count == 64 && use("999", of: &book) == "anna@take5")
  }
}
