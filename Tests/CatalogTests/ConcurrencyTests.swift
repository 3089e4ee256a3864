import Music
import Testing

@testable import Catalog

@Suite struct ConcurrencyTests {
  @Test func readersSeeWholeTakesWhileTheyAreStored() async throws {
    let shelf = try Shelf()
    let catalog = try shelf.open()
    let take = try Example.finished()
    let people = try ["Ann", "Bo", "Cy"].map(Example.participant)
    let versions = (1...3).map { count in
      people.prefix(count).enumerated().map { Example.track(take, $0 + 1, $1) }
    }
    try await catalog.store(take, tracks: versions[0], cues: [])

    try await withThrowingTaskGroup { group in
      group.addTask {
        for round in 0..<60 {
          try await catalog.store(take, tracks: versions[round % 3], cues: [])
          try await catalog.store(try Example.finished(at: Int64(round)), tracks: [], cues: [])
        }
      }
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<60 {
            #expect(versions.contains(try await catalog.tracks(of: take.id)))
            let page = try await catalog.takes(TakeQuery(limit: 200)).items
            #expect(page == page.sorted { ($0.startedAt, $0.id) > ($1.startedAt, $1.id) })
            #expect(page.contains { $0.id == take.id })
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await catalog.takes(TakeQuery(limit: 200)).items.count == 61)
  }

  @Test func aSecondProcessReadsWhatTheFirstWrites() async throws {
    let shelf = try Shelf()
    let service = try shelf.open()
    let commandLine = try shelf.open()
    #expect(commandLine.origin == .existing)
    let take = try Example.finished()
    try await service.store(take, tracks: [], cues: [])
    #expect(try await commandLine.take(take.id) == take)
    try await commandLine.setState(of: take.id, to: .rendering)
    #expect(try await service.take(take.id)?.state == .rendering)
  }
}
