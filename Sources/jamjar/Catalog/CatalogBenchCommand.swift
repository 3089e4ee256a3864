import ArgumentParser
import Catalog
import Foundation
import Machines
import Music
import Recording

/// Measures lists and search on a generated catalogue.
struct CatalogBenchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench", abstract: "Measure lists and search on a generated catalogue.", shouldDisplay: false)

  @Option(name: .long, help: "Number of takes in the catalogue.")
  var takes = 1_000_000
  @Option(name: .long, help: "Number of requests per page.")
  var rounds = 200
  @Option(name: .long, help: "Catalogue file to create and keep; an existing one is measured as it is.")
  var file = "/tmp/jamjar-bench.sqlite"

  func validate() throws {
    guard (1...100_000_000).contains(takes) else { throw ValidationError("--takes is \(takes); 1 to 100000000") }
    guard (1...1_000_000).contains(rounds) else { throw ValidationError("--rounds is \(rounds); 1 to 1000000") }
  }

  func run() async throws {
    var generated = try GeneratedCatalog(count: takes)
    let catalog: SQLiteCatalog
    if FileManager.default.fileExists(atPath: file) {
      catalog = try SQLiteCatalog.open(beside: file, forReadingOnly: true)
    } else {
      catalog = try await make(&generated)
    }
    print("list                                                p50 ms   p99 ms   rows")
    for (name, query) in queries(generated) { try await measure(name, query, in: catalog) }
  }

  private func make(_ generated: inout GeneratedCatalog) async throws -> SQLiteCatalog {
    let began = MonotonicClock.now
    let catalog = try SQLiteCatalog.fresh(at: file, now: MonotonicClock.wall)
    for start in stride(from: 0, to: takes, by: 5_000) {
      var batch: [TakeContents] = []
      for number in start..<min(takes, start + 5_000) { batch.append(generated.next(number)) }
      try await catalog.store(batch)
    }
    print("made \(takes) takes in \((MonotonicClock.now - began).milliseconds / 1_000) s")
    return catalog
  }

  private func queries(_ generated: GeneratedCatalog) -> [(String, TakeQuery)] {
    let room = generated.rooms[7]
    let song = generated.songs[57].id
    let person = generated.people[99].id
    let middle = WallTime(milliseconds: 1_637_000_000_000)
    return [
      ("all, newest", TakeQuery()),
      ("all, oldest", TakeQuery(sort: .oldest)),
      ("before a day", TakeQuery(startedBefore: middle)),
      ("room", TakeQuery(room: room)),
      ("song", TakeQuery(song: song)),
      ("state failed", TakeQuery(state: .failed)),
      ("room and song and state", TakeQuery(room: room, song: song, state: .ready)),
      ("best rated", TakeQuery(sort: .bestRated)),
      ("longest of a room", TakeQuery(room: room, sort: .longest)),
      ("participant", TakeQuery(participant: person)),
      ("participant and room", TakeQuery(room: room, participant: person)),
      ("participant and rating 5", TakeQuery(participant: person, minimumRating: 5)),
      ("rating 4 or more", TakeQuery(minimumRating: 4)),
      ("favourites", TakeQuery(isFavourite: true)),
      ("favourites of a room, failed", TakeQuery(room: room, state: .failed, isFavourite: true)),
      ("tag", TakeQuery(tag: "Keeper")),
      ("tag, rating 4, before a day", TakeQuery(minimumRating: 4, tag: "keeper", startedBefore: middle)),
      ("text: corcovado", TakeQuery(text: "corcovado")),
      ("text: cafe moon", TakeQuery(text: "cafe moon")),
      ("text: b", TakeQuery(text: "b")),
      ("text: midni", TakeQuery(text: "midni")),
      ("text: chloe, room", TakeQuery(room: room, text: "chloe")),
      ("text: guitar (in all), song", TakeQuery(song: song, text: "guitar")),
      ("text: nothing has it", TakeQuery(text: "xyzzy")),
      ("text: blue, favourite, rating 5", TakeQuery(minimumRating: 5, isFavourite: true, text: "blue")),
    ]
  }

  /// Measures the first fifty pages in turn.
  private func measure(_ name: String, _ query: TakeQuery, in catalog: SQLiteCatalog) async throws {
    var times: [Double] = []
    var rows = 0
    var next = query
    for round in 0..<rounds {
      let began = MonotonicClock.now
      let page = try await catalog.takes(next)
      times.append(Double((MonotonicClock.now - began).nanoseconds) / 1e6)
      rows = max(rows, page.items.count)
      next.cursor = round % 50 == 49 ? nil : page.next
    }
    times.sort()
    func milliseconds(_ share: Double) -> String {
      String(format: "%8.3f", times[min(times.count - 1, Int(Double(times.count) * share))])
    }
    print(
      "\(name.padding(toLength: 48, withPad: " ", startingAt: 0)) \(milliseconds(0.5)) \(milliseconds(0.99)) \(rows)")
  }
}
