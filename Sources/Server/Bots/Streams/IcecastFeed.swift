import AsyncHTTPClient
import Machines
import NIOCore
import Signaling

/// The bytes of a stream of Icecast, or of any other that is one endless answer over HTTP.
struct IcecastFeed: Sendable {
  private let url: WebhookURL
  private let authorization: String?
  private let route: OutwardRoute
  private let agent: String

  init(_ address: BotAddress, route: OutwardRoute, agent: String) {
    url = address.url
    self.route = route
    self.agent = agent
    authorization = address.user.map { user in
      "Basic " + Base64.standard.encode(Array("\(user):\(address.secret ?? "")".utf8))
    }
  }

  /// Writes until the server ends the answer.
  /// - Throws: `GuestFault`, and errors of `write`.
  func run(_ write: ChildPipes.Write) async throws {
    let fetcher = StreamFetcher(route, agent: agent)
    do {
      let (body, _) = try await fetcher.open(url, authorization: authorization)
      for try await chunk in body { try await write(chunk) }
      await fetcher.close()
    } catch {
      await fetcher.close()
      throw error
    }
  }
}
