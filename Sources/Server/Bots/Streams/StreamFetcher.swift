import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import Signaling

/// The requests of a bot for a stream over HTTP. Every address is checked, that of a redirection or a segment too.
actor StreamFetcher {
  /// Time for the beginning of an answer.
  private static let answerLimit = TimeAmount.seconds(15)
  /// Silence within an answer. The visit ends long before; but a pipe that is full is no silence.
  private static let pauseLimit = TimeAmount.minutes(10)
  private static let mostRedirections = 5
  /// Hosts that are kept connected: that of the playlist, and one or two with the segments.
  private static let mostHosts = 4

  private let route: OutwardRoute
  private let agent: String
  private var clients: [String: HTTPClient] = [:]

  init(_ route: OutwardRoute, agent: String) {
    self.route = route
    self.agent = agent
  }

  /// What is at `url`, and where it was found.
  /// - Throws: `GuestFault` if it is not to be had.
  func open(
    _ url: WebhookURL, authorization: String? = nil
  ) async throws(GuestFault) -> (body: HTTPClientResponse.Body, url: WebhookURL) {
    var here = url
    for _ in 0...StreamFetcher.mostRedirections {
      var request = HTTPClientRequest(url: here.text)
      request.headers.add(name: "User-Agent", value: agent)
      request.headers.add(name: "Accept", value: "*/*")
      // A secret is for the host that it was given for.
      if let authorization, here.origin == url.origin {
        request.headers.add(name: "Authorization", value: authorization)
      }
      let response: HTTPClientResponse
      do {
        response = try await client(of: here).execute(request, timeout: StreamFetcher.answerLimit)
      } catch let fault as GuestFault {
        throw fault
      } catch {
        throw GuestFault(.lost, "the server \(here.host):\(here.port) cannot be reached: \(error)")
      }
      switch response.status.code {
      case 200: return (response.body, here)
      case 301, 302, 303, 307, 308:
        guard let next = response.headers.first(name: "Location").flatMap(here.resolving) else {
          throw GuestFault(.refused, "the server redirects to no address that may be asked")
        }
        here = next
      case 404, 410: throw GuestFault(.empty, "nothing is sent at \(here.origin) yet (\(response.status))")
      case 429, 500...599: throw GuestFault(.lost, "the server answers \(response.status)")
      default: throw GuestFault(.refused, "the server answers \(response.status)")
      }
    }
    throw GuestFault(.refused, "the server redirects more than \(StreamFetcher.mostRedirections) times")
  }

  /// All of what is at `url`.
  /// - Throws: `GuestFault` if it is not to be had, or larger than `most` bytes.
  func read(_ url: WebhookURL, most: Int) async throws(GuestFault) -> (bytes: ByteBuffer, url: WebhookURL) {
    let (body, found) = try await open(url)
    do {
      return (try await body.collect(upTo: most), found)
    } catch is NIOTooManyBytesError {
      throw GuestFault(.nonsense, "the server sends more than \(most >> 10) KiB at once")
    } catch {
      throw GuestFault(.lost, "the server \(found.host):\(found.port) breaks off: \(error)")
    }
  }

  private func client(of url: WebhookURL) async throws -> HTTPClient {
    if let known = clients[url.origin] { return known }
    let address = try await route.address(of: url, attempt: 1)
    if clients.count >= StreamFetcher.mostHosts { await close() }
    let settings = try route.settings(to: url, at: address, timeLimit: StreamFetcher.pauseLimit)
    let client = HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: settings)
    clients[url.origin] = client
    return client
  }

  /// Ends all connections. Has to be called before the end.
  func close() async {
    let all = Array(clients.values)
    clients = [:]
    for client in all { try? await client.shutdown() }
  }
}
