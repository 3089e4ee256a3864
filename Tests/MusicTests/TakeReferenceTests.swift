import Testing

@testable import Music

@Suite struct TakeReferenceTests {
  private let id = "01ARYZ6S41TSV4RRFFQ69G5FAV"

  @Test func lastIsTheNewestInAnyCase() throws {
    #expect(try TakeReference("last") == .newest)
    #expect(try TakeReference("LAST") == .newest)
  }

  @Test func anIdentifierIsATakeAndItsBeginningMayBeOne() throws {
    #expect(try TakeReference(id.lowercased()) == .take(try #require(TakeID(id))))
    #expect(try TakeReference("01aryz") == .beginning("01aryz"))
    #expect(throws: TakeReferenceProblem.tooShort("01ary")) { try TakeReference("01ary") }
  }

  @Test func onlyOneTakeMayBeginSo() throws {
    #expect(try TakeReference.only(of: ["a"]) == "a")
    #expect(throws: TakeReferenceProblem.unknown) { try TakeReference.only(of: [String]()) }
    #expect(throws: TakeReferenceProblem.several) { try TakeReference.only(of: ["a", "b"]) }
  }

  @Test func aBeginningIsARangeOfIdentifiers() throws {
    let range = try #require(TakeID.range(beginningWith: "01aryz6s41"))
    #expect(range.contains(try #require(TakeID(id))))
    #expect(!range.contains(try #require(TakeID("01ARYZ6S42TSV4RRFFQ69G5FAV"))))
    #expect(TakeID.range(beginningWith: "last!!") == nil)
  }
}
