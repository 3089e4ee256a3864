import NIOCore
import Signaling

/// The bytes of a stream of HTTP Live Streaming: its segments in their order.
struct HLSFeed: Sendable {
  let url: WebhookURL
  let route: OutwardRoute
  let agent: String

  /// Largest segment, in bytes.
  private static let maximumSegment = 32 << 20
  /// Segments in a row that may be missing: a server may have removed one that its playlist still names.
  private static let patience = 3

  /// Writes until the stream is over; true if that was its own end.
  /// - Throws: `GuestFault`, and errors of `write`.
  func run(_ write: ChildPipes.Write) async throws -> Bool {
    let fetcher = StreamFetcher(route, agent: agent)
    do {
      let isOver = try await run(fetcher, write)
      await fetcher.close()
      return isOver
    } catch {
      await fetcher.close()
      throw error
    }
  }

  private func run(_ fetcher: StreamFetcher, _ write: ChildPipes.Write) async throws -> Bool {
    var (playlist, place) = try await load(url, fetcher)
    if case .variants(let variants) = playlist {
      guard let chosen = place.resolving(variants.address) else { throw HLSFeed.badAddress }
      (playlist, place) = try await load(chosen, fetcher)
    }
    var cursor = HLSCursor()
    var map: WebhookURL?
    var missing = 0
    while true {
      guard case .segments(let list) = playlist else {
        throw GuestFault(.nonsense, "the playlist of a variant names variants")
      }
      let news = cursor.fresh(in: list)
      for segment in news {
        if let text = segment.map {
          guard let address = place.resolving(text) else { throw HLSFeed.badAddress }
          if address != map { try await write(try await fetcher.read(address, most: HLSFeed.maximumSegment).bytes) }
          map = address
        }
        guard let address = place.resolving(segment.address) else { throw HLSFeed.badAddress }
        let bytes: ByteBuffer
        do throws(GuestFault) {
          bytes = try await fetcher.read(address, most: HLSFeed.maximumSegment).bytes
        } catch {
          missing &+= 1
          guard missing <= HLSFeed.patience, error.kind == .empty || error.kind == .lost else { throw error }
          continue
        }
        missing = 0
        try await write(bytes)
      }
      if list.isComplete { return true }
      try await Task.sleep(for: .seconds(HLSCursor.pause(after: list, hadNews: !news.isEmpty)))
      (playlist, place) = try await load(place, fetcher)
    }
  }

  private func load(
    _ url: WebhookURL, _ fetcher: StreamFetcher
  ) async throws(GuestFault) -> (HLSPlaylist, WebhookURL) {
    let (bytes, place) = try await fetcher.read(url, most: HLSPlaylist.longest)
    do throws(HLSPlaylist.Fault) {
      return (try HLSPlaylist(String(buffer: bytes)), place)
    } catch {
      throw GuestFault(.nonsense, error.description)
    }
  }

  private static let badAddress = GuestFault(.nonsense, "the playlist names an address that may not be asked")
}
