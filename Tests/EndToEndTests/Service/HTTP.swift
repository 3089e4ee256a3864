import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Signaling

/// HTTP with JSON bodies, as WebDriver and Jamjar's REST speak it.
enum HTTP {
  /// Lists of tens of thousands of capture times come back from pages.
  private static let limits = JSONLimits(bytes: 64_000_000, depth: 32, stringBytes: 32_000_000, values: 4_000_000)
  /// Longer than anything that a test waits for inside a page.
  private static let timeout = TimeAmount.seconds(120)
  /// The shared client gives up after 90 s without a byte, which is as long as a page may wait: it would end the wait
  /// before the page says in vain for what.
  private static let client: HTTPClient = {
    var configuration = HTTPClient.Configuration.singletonConfiguration
    configuration.timeout = HTTPClient.Configuration.Timeout(connect: .seconds(30), read: timeout)
    return HTTPClient(configuration: configuration)
  }()
  /// More than the longest sound file of a test.
  private static let maximumBody = 64_000_000

  struct Answer {
    var status: Int
    var headers: HTTPHeaders
    var body: [UInt8]

    /// The body as JSON.
    var json: JSONValue {
      get throws {
        do {
          return try JSONValue(parsing: body, limits: HTTP.limits)
        } catch {
          throw EndToEndFailure(
            "status \(status), no JSON: \(error): \(String(decoding: body.prefix(300), as: UTF8.self))")
        }
      }
    }
  }

  static func send(
    _ method: String, _ address: String, json: JSONValue? = nil, headers: [String: String] = [:], body: String? = nil
  ) async throws -> Answer {
    var request = HTTPClientRequest(url: address)
    request.method = HTTPMethod(rawValue: method)
    for (name, value) in headers { request.headers.add(name: name, value: value) }
    if json != nil { request.headers.replaceOrAdd(name: "Content-Type", value: "application/json") }
    if let text = json?.text ?? body { request.body = .bytes(ByteBuffer(string: text)) }
    let response = try await answer(to: request)
    let bytes = try await response.body.collect(upTo: maximumBody)
    return Answer(status: Int(response.status.code), headers: response.headers, body: [UInt8](bytes.readableBytesView))
  }

  /// A server may close a connection that rests in the client's pool at the moment of its next use; clients repeat what
  /// may be repeated (RFC 9110 section 9.2.2). The client sees its end, finds its own side closed, or sees a reset where
  /// its request came after the end.
  private static func answer(to request: HTTPClientRequest) async throws -> HTTPClientResponse {
    do {
      return try await client.execute(request, timeout: timeout)
    } catch let error where request.method != .POST && isEnd(error) {
      return try await client.execute(request, timeout: timeout)
    }
  }

  private static func isEnd(_ error: any Error) -> Bool {
    switch error {
    case let error as HTTPClientError: error == .remoteConnectionClosed
    case let error as ChannelError: [.ioOnClosedChannel, .alreadyClosed, .outputClosed, .eof].contains(error)
    case let error as IOError: [ECONNRESET, EPIPE].contains(error.errnoCode)
    default: false
    }
  }
}
