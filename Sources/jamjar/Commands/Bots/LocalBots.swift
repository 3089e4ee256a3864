import ArgumentParser
import CLinux
import Client
import Foundation
import Library
import Logging
import Server
import ServiceLifecycle
import Signaling

/// Bots in a service of this process, on a data folder, until Ctrl-C or until all have left.
struct LocalBots {
  let folder: String
  let wishes: [JSONObject]
  /// Path of a PEM file with certificates that the bots trust beside the system's.
  var trust: String?

  /// How often the states are looked at.
  private static let look = Duration.milliseconds(300)

  func run() async throws {
    let logger = Logs.logger(level: .warning, isJSON: false)
    // Whoever types an address means it, private networks included.
    let options = try SettingsOptions.parse(
      ["--host", "127.0.0.1", "--port", "0", "--data", folder, "--webhook-private"]
        + (trust.map { ["--ca-file", $0] } ?? []))
    var settings = try await Settings.orExit(options)
    // Only this process uses it, whatever the settings say of the service; nobody else of this machine has the key.
    let key = (0..<4).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined(separator: "-")
    settings.server.keys = try Keys(joinSecret: nil, apiKeys: [key])
    (settings.server.tls, settings.server.rtmp) = (nil, nil)
    let (ports, listening) = AsyncStream<Int>.makeStream()
    Interruption.watch()
    let service: RunningService
    do {
      service = try await RunningService(settings, logger: logger, endsOnSignals: false) { listening.yield($0) }
    } catch LibraryError.inUse {
      throw CommandFailure(
        ExitCodes.unavailable,
        "a service or another bot records into \(folder); give it this bot too with --server, or choose another "
          + "folder with --data")
    }
    // Runs beside the bots in this process, and is always awaited.
    let running = Task {
      defer { listening.finish() }
      try await service.run()
    }
    var iterator = ports.makeAsyncIterator()
    guard let port = await iterator.next() else {
      try await running.value
      throw CommandFailure(ExitCodes.software, "the recorder did not start")
    }
    let source = try RemoteSource(try ServerAddress("http://127.0.0.1:\(port)", field: "the service"), key: key)
    let outcome = await Result.of { try await follow(source.client) }
    await service.group.triggerGracefulShutdown()
    try await running.value
    try outcome.get()
  }

  /// Makes the bots and prints what they do.
  private func follow(_ client: RESTClient) async throws {
    var shown: [String: String] = [:]
    for wish in wishes {
      let answer = try await LocalBots.ready { try await client.send(.post, "/v1/bots", .object(wish)) }
      if let id = answer.object?["id"]?.string { shown[id] = "" }
    }
    while !shown.isEmpty {
      let bots = try await client.get("/v1/bots").object?["items"]?.array?.compactMap(\.object) ?? []
      for bot in bots {
        guard let id = bot["id"]?.string, let before = shown[id] else { continue }
        let line = BotWords.line(bot)
        if line != before { print(line) }
        shown[id] = line
      }
      _ = jamjar_flush_output()
      for id in shown.keys where !bots.contains(where: { $0["id"]?.string == id }) { shown[id] = nil }
      do throws(Interruption) {
        try Interruption.check()
      } catch {
        // Whoever stops a bot does not want it back at the next start.
        for id in shown.keys { _ = try await client.send(.delete, "/v1/bots/\(id)") }
        return
      }
      try await Task.sleep(for: LocalBots.look)
    }
  }

  /// The service may still be opening its rooms.
  private static func ready(_ body: () async throws -> JSONValue) async throws -> JSONValue {
    for _ in 0..<100 {
      do {
        return try await body()
      } catch let failure as RESTFailure where failure.status == 503 {
        try await Task.sleep(for: look)
      }
    }
    return try await body()
  }
}

extension Result where Failure == any Error {
  /// What `body` returns or throws.
  fileprivate static func of(_ body: () async throws -> Success) async -> Result {
    do { return .success(try await body()) } catch { return .failure(error) }
  }
}
