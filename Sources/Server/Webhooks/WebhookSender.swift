import AsyncHTTPClient
import Foundation
import Glibc
import Machines
import Music
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Realtime

/// Makes one attempt to deliver: looks up the host, checks its addresses, connects to a checked one, signs, posts.
struct WebhookSender: Sendable {
  let configuration: WebhookConfiguration
  let resolver: WebhookResolver
  /// Name and version of this service.
  let agent: String

  /// Time for one attempt.
  static let timeLimit = TimeAmount.seconds(10)
  /// Time for the connection alone.
  private static let connectLimit = TimeAmount.seconds(5)
  /// Most bytes read of a response; the rest is cut off with its connection.
  private static let answerLimit = 65_536
  /// Time for reading a response body, of which only the status matters.
  private static let answerPatience = Duration.seconds(2)

  func send(_ delivery: WebhookDelivery, to endpoint: WebhookEndpoint, at now: WallTime) async -> WebhookOutcome {
    let address: String
    switch await checkedAddress(of: endpoint.url) {
    case .success(let checked): address = checked
    case .failure(let refusal): return .failed(refusal.reason)
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

  private struct Refusal: Error {
    var reason: String
  }

  /// The address to connect to, after checking all addresses of the host.
  private func checkedAddress(of url: WebhookURL) async -> Result<String, Refusal> {
    let found: [String]
    do {
      found = url.address == nil ? try await resolver.addresses(url.host) : [url.host]
    } catch {
      return .failure(Refusal(reason: "the host could not be looked up"))
    }
    guard let first = found.first else { return .failure(Refusal(reason: "the host has no address")) }
    guard !configuration.allowsPrivate else { return .success(first) }
    for text in found {
      guard let address = IPAddress(parsing: text), WebhookAddress.isPublic(address) else {
        return .failure(
          Refusal(reason: "the host leads to \(text), which is no address of the internet; --webhook-private allows it")
        )
      }
    }
    return .success(first)
  }

  private func post(
    _ delivery: WebhookDelivery, to endpoint: WebhookEndpoint, address: String, at now: WallTime
  ) async throws -> WebhookOutcome {
    var settings = HTTPClient.Configuration(
      tlsConfiguration: try tls(), redirectConfiguration: .disallow,
      timeout: .init(connect: WebhookSender.connectLimit, read: WebhookSender.timeLimit), decompression: .disabled)
    // Host and server name stay the endpoint's; the connection goes only to the checked address.
    if endpoint.url.address == nil { settings.dnsOverride = [endpoint.url.host: address] }
    settings.httpVersion = .http1Only
    // Retries are up to the schedule, which waits between attempts.
    settings.connectionPool.retryConnectionEstablishment = false
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
    let seconds = now.milliseconds / 1_000
    var request = HTTPClientRequest(url: endpoint.url.text)
    request.method = .POST
    request.headers.add(name: "Content-Type", value: MediaTypeName.json)
    request.headers.add(name: "User-Agent", value: agent)
    request.headers.add(name: "webhook-id", value: delivery.id)
    request.headers.add(name: "webhook-timestamp", value: "\(seconds)")
    let signature = WebhookSignature.header(
      id: delivery.id, timestamp: seconds, body: delivery.body, keys: endpoint.secrets.map { $0.reveal() })
    request.headers.add(name: "webhook-signature", value: signature)
    request.body = .bytes(ByteBuffer(string: delivery.body))
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

  private func tls() throws -> TLSConfiguration {
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.minimumTLSVersion = .tlsv12
    if let trust = configuration.trust {
      tls.additionalTrustRoots = [.certificates(try NIOSSLCertificate.fromPEMFile(trust))]
    }
    return tls
  }
}

/// Looks up the addresses of a host once per attempt, so that the checked address is the one connected to.
struct WebhookResolver: Sendable {
  /// The addresses of a host as numbers, in the order in which they should be tried.
  let addresses: @Sendable (_ host: String) async throws -> [String]

  /// Resolves by the system.
  static let system = WebhookResolver { host in
    try await NIOThreadPool.singleton.runIfActive { lookup(host) }
  }

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
  /// The value of `webhook-signature`: one `v1,<base64>` for each key, separated by blanks.
  ///
  /// - Parameters:
  ///   - timestamp: seconds since 1970, of this attempt.
  static func header(id: String, timestamp: Int64, body: String, keys: [[UInt8]]) -> String {
    let signed = "\(id).\(timestamp).\(body)".utf8
    return keys.map { "v1," + Base64.standard.encode(HMAC.sha256(signed, key: $0)) }.joined(separator: " ")
  }
}
