import Testing

@testable import Server

@Suite struct PlaceBookTests {
  @Test func theOneThatWasIdleLongestGoesForANewOne() {
    var book = PlaceBook<String>(limit: 3)
    for name in ["a", "b", "c"] { #expect(book.enter(name) == nil) }
    // Done with a request, so idle since then.
    book.begin("a")
    book.rest("a")
    #expect(book.enter("d") == "b")
    // It has not gone yet: one more may come, and not two.
    #expect(!book.isOpen)
    book.leave("b")
    #expect(book.isOpen)
    #expect(book.enter("e") == "c")
  }

  @Test func whoIsInUseKeepsTheirPlace() {
    var book = PlaceBook<Int>(limit: 2)
    for number in 1...2 {
      _ = book.enter(number)
      book.begin(number)
    }
    #expect(!book.isOpen)
    #expect(book.makeRoom() == nil)
    book.rest(2)
    #expect(book.isOpen)
    #expect(book.enter(3) == 2)
    // What was asked to go does not come back by a late answer.
    book.begin(2)
    book.rest(2)
    #expect(book.isLeaving)
    #expect(book.count == 3)
  }

  @Test func whereDescriptorsAreUsedUpTheIdleGoOneByOne() {
    var book = PlaceBook<Int>(limit: 8)
    for number in 1...3 { _ = book.enter(number) }
    #expect(book.makeRoom() == 1)
    #expect(book.makeRoom() == 2)
    #expect(book.makeRoom() == 3)
    #expect(book.makeRoom() == nil)
  }
}
