import AsyncHTTPClient
import Client
import NIOCore
import NIOHTTP1
import NIOPosix
import Signaling

/// Janus' own protocol over plain HTTP: each text is a POST, and a GET waits for what happens in the session.
///
/// The texts are those of its WebSockets, with their numbers in the path besides.
/// Source: https://janus.conf.meetecho.com/docs/rest.html ("Plain HTTP REST Interface"), seen with Debian's 1.1.2.
struct JanusPolls: BotLink {
  let endpoint: ServiceEndpoint
  let room: BotAddress
  let route: OutwardRoute
  let agent: String
  let limits: JSONLimits

  /// Time for the answer to a request. Janus answers a GET without news after 30 s.
  private static let answerLimit = TimeAmount.seconds(15)
  private static let newsLimit = TimeAmount.seconds(45)
  /// Most events of one answer.
  private static let events = 10

  func run(
    _ texts: AsyncStream<String>, opened: @escaping @Sendable () -> Void,
    onText: @escaping @Sendable (String) -> Bool
  ) async throws -> LinkClosed {
    let settings = try route.settings(
      to: room.url, at: endpoint.address ?? endpoint.host, timeLimit: JanusPolls.newsLimit)
    let client = HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: settings)
    do {
      let end = try await talk(by: client, texts, opened, onText)
      try? await client.shutdown()
      return end
    } catch {
      try? await client.shutdown()
      throw error
    }
  }

  private func talk(
    by client: HTTPClient, _ texts: AsyncStream<String>, _ opened: @escaping @Sendable () -> Void,
    _ onText: @escaping @Sendable (String) -> Bool
  ) async throws -> LinkClosed {
    opened()
    let (sessions, found) = AsyncStream.makeStream(of: Int64.self)
    return try await withThrowingTaskGroup(of: LinkClosed.self) { group in
      group.addTask {
        for await text in texts {
          let answer = try await post(text, by: client)
          if let session = JanusPolls.session(made: text, answer) { found.yield(session) }
          guard onText(answer) else { return .flooded }
        }
        return .ended
      }
      group.addTask {
        // There is one, or the link ends before.
        for await session in sessions { return try await listen(to: session, by: client, onText) }
        return .ended
      }
      // Whichever ends first ends the link.
      defer { group.cancelAll() }
      return try await group.next() ?? .flooded
    }
  }

  /// Passes on the session's events until it ends.
  private func listen(
    to session: Int64, by client: HTTPClient, _ onText: @Sendable (String) -> Bool
  ) async throws -> LinkClosed {
    let secrets = [("token", room.token), ("apisecret", room.secret)].compactMap { name, secret in
      secret.map { "&\(name)=\($0.percentEncoded)" }
    }.joined()
    while true {
      var request = HTTPClientRequest(url: "\(base)/\(session)?maxev=\(JanusPolls.events)\(secrets)")
      request.method = .GET
      let answer = try await execute(request, by: client, within: JanusPolls.newsLimit)
      // What is no list of events is for the reader, who says what is wrong with it.
      let news = (try? JSONValue(parsing: answer, limits: limits))?.array?.map(\.text) ?? [answer]
      for text in news {
        guard onText(text) else { return .flooded }
      }
    }
  }

  private func post(_ text: String, by client: HTTPClient) async throws -> String {
    let message = (try? JSONValue(parsing: text, limits: limits))?.object
    let numbers = ["session_id", "handle_id"].compactMap { message?[$0]?.integer }
    var request = HTTPClientRequest(url: base + numbers.map { "/\($0)" }.joined())
    request.method = .POST
    request.headers.add(name: "Content-Type", value: "application/json")
    request.body = .bytes(ByteBuffer(string: text))
    return try await execute(request, by: client, within: JanusPolls.answerLimit)
  }

  private func execute(
    _ wish: HTTPClientRequest, by client: HTTPClient, within limit: TimeAmount
  ) async throws -> String {
    var request = wish
    request.headers.add(name: "Accept", value: "application/json")
    request.headers.add(name: "User-Agent", value: agent)
    let response = try await client.execute(request, timeout: limit)
    switch response.status.code {
    case 200: break
    // Of a session; of everything else it is another server's, or another path.
    case 404 where wish.method == .GET: throw GuestFault(.lost, "Janus has forgotten the session")
    case 429, 500...599: throw GuestFault(.lost, "the server answers \(response.status)")
    default:
      throw GuestFault(
        .refused, "the server answers \(response.status); the address needs the path of Janus' API, as a rule /janus")
    }
    return String(buffer: try await response.body.collect(upTo: limits.bytes))
  }

  /// Janus' API, without a slash at the end.
  private var base: String {
    let path = room.target.prefix { $0 != "?" }
    return room.url.origin + (path.last == "/" ? path.dropLast() : path)
  }

  /// The number of the session that a text has asked for.
  private static func session(made text: String, _ answer: String) -> Int64? {
    guard (try? JSONValue(parsing: text, limits: .foreign))?.object?["janus"]?.string == "create" else { return nil }
    return (try? JSONValue(parsing: answer, limits: .foreign))?.object?["data"]?.object?["id"]?.integer
  }
}
