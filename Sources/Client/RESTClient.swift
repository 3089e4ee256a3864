import AsyncHTTPClient
import Machines
import Music
import NIOCore
import NIOHTTP1
import Signaling

/// The client's side of the REST API.
package struct RESTClient: Sendable {
  package var endpoint: ServiceEndpoint
  /// An API key, if the service requires one.
  package var key: Secret<String>?

  package enum Method: String, Sendable {
    case get = "GET"
    case post = "POST"
    case patch = "PATCH"
    case delete = "DELETE"
  }

  /// Time limit for one request, except downloads.
  private static let timeout = TimeAmount.seconds(30)
  /// Time limit for what the service has to get from elsewhere first: a take of hours on a slow line.
  private static let longTimeout = TimeAmount.hours(2)
  /// Time limit for a piece of an upload, on a slow line too.
  private static let uploadTimeout = TimeAmount.minutes(5)
  /// Maximum length of a JSON response, in bytes.
  private static let maximumAnswer = 16 << 20

  package init(endpoint: ServiceEndpoint, key: Secret<String>? = nil) {
    self.endpoint = endpoint
    self.key = key
  }

  /// - Throws: `RESTFailure`; `HTTPClientError` or `IOError` if the service cannot be reached; `TrustFileProblem`.
  package func get(_ path: String, query: [(String, String)] = []) async throws -> JSONValue {
    let texts = query.map { "\($0.0.percentEncoded)=\($0.1.percentEncoded)" }
    return try await send(.get, path + (texts.isEmpty ? "" : "?" + texts.joined(separator: "&")))
  }

  /// Passes the bytes of a file (a track, a mix) to `body` as they arrive, up to `limit` bytes.
  /// - Throws: as `get`, and errors of `body`.
  package func download(_ path: String, limit: Int = .max, _ body: ([UInt8]) async throws -> Void) async throws {
    let response = try await RESTPools.client(of: endpoint).execute(request(.get, path), deadline: .distantFuture)
    guard response.status == .ok else { throw try await failure(response) }
    var count = 0
    for try await chunk in response.body {
      count += chunk.readableBytes
      guard count <= limit else { throw NIOTooManyBytesError(maxBytes: limit) }
      try await body(Array(chunk.readableBytesView))
    }
  }

  /// Passes the pieces of the event stream to `body` until the connection ends.
  /// - Parameter last: the identifier of the last known event; nil to begin with the next one.
  /// - Throws: as `get`, and errors of `body`.
  package func events(
    _ query: [(String, String)], after last: String?, _ body: ([UInt8]) async throws -> Void
  ) async throws {
    let texts = query.map { "\($0.0.percentEncoded)=\($0.1.percentEncoded)" }
    var request = request(.get, "/v1/events" + (texts.isEmpty ? "" : "?" + texts.joined(separator: "&")))
    request.headers.add(name: "Accept", value: "text/event-stream")
    if let last { request.headers.add(name: "Last-Event-ID", value: last) }
    let response = try await RESTPools.client(of: endpoint, isStream: true).execute(request, deadline: .distantFuture)
    guard response.status == .ok else { throw try await failure(response) }
    for try await chunk in response.body { try await body(Array(chunk.readableBytesView)) }
  }

  private func request(_ method: Method, _ path: String) -> HTTPClientRequest {
    var request = HTTPClientRequest(url: endpoint.url(path))
    request.method = HTTPMethod(rawValue: method.rawValue)
    if let key { request.headers.add(name: "Authorization", value: "Bearer \(key.reveal())") }
    return request
  }

  /// - Parameters:
  ///   - revision: sent as `If-Match`; nil for any revision.
  ///   - isLong: true for what the service may need many minutes for.
  /// - Throws: as `get`.
  package func send(
    _ method: Method, _ path: String, _ body: JSONValue? = nil, ifRevision revision: Int? = nil, isLong: Bool = false
  ) async throws -> JSONValue {
    var request = request(method, path)
    if let revision { request.headers.add(name: "If-Match", value: "\"\(revision)\"") }
    if let body {
      request.headers.add(name: "Content-Type", value: RESTNames.json)
      request.body = .bytes(ByteBuffer(string: body.text))
    }
    let timeout = isLong ? RESTClient.longTimeout : RESTClient.timeout
    let response = try await RESTPools.client(of: endpoint).execute(request, timeout: timeout)
    guard (200..<300).contains(response.status.code) else { throw try await failure(response) }
    let bytes = Array(try await response.body.collect(upTo: RESTClient.maximumAnswer).readableBytesView)
    return bytes.isEmpty ? .null : try JSONValue(parsing: bytes, limits: RESTClient.answerLimits)
  }

  /// Sends a piece of an upload (draft-ietf-httpbis-resumable-upload).
  ///
  /// - Parameters:
  ///   - offset: number of bytes sent before.
  ///   - isLast: true if nothing follows.
  /// - Throws: as `get`.
  package func append(_ bytes: [UInt8], to path: String, at offset: Int64, isLast: Bool) async throws {
    var request = request(.patch, path)
    request.headers.add(name: "Content-Type", value: "application/partial-upload")
    request.headers.add(name: "Upload-Offset", value: "\(offset)")
    request.headers.add(name: "Upload-Complete", value: isLast ? "?1" : "?0")
    request.body = .bytes(ByteBuffer(bytes: bytes))
    let response = try await RESTPools.client(of: endpoint).execute(request, timeout: RESTClient.uploadTimeout)
    guard (200..<300).contains(response.status.code) else { throw try await failure(response) }
  }

  /// The limits for responses of our own service, higher than those for strangers' requests.
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
