import Music
import Signaling
import Testing

@testable import Library

@Suite(.timeLimit(.minutes(1))) struct EventFeedTests {
  @Test func aReaderIsWokenByWhatWasPublishedBeforeItCame() async {
    let feed = EventFeed()
    feed.publish(.takeReady, room: nil, .members([:]))
    let reader = feed.subscribe()
    for await _ in reader.wakes { break }
    #expect(feed.read(after: 0, limit: 8).events.count == 1)
  }
}
