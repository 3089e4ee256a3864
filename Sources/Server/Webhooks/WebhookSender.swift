import AsyncHTTPClient
import Foundation
import Glibc
import Machines
import Music
import NIOCore
import NIOHTTP1
import NIOPosix
import Realtime
import Synchronization

/// Makes one attempt to deliver: looks up the host, checks its addresses, connects to a checked one, signs, sends.
struct WebhookSender: Sendable {
  let configuration: WebhookConfiguration
  let resolver: WebhookResolver
  /// Name and version of this service.
  let agent: String

  /// Time for one attempt.
  static let timeLimit = TimeAmount.seconds(10)
  /// Most bytes read of a response; the rest is cut off with its connection.
  private static let answerLimit = 65_536
  /// Time for reading a response body, of which only the status matters.
  private static let answerPatience = Duration.seconds(2)

  func send(_ delivery: WebhookDelivery, to endpoint: WebhookEndpoint, at now: WallTime) async -> WebhookOutcome {
    let address: String
    do throws(OutwardRoute.Refusal) {
      address = try await route.addresses(of: endpoint.url).first ?? endpoint.url.host
    } catch {
      return .failed(error.reason)
    }
    do {
      return try await post(delivery, to: endpoint, address: address, at: now)
    } catch let error as HTTPClientError {
      return .failed(error.shortDescription)
    } catch {
      // The type is enough; a description may contain the address with its query.
      return .failed("\(type(of: error))")
    }
  }

  private var route: OutwardRoute {
    OutwardRoute(allowsPrivate: configuration.allowsPrivate, trust: configuration.trust, resolver: resolver)
  }

  private func post(
    _ delivery: WebhookDelivery, to endpoint: WebhookEndpoint, address: String, at now: WallTime
  ) async throws -> WebhookOutcome {
    let settings = try route.settings(to: endpoint.url, at: address, timeLimit: WebhookSender.timeLimit)
    let client = HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: settings)
    do {
      let outcome = try await attempt(delivery, to: endpoint, with: client, at: now)
      try? await client.shutdown()
      return outcome
    } catch {
      try? await client.shutdown()
      throw error
    }
  }

  private func attempt(
    _ delivery: WebhookDelivery, to endpoint: WebhookEndpoint, with client: HTTPClient, at now: WallTime
  ) async throws -> WebhookOutcome {
    let request = WebhookSignature.request(
      to: endpoint.url, id: delivery.id, body: delivery.body, query: delivery.query, secrets: endpoint.secrets,
      agent: agent, at: now)
    let response = try await client.execute(request, timeout: WebhookSender.timeLimit)
    await drain(response.body)
    switch Int(response.status.code) {
    case 200..<300: return .delivered
    case 410: return .gone
    case let status:
      let asked = response.headers.first(name: "Retry-After").flatMap { Int($0) }
      return .answered(status: status, retryAfter: asked.flatMap { $0 >= 0 ? $0 : nil })
    }
  }

  /// Reads a short response to its end, so that its sender sees no broken connection.
  private func drain(_ body: HTTPClientResponse.Body) async {
    await withTaskGroup { group in
      group.addTask {
        var left = WebhookSender.answerLimit
        do {
          for try await chunk in body {
            left -= chunk.readableBytes
            if left < 0 { return }
          }
        } catch {}
      }
      group.addTask { try? await Task.sleep(for: WebhookSender.answerPatience) }
      await group.next()
      group.cancelAll()
    }
  }
}

/// Looks up the addresses of a host once per attempt, so that the checked address is the one connected to.
struct WebhookResolver: Sendable {
  /// The addresses of a host as numbers, in the order in which they should be tried.
  let addresses: @Sendable (_ host: String) async throws -> [String]

  /// Resolves by the system. A look-up cannot be ended, so a caller whose time is over leaves it behind.
  static let system = WebhookResolver { host in
    let (answers, answer) = AsyncStream.makeStream(of: [String].self)
    let isUnwanted = Mutex(false)
    answer.onTermination = { _ in isUnwanted.withLock { $0 = true } }
    threads.submit { _ in
      if !isUnwanted.withLock({ $0 }) { answer.yield(lookup(host)) }
      answer.finish()
    }
    for await found in answers { return found }
    throw CancellationError()
  }

  /// Threads of its own: look-ups at a name server that does not answer take many seconds each, and the common ones also
  /// read files and wait for children.
  private static let threads: NIOThreadPool = {
    let threads = NIOThreadPool(numberOfThreads: 4)
    threads.start()
    return threads
  }()

  private static func lookup(_ host: String) -> [String] {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_ADDRCONFIG
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
    defer { freeaddrinfo(list) }
    var addresses: [String] = []
    var next = list
    while let entry = next {
      next = entry.pointee.ai_next
      let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { buffer -> String? in
        guard let base = buffer.baseAddress,
          getnameinfo(
            entry.pointee.ai_addr, entry.pointee.ai_addrlen, base, socklen_t(buffer.count), nil, 0, NI_NUMERICHOST)
            == 0
        else { return nil }
        return String(cString: base)
      }
      if let text, !addresses.contains(text) { addresses.append(text) }
    }
    return addresses
  }
}

/// The signature of a delivery, after the Standard Webhooks specification (standardwebhooks.com).
enum WebhookSignature {
  /// A signed request: a POST with a JSON body, or a GET with a query, which is signed in the body's place.
  static func request(
    to url: WebhookURL, id: String, body: String, query: String? = nil, secrets: [Secret<[UInt8]>], agent: String,
    at now: WallTime
  ) -> HTTPClientRequest {
    let seconds = now.milliseconds / 1_000
    let whole = query.map { query in [url.query, query].compactMap(\.self).joined(separator: "&") }
    let place = url.text.prefix { $0 != "?" }
    var request = HTTPClientRequest(url: whole.map { "\(place)?\($0)" } ?? url.text)
    request.method = whole == nil ? .POST : .GET
    if whole == nil { request.headers.add(name: "Content-Type", value: MediaTypeName.json) }
    request.headers.add(name: "User-Agent", value: agent)
    request.headers.add(name: "webhook-id", value: id)
    request.headers.add(name: "webhook-timestamp", value: "\(seconds)")
    let signature = header(id: id, timestamp: seconds, body: whole ?? body, keys: secrets.map { $0.reveal() })
    request.headers.add(name: "webhook-signature", value: signature)
    if whole == nil { request.body = .bytes(ByteBuffer(string: body)) }
    return request
  }

  /// The value of `webhook-signature`: one `v1,<base64>` for each key, separated by blanks.
  ///
  /// - Parameters:
  ///   - timestamp: seconds since 1970, of this attempt.
  static func header(id: String, timestamp: Int64, body: String, keys: [[UInt8]]) -> String {
    let signed = "\(id).\(timestamp).\(body)".utf8
    return keys.map { "v1," + Base64.standard.encode(HMAC.sha256(signed, key: $0)) }.joined(separator: " ")
  }
}
