import GRDB
import Music
import Testing

@testable import Catalog

/// Every combination of filters and orders that is offered walks an index: no table is scanned, nothing is sorted.
@Suite struct FilterPlanTests {
  private static let filters = 10

  /// The combination of filters that the bits of `number` say.
  private static func query(_ number: Int, take: Take, person: ParticipantID) -> TakeQuery {
    func has(_ bit: Int) -> Bool { number >> bit & 1 == 1 }
    return TakeQuery(
      room: has(0) ? take.room : nil, song: has(1) ? take.song?.id : nil, session: has(2) ? take.session : nil,
      participant: has(3) ? person : nil, state: has(4) ? .ready : nil, minimumRating: has(5) ? 3 : nil,
      isFavourite: has(6) ? true : nil, tag: has(7) ? "keeper" : nil, startedAfter: has(8) ? Example.time(-9) : nil,
      startedBefore: has(8) ? Example.time(9) : nil, text: has(9) ? "gui blu" : nil)
  }

  @Test func everyCombinationThatIsOfferedWalksAnIndex() async throws {
    let shelf = try Shelf()
    let catalog = try shelf.open()
    var take = try Example.finished(song: Example.song("Blue"))
    let person = try Example.participant("Ann")
    take.annotations = TakeAnnotations(rating: 4, isFavourite: true, tags: ["Keeper"])
    try await catalog.store(take, tracks: [Example.track(take, 1, person)], cues: [])
    take.trackCount = 1
    let stored = take
    let (offered, bad) = try await catalog.read { database in
      var offered = 0
      var bad: [String] = []
      for number in 0..<(1 << FilterPlanTests.filters) {
        for sort in TakeQuery.Sort.allCases {
          var query = FilterPlanTests.query(number, take: stored, person: person.id)
          query.sort = sort
          guard let listing = try? TakeListing(query), let statement = try listing.statement(in: database) else {
            continue
          }
          offered += 1
          let plan = try String.fetchAll(
            database, sql: "EXPLAIN QUERY PLAN \(statement.sql)",
            arguments: statement.arguments, adapter: SuffixRowAdapter(fromIndex: 3))
          let isWalk = plan.first.map { first in
            first.hasPrefix("SEARCH takes USING INDEX takes_") || first.hasPrefix("SCALAR")
              || first.hasPrefix("SCAN take_words VIRTUAL TABLE INDEX")
          }
          let sorts = plan.contains { $0.contains("TEMP B-TREE") }
          let scans = plan.contains { $0.hasPrefix("SCAN ") && !$0.contains("VIRTUAL TABLE INDEX") }
          if isWalk != true || sorts || scans { bad.append("\(query): \(plan)") }
          // And it finds the take.
          if try listing.fetch(database).items != [stored] { bad.append("\(query) does not find the take") }
        }
      }
      return (offered, bad)
    }
    #expect(offered > 2_000)
    #expect(bad.isEmpty, "\(bad.count): \(bad.prefix(3))")
  }

  @Test func songsPeopleAndSessionsWalkTheirIndexes() async throws {
    let shelf = try Shelf()
    let catalog = try shelf.open()
    let statements = [
      try BookListing(.songs, BookQuery()).statement(),
      try BookListing(.songs, BookQuery(condition: .term(.word("a")))).statement(),
      try BookListing(.people, BookQuery()).statement(),
      try BookListing(.people, BookQuery(condition: .term(.word("a")))).statement(),
      try SessionListing(SessionQuery()).statement(),
      try SessionListing(SessionQuery(room: Example.room("x"), startedAfter: Example.noon)).statement(),
    ].compactMap(\.self)
    #expect(statements.count == 6)
    for statement in statements {
      let plan = try await QueryPlanTests.plan(statement.sql, statement.arguments, catalog)
      #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
      #expect(!plan.contains { $0.hasPrefix("SCAN ") && !$0.contains("VIRTUAL TABLE INDEX") }, "\(plan)")
    }
  }
}
