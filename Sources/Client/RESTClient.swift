import AsyncHTTPClient
import Machines
import Music
import NIOCore
import NIOHTTP1
import Signaling

/// The client's side of the REST API.
package struct RESTClient: Sendable {
  package var endpoint: ServiceEndpoint
  /// An API key, where the service has keys.
  package var key: Secret<String>?

  package enum Method: String, Sendable {
    case get = "GET"
    case post = "POST"
    case patch = "PATCH"
    case delete = "DELETE"
  }

  /// Time for one request, downloads aside.
  private static let timeout = TimeAmount.seconds(30)
  /// Longest JSON answer that is taken, in bytes.
  private static let maximumAnswer = 16 << 20

  /// Never shut down: it lives as long as the process, as `HTTPClient.shared` does, which tries to connect again and
  /// again where nobody listens, so that people would wait for half a minute to be told.
  private static let http: HTTPClient = {
    var settings = HTTPClient.Configuration(timeout: .init(connect: .seconds(5)))
    settings.connectionPool.retryConnectionEstablishment = false
    return HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: settings)
  }()

  package init(endpoint: ServiceEndpoint, key: Secret<String>? = nil) {
    self.endpoint = endpoint
    self.key = key
  }

  /// - Throws: `RESTFailure`; `HTTPClientError` or `IOError` where the service cannot be reached.
  package func get(_ path: String, query: [(String, String)] = []) async throws -> JSONValue {
    let texts = query.map { "\($0.0.percentEncoded)=\($0.1.percentEncoded)" }
    return try await send(.get, path + (texts.isEmpty ? "" : "?" + texts.joined(separator: "&")))
  }

  /// Hands the bytes of a file (a track, a mix) over as they come; `limit` bytes at most.
  /// - Throws: as `get`, and what `body` throws.
  package func download(_ path: String, limit: Int = .max, _ body: ([UInt8]) async throws -> Void) async throws {
    let response = try await RESTClient.http.execute(request(.get, path), deadline: .distantFuture)
    guard response.status == .ok else { throw try await failure(response) }
    var count = 0
    for try await chunk in response.body {
      count += chunk.readableBytes
      guard count <= limit else { throw NIOTooManyBytesError(maxBytes: limit) }
      try await body(Array(chunk.readableBytesView))
    }
  }

  private func request(_ method: Method, _ path: String) -> HTTPClientRequest {
    var request = HTTPClientRequest(url: endpoint.url(path))
    request.method = HTTPMethod(rawValue: method.rawValue)
    if let key { request.headers.add(name: "Authorization", value: "Bearer \(key.reveal())") }
    return request
  }

  /// - Parameter revision: sent as `If-Match`, nil for whatever there is.
  /// - Throws: as `get`.
  package func send(
    _ method: Method, _ path: String, _ body: JSONValue? = nil, ifRevision revision: Int? = nil
  ) async throws -> JSONValue {
    var request = request(method, path)
    if let revision { request.headers.add(name: "If-Match", value: "\"\(revision)\"") }
    if let body {
      request.headers.add(name: "Content-Type", value: RESTNames.json)
      request.body = .bytes(ByteBuffer(string: body.text))
    }
    let response = try await RESTClient.http.execute(request, timeout: RESTClient.timeout)
    guard (200..<300).contains(response.status.code) else { throw try await failure(response) }
    let bytes = Array(try await response.body.collect(upTo: RESTClient.maximumAnswer).readableBytesView)
    return bytes.isEmpty ? .null : try JSONValue(parsing: bytes, limits: RESTClient.answerLimits)
  }

  /// Answers of a service of ours may be longer than what strangers may send to it.
  private static let answerLimits = JSONLimits(bytes: maximumAnswer, values: 1 << 20)

  private func failure(_ response: HTTPClientResponse) async throws -> RESTFailure {
    let status = Int(response.status.code)
    let bytes = Array(try await response.body.collect(upTo: RESTClient.maximumAnswer).readableBytesView)
    guard let problem = (try? JSONValue(parsing: bytes))?.object, let detail = problem["detail"]?.string else {
      return RESTFailure(status: status, code: "http", detail: response.status.reasonPhrase)
    }
    let type = problem["type"]?.string ?? ""
    let code = type.hasPrefix(RESTNames.problemPrefix) ? String(type.dropFirst(RESTNames.problemPrefix.count)) : type
    return RESTFailure(status: status, code: code, detail: detail)
  }
}
