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

  @Test func aNewOneKeepsItsPlaceUntilItsRequestCouldBeRead() {
    var book = PlaceBook<String>(limit: 2)
    #expect(book.enter("old") == nil)
    #expect(book.enter("new", isHeard: false) == nil)
    #expect(book.enter("third", isHeard: false) == "old")
    book.leave("old")
    // Both are new: the next one waits for a moment, and for no longer.
    #expect(!book.isOpen)
    #expect(book.isLeaving)
    book.hear("third")
    #expect(book.isOpen)
    // A request that was read is over: its connection is idle from then on.
    book.begin("new")
    book.rest("new")
    #expect(book.enter("fourth", isHeard: false) == "third")
    // Another listener counted upon the same place: there are never more connections than places and a few.
    book.leave("third")
    #expect(book.enter("fifth", isHeard: false) == "new")
    book.leave("new")
    #expect(book.enter("sixth", isHeard: false) == "fourth")
    // Where the system has no descriptors any more, a new one goes too.
    #expect(book.makeRoom() == "fifth")
    #expect(book.makeRoom() == "sixth")
  }

  @Test func whereDescriptorsAreUsedUpTheIdleGoOneByOne() {
    var book = PlaceBook<Int>(limit: 8)
    for number in 1...3 { _ = book.enter(number) }
    #expect(book.makeRoom() == 1)
    #expect(book.makeRoom() == 2)
    #expect(book.makeRoom() == 3)
    #expect(book.makeRoom() == nil)
  }

  @Test func aStrangersPlaceIsLentEvenInTheMiddleOfARequest() {
    var book = PlaceBook<String>(limit: 3)
    for name in ["a", "b"] {
      _ = book.enter(name, owner: .nobody)
      book.begin(name)
    }
    _ = book.enter("idle", owner: .trusted)
    // The idle one has a right to be here; the oldest stranger has not.
    #expect(book.enter("c", owner: .nobody) == "a")
    book.leave("a")
    book.prove("b", by: .trusted)
    #expect(book.isProven("b") && !book.isProven("c"))
    #expect(book.enter("d", owner: .nobody) == "c")
    book.leave("c")
    #expect(book.enter("e", owner: .nobody) == "d")
    book.leave("d")
    book.prove("e", by: .party("x"))
    book.begin("e")
    // Only the idle one is left to go; the others are in use by clients who may be here.
    #expect(book.enter("f", owner: .trusted) == "idle")
  }

  @Test func anAddressHasAFewStrangersAtATime() {
    var book = PlaceBook<Int>(limit: 100)
    for number in 0..<3 { #expect(book.enter(number, from: "here", most: 3, owner: .nobody) == nil) }
    #expect(book.enter(3, from: "here", most: 3, owner: .nobody) == 0)
    #expect(book.enter(4, from: "there", most: 3, owner: .nobody) == nil)
    // One that has proved its right counts no more, and one that was asked to go does not either.
    book.prove(1, by: .party("x"))
    #expect(book.enter(5, from: "here", most: 3, owner: .nobody) == nil)
    #expect(book.enter(6, from: "here", most: 3, owner: .nobody) == 2)
    for number in 0...6 { book.leave(number) }
    #expect(book.count == 0)
    for number in 0..<3 { #expect(book.enter(number, from: "here", most: 3, owner: .nobody) == nil) }
  }

  @Test func onePartyKeepsItsShareAndTheOperatorAlwaysGetsIn() {
    var book = PlaceBook<Int>(limit: 4, shares: .init(perParty: 2, reserve: 1))
    func join(_ id: Int, _ owner: PlaceBook<Int>.Owner) -> Int? {
      let leaving = book.enter(id, owner: .nobody)
      if let leaving { book.leave(leaving) }
      book.begin(id)
      book.prove(id, by: owner)
      return leaving
    }
    for id in 1...3 { #expect(join(id, .party("x")) == nil) }
    #expect(join(4, .party("y")) == nil)
    // The third of x has no place of its own.
    #expect(join(5, .trusted) == 3)
    // All others of the parties keep theirs; the reserve is the operator's now.
    #expect(!book.isOpen)
    book.leave(4)
    #expect(join(6, .party("z")) == nil)
  }

  @Test func aFreedShareGoesToTheOneThatWaitedLongest() {
    var book = PlaceBook<Int>(limit: 10, shares: .init(perParty: 2, reserve: 7))
    func join(_ id: Int, _ party: String) {
      _ = book.enter(id, owner: .nobody)
      book.begin(id)
      book.prove(id, by: .party(party))
    }
    // Two of x, and one of y besides the reserve, keep their places; the others have none of their own.
    for id in 1...4 { join(id, "x") }
    for id in 5...6 { join(id, "y") }
    book.leave(1)
    book.rest(5)
    // The 3 has the place of the 1, and the 6 that of the 5, which is idle now.
    #expect(book.makeRoom() == 4)
    #expect(book.makeRoom() == 5)
    #expect(book.makeRoom() == nil)
    // Nobody waits any more.
    book.rest(2)
    #expect(book.makeRoom() == 2)
    #expect(book.makeRoom() == nil)
  }
}
