import AsyncHTTPClient
import Library
import Machines
import Music
import NIOCore
import NIOHTTP1
import NIOPosix
import Recording
import Signaling
import Synchronization

/// Posts calls to HTTP endpoints, over connections that stay open between calls.
final class MethodSender: Sendable {
  /// A checked address of an endpoint's host.
  private struct Place: Hashable {
    var host: String
    var address: String
  }

  private struct State {
    var clients: [Place: HTTPClient] = [:]
    var isClosed = false
  }

  let route: OutwardRoute
  /// Name and version of this service.
  let agent: String
  private let state = Mutex(State())

  /// Most addresses with open connections; a host that moves leaves old ones behind.
  private static let maximumClients = 32
  private static let lookupLimit = MonotonicTime.Span.seconds(4)

  init(_ route: OutwardRoute, agent: String) {
    (self.route, self.agent) = (route, agent)
  }

  /// - Throws: `MethodFailure` if no answer came, and `CancellationError`.
  func post(
    _ call: MethodCall, to url: WebhookURL, secrets: [Secret<[UInt8]>], timeLimit: TimeAmount
  ) async throws -> MethodAnswer {
    do {
      let addresses = try await addresses(of: url)
      let client = try client(for: url, at: addresses, timeLimit: timeLimit)
      let request = WebhookSignature.request(
        to: url, id: call.id, body: JSONValue.object(call.body).text, secrets: secrets, agent: agent,
        at: MonotonicClock.wall)
      let response = try await client.execute(request, timeout: timeLimit)
      let body = try await response.body.collect(upTo: MethodAnswer.maximumBytes)
      return MethodAnswer(status: Int(response.status.code), body: Array(body.readableBytesView))
    } catch let refusal as OutwardRoute.Refusal {
      throw MethodFailure(.failed, "the application cannot be reached: \(refusal.reason)")
    } catch is NIOTooManyBytesError {
      throw MethodFailure(
        .failed, "the application's answer has more than \(MethodAnswer.maximumBytes) bytes, the most of one")
    } catch let error as MethodFailure {
      throw error
    } catch is CancellationError {
      throw CancellationError()
    } catch let error as HTTPClientError where error == .cancelled {
      throw CancellationError()
    } catch let error as HTTPClientError {
      throw MethodFailure(.failed, "the application cannot be reached: \(error.shortDescription)")
    } catch {
      // The type is enough; a description may contain the address with its query.
      throw MethodFailure(.failed, "the application cannot be reached: \(type(of: error))")
    }
  }

  /// The look-up ends when the system does; the call goes on without it.
  private func addresses(of url: WebhookURL) async throws -> [String] {
    let found = try await Deadline.race(MethodSender.lookupLimit) { [route] in try await route.addresses(of: url) }
    guard let found else { throw OutwardRoute.Refusal(reason: "the host could not be looked up in time") }
    return found
  }

  /// The client for one of the checked addresses, preferably one with open connections.
  private func client(
    for url: WebhookURL, at addresses: [String], timeLimit: TimeAmount
  ) throws -> HTTPClient {
    let places = addresses.map { Place(host: url.host, address: $0) }
    guard let first = places.first else { throw MethodFailure(.failed, "the application's host has no address") }
    var former: HTTPClient?
    defer { if let former { MethodSender.end(former, after: timeLimit) } }
    return try state.withLock { state in
      guard !state.isClosed else { throw MethodFailure(.failed, "the service stops") }
      for place in places {
        if let known = state.clients[place] { return known }
      }
      let settings = try route.settings(to: url, at: first.address, timeLimit: timeLimit)
      if state.clients.count >= MethodSender.maximumClients, let old = state.clients.keys.first {
        former = state.clients.removeValue(forKey: old)
      }
      let client = HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: settings)
      state.clients[first] = client
      return client
    }
  }

  /// Ends a client after the calls that may still use it.
  private static func end(_ client: HTTPClient, after timeLimit: TimeAmount) {
    Task {
      try? await Task.sleep(for: .nanoseconds(timeLimit.nanoseconds))
      try? await client.shutdown()
    }
  }

  /// Closes all connections; no further call is sent.
  func close() async {
    let clients = state.withLock { state in
      state.isClosed = true
      defer { state.clients = [:] }
      return Array(state.clients.values)
    }
    for client in clients { try? await client.shutdown() }
  }
}
