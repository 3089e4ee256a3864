import AsyncHTTPClient
import Catalog
import HTTPTypes
import Logging
import Machines
import Music
import NIOCore
import NIOHTTP1
import Recording
import Rooms
import ServiceLifecycle
import Signaling
import TestSupport
import Testing

@testable import Client
@testable import Server

/// The whole service, listening on a port of its own on loopback, for the duration of a test.
struct TestService: Sendable {
  let port: Int
  /// Nil where the configuration has no RTMP.
  let rtmpPort: Int?
  let data: DataFolder
  let catalog: SQLiteCatalog
  let broker: Broker
  /// Every path that the service answers.
  let resources: [Resource]
  /// What is answered before the router.
  let prompt: PromptTakes
  let group: ServiceGroup
  let endpoint: ServiceEndpoint

  static let key = "a-key-of-more-than-sixteen"
  static let secret = "a secret of at least sixty-four bytes, so that HS512 would take it as well"

  static func with(
    _ adjust: (inout ServerConfiguration) throws -> Void = { _ in }, logger: Logger = quiet,
    policy: RoomPolicy = RoomPolicy(recording: .manual), ice: [ICEServer] = [],
    relays: [ICEConfiguration.Relay] = [], roomQuota: Int64? = nil, trust: String? = nil,
    data folder: DataFolder? = nil,
    resolver: WebhookResolver = .system,
    _ body: (TestService) async throws -> Void
  ) async throws {
    let data = try folder ?? DataFolder()
    let catalog = try SQLiteCatalog.open(at: data.path + "/catalog.db", now: MonotonicClock.wall)
    // A thousand tests in one process: what is left open adds up.
    defer { try? catalog.close() }
    var configuration = ServerConfiguration(port: 0, recordings: data.path)
    try adjust(&configuration)
    var rooms = RoomsConfiguration(
      recordings: data.path, policy: policy,
      ice: ICEConfiguration(addresses: ["127.0.0.1"], relays: relays, announced: ice))
    rooms.roomQuota = roomQuota
    // Beside a thousand other tests, a client may need more than the usual ten seconds to come back.
    rooms.kurentoGrace = 120
    rooms.topologyOfName = configuration.topologyOfName
    let broker = try Broker(configuration: rooms, index: catalog, logger: logger)
    let (ports, listening) = AsyncStream.makeStream(of: Int.self)
    let (rtmpPorts, rtmpListening) = AsyncStream.makeStream(of: Int.self)
    let assembly = try await Assembly(
      configuration, broker: broker, resolver: resolver, logger: logger,
      onListening: { port in listening.yield(port) }, onRTMP: { port in rtmpListening.yield(port) })
    let group = ServiceGroup(configuration: .init(services: [assembly, broker], logger: quiet))
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask {
        try await group.run()
        listening.finish()
      }
      guard let port = await ports.first(where: { _ in true }) else {
        try await tasks.waitForAll()
        return
      }
      try await eventually("the broker is ready") { broker.isReady }
      let rtmpPort = configuration.rtmp == nil ? nil : await rtmpPorts.first { _ in true }
      let endpoint = ServiceEndpoint(
        host: "127.0.0.1", port: port, isSecure: configuration.tls != nil, trust: trust)
      let service = TestService(
        port: port, rtmpPort: rtmpPort, data: data, catalog: catalog, broker: broker, resources: assembly.resources,
        prompt: assembly.prompt, group: group, endpoint: endpoint)
      do {
        try await body(service)
      } catch {
        await group.triggerGracefulShutdown()
        // A service that has ended by itself may be why; one that still runs is not waited for after a failure.
        tasks.cancelAll()
        do {
          try await tasks.waitForAll()
        } catch is CancellationError {
        } catch let end {
          Issue.record("the service itself: \(end)")
        }
        throw error
      }
      await group.triggerGracefulShutdown()
      try await tasks.waitForAll()
    }
  }

  static var quiet: Logger {
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    return logger
  }

  /// Bytes as the service sends them: nothing is unpacked.
  private static let client = HTTPClient(
    eventLoopGroupProvider: .singleton, configuration: .init(decompression: .disabled))

  /// Sends one request over HTTP and collects the answer.
  func send(
    _ method: HTTPMethod, _ path: String, _ headers: [(String, String)] = [], body: String? = nil,
    bytes: [UInt8]? = nil
  ) async throws -> Answer {
    var request = HTTPClientRequest(url: endpoint.url(path))
    request.method = method
    for (name, value) in headers { request.headers.add(name: name, value: value) }
    if let body { request.body = .bytes(ByteBuffer(string: body)) }
    if let bytes { request.body = .bytes(ByteBuffer(bytes: bytes)) }
    let response = try await TestService.client.execute(request, timeout: .seconds(20))
    let bytes = Array(try await response.body.collect(upTo: 1 << 22).readableBytesView)
    let answer = Answer(status: Int(response.status.code), headers: response.headers, bytes: bytes)
    // A refusal as a page says the same as the problem that the document has.
    if answer["content-type"]?.hasPrefix("text/html") == true, answer.status >= 400 { return answer }
    // Whatever a test asks for, the answer has to be as the OpenAPI document says.
    let bare = String(path.prefix { $0 != "?" })
    if let objection = try OpenAPIDocument.shared.get().objection(
      to: method.rawValue, bare, status: answer.status, contentType: answer["content-type"], body: bytes)
    {
      Issue.record("\(objection)")
    }
    return answer
  }

  func post(_ path: String, _ body: JSONValue, _ headers: [(String, String)] = []) async throws -> Answer {
    try await send(.POST, path, [("Content-Type", "application/json")] + headers, body: body.text)
  }

  func patch(_ path: String, _ body: JSONValue, _ headers: [(String, String)] = []) async throws -> Answer {
    try await send(.PATCH, path, [("Content-Type", "application/merge-patch+json")] + headers, body: body.text)
  }

  /// The header field of a join token, for a service with `secret`.
  func token(_ room: String, _ role: Authority = .musician) async throws -> (String, String) {
    ("Authorization", "Bearer \(try await TestService.token(room, role))")
  }

  /// A join token that holds for ten minutes: longer than any test may take.
  static func token(_ room: String, _ role: Authority = .musician) async throws -> String {
    let tokens = JoinTokens(secret: Secret(secret))
    let later = WallTime(milliseconds: MonotonicClock.wall.milliseconds + 600_000)
    return try tokens.make(room: RoomName(checking: room), role: role, expiry: later)
  }

  /// What came back.
  struct Answer: Sendable {
    var status: Int
    var headers: HTTPHeaders
    var bytes: [UInt8]

    var text: String { String(decoding: bytes, as: UTF8.self) }
    subscript(header: String) -> String? { headers.first(name: header) }
    var json: JSONObject {
      get throws { try JSONValue(parsing: bytes, limits: JSONLimits(bytes: 1 << 22)).object ?? [:] }
    }
    /// The end of a problem's type.
    var problem: String {
      get throws { try json["type"]?.string.map { String($0.dropFirst(RESTNames.problemPrefix.count)) } ?? "none" }
    }
    var items: [JSONObject] {
      get throws { try json["items"]?.array?.compactMap(\.object) ?? [] }
    }
  }
}
