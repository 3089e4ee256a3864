import Music
import Testing

@testable import Catalog

@Suite struct StateTests {
  let shelf: Shelf
  let catalog: SQLiteCatalog

  init() throws {
    shelf = try Shelf()
    catalog = try shelf.open()
  }

  @Test(arguments: TakeState.allCases) func movesThatAreNotAllowedAreRefused(from: TakeState) async throws {
    for to in TakeState.allCases {
      let take = try Example.finished(state: from)
      try await catalog.store(take, tracks: [], cues: [])
      if from.mayBecome(to) {
        try await catalog.setState(of: take.id, to: to)
        #expect(try await catalog.take(take.id)?.state == to)
      } else {
        await #expect(throws: CatalogError.illegalMove(take.id, from: from, to: to)) {
          try await catalog.setState(of: take.id, to: to)
        }
        #expect(try await catalog.take(take.id)?.state == from)
      }
    }
  }

  @Test func theRefusalNamesWhatIsAllowed() {
    let id = TakeID(at: Example.noon)
    let text = CatalogError.illegalMove(id, from: .rendering, to: .rolling).description
    #expect(
      text == "the take \(id) is rendering and cannot become rolling; it can become ready or incomplete or failed")
  }

  @Test func anUnknownTakeHasNoState() async throws {
    let id = TakeID(at: Example.noon)
    await #expect(throws: CatalogError.unknownTake(id)) { try await catalog.setState(of: id, to: .rolling) }
  }

  @Test func aManifestMayBeAheadOfTheIndexButNotBehind() async throws {
    var take = try Example.finished(state: .rolling)
    try await catalog.store(take, tracks: [], cues: [])
    for state in [.ready, .ready, .failed] as [TakeState] {
      take.state = state
      try await catalog.store(take, tracks: [], cues: [])
    }
    for state in [.rolling, .captured] as [TakeState] {
      take.state = state
      await #expect(throws: CatalogError.illegalMove(take.id, from: .failed, to: state)) {
        try await catalog.store(take, tracks: [], cues: [])
      }
    }
    #expect(try await catalog.take(take.id)?.state == .failed)
  }

  @Test func unfinishedTakesAreThoseThatAProcessLeft() async throws {
    var expected: [TakeID] = []
    for (second, state) in TakeState.allCases.reversed().enumerated() {
      let take = try Example.finished(at: Int64(second), state: state)
      try await catalog.store(take, tracks: [], cues: [])
      if [.rolling, .captured, .rendering].contains(state) { expected.append(take.id) }
    }
    try catalog.close()
    #expect(try await shelf.open().unfinishedTakes().map(\.id) == expected)
  }
}
