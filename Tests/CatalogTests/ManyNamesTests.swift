import Music
import Testing

@testable import Catalog

/// Patterns that fit more names than an expression of the full-text index should hold.
@Suite struct ManyNamesTests {
  @Test(arguments: ["tag:mark*", "song:mark*", "room:mark*"]) func aPatternOfManyNamesFindsTheTakesOfAll(
    query: String
  ) async throws {
    let shelf = try Shelf()
    let catalog = try shelf.open()
    for index in 0..<510 {
      var take = try Example.finished("Märk \(index)", at: Int64(index) * 60, song: Example.song("Mark \(index)"))
      take.annotations.tags = ["other", "MARK \(index)"]
      try await catalog.store(take, tracks: [], cues: [])
    }
    var stranger = try Example.finished("No mark", at: 100_000, song: Example.song("No mark"))
    stranger.annotations.tags = ["no mark"]
    try await catalog.store(stranger, tracks: [], cues: [])
    let condition = try TakeCondition(reading: query, now: Example.noon)
    var found = 0
    var cursor: String?
    repeat {
      let page = try await catalog.takes(TakeQuery(condition: condition, limit: 200, cursor: cursor))
      found += page.items.count
      cursor = page.next
    } while cursor != nil
    #expect(found == 510)
    let others = try TakeCondition(reading: "-\(query)", now: Example.noon)
    #expect(try await catalog.takes(TakeQuery(condition: others)).items.map(\.id) == [stranger.id])
  }
}
