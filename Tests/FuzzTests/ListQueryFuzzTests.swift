import HTTPTypes
import Hummingbird
import Music
import NIOCore
import TestSupport
import Testing

@testable import Server

/// The parameters of lists, which only a request of the server's library has: no target of libFuzzer's.
@Suite struct ListQueryFuzzTests {
  private static let names = ["room", "song", "after", "rating", "favourite", "state", "q"]
  private static let queries = [
    "limit=50&cursor=AQAAAaIAAAAAAAECAwQFBgcICQoLDA0ODxAR", "room=Blue%20Room&after=2026-11-21T02:56:09%2B01:00",
    "song=01M0Y3N3G0DEM0DEM0DEM0DEM0&rating=5&favourite=true", "state=ready&q=take%20%22five%22+&after=2026-11-21",
    "limit=9223372036854775807&rating=-9223372036854775808", "q=%&room=%zz&limit=%00",
  ]

  @Test(arguments: FuzzSeeds.upTo(1))
  func mutatedQueriesAreReadWithinTheirRangesOrRefused(seed: UInt64) {
    var generator = SeededRandom(seed)
    let queries = ListQueryFuzzTests.queries.map { Array($0.utf8) }
    var read = 0
    for _ in 0..<2_000 {
      let text = String(decoding: FuzzCorpus.mutation(of: queries, using: &generator), as: UTF8.self)
      let head = HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: "/v1/takes?\(text)")
      let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
      guard let list = try? ListQuery(request, permitted: ListQueryFuzzTests.names) else { continue }
      read += 1
      if let limit = try? list.limit { #expect(ListQuery.limits.range.contains(limit), "\(text)") }
      if let rating = try? list.integer("rating", in: 1...5) { #expect((1...5).contains(rating), "\(text)") }
      if let words = try? list.text("q") { #expect(!words.isEmpty, "\(text)") }
      if let time = try? list.time("after") { #expect(WallTime("\(time)") != nil, "\(text)") }
      if let room = try? list.room() { #expect(RoomName("\(room)") == room, "\(text)") }
      _ = (try? list.bool("favourite"), try? list.word("state") as TakeState?)
      _ = try? list.identifier("song") as SongID?
    }
    // Most mutations leave something to read, or this would show nothing.
    #expect(read > 200)
  }
}
