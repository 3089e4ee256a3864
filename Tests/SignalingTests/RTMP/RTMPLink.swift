import Machines

@testable import Signaling

/// Both machines with the wire between them: bytes go over at once, in parts of `step`; all else is kept.
struct RTMPLink: ~Copyable {
  static let start = MonotonicTime(nanoseconds: 1_000_000_000)

  var server: RTMPServer
  var client: RTMPClient
  var now = RTMPLink.start
  let step: Int
  /// What each said that is no bytes, since it was taken last.
  private var serverSaid: [RTMPServer.Output] = []
  private var clientSaid: [RTMPClient.Output] = []
  /// All bytes of the server.
  private(set) var fromServer: [UInt8] = []

  init(
    _ options: RTMPClientOptions = RTMPClientOptions(app: "live"), digest: RTMPDigest? = nil,
    clientDigest: RTMPDigest? = nil, step: Int = .max
  ) {
    server = RTMPServer(seed: 1, digest: digest, at: RTMPLink.start)
    client = RTMPClient(options, seed: 2, digest: clientDigest, at: RTMPLink.start)
    self.step = step
    run()
  }

  /// A link whose connect was accepted.
  static func connected(
    _ options: RTMPClientOptions = RTMPClientOptions(app: "live"), step: Int = .max
  ) -> RTMPLink {
    var link = RTMPLink(options, step: step)
    link.tell(.accept(properties: []))
    _ = link.serverOutputs()
    _ = link.clientOutputs()
    return link
  }

  mutating func tell(_ input: RTMPServer.Input) {
    server.handle(input, at: now)
    run()
  }

  mutating func ask(_ input: RTMPClient.Input) {
    client.handle(input, at: now)
    run()
  }

  /// Lets `span` pass for both, in the steps that their deadlines want.
  mutating func wait(_ span: MonotonicTime.Span, for who: Set<Side> = [.server, .client]) {
    let end = now + span
    while true {
      let deadlines = [
        who.contains(.server) ? server.deadline : nil, who.contains(.client) ? client.deadline : nil,
      ]
      guard let next = deadlines.compactMap({ $0 }).min(), next <= end else { break }
      now = max(now, next)
      if who.contains(.server) { server.advance(to: now) }
      if who.contains(.client) { client.advance(to: now) }
      run(delivering: who.count == 2)
    }
    now = end
  }

  enum Side { case server, client }

  mutating func serverOutputs() -> [RTMPServer.Output] {
    defer { serverSaid = [] }
    return serverSaid
  }

  mutating func clientOutputs() -> [RTMPClient.Output] {
    defer { clientSaid = [] }
    return clientSaid
  }

  private mutating func run(delivering: Bool = true) {
    var isBusy = true
    while isBusy {
      isBusy = false
      while let output = server.next() {
        isBusy = true
        guard case .send(let bytes) = output else {
          serverSaid.append(output)
          continue
        }
        fromServer += bytes
        guard delivering else { continue }
        for part in parts(bytes) { client.handle(.bytes(part), at: now) }
      }
      while let output = client.next() {
        isBusy = true
        guard case .send(let bytes) = output else {
          clientSaid.append(output)
          continue
        }
        for part in parts(bytes) { server.handle(.bytes(part), at: now) }
      }
    }
  }

  private func parts(_ bytes: [UInt8]) -> [[UInt8]] {
    guard step < bytes.count else { return [bytes] }
    return stride(from: 0, to: bytes.count, by: step).map { Array(bytes[$0..<min($0 + step, bytes.count)]) }
  }
}

extension [RTMPServer.Output] {
  var calls: [RTMPCallRequest] { compactMap { if case .call(let request) = $0 { request } else { nil } } }

  var connects: [RTMPConnectRequest] { compactMap { if case .connect(let request) = $0 { request } else { nil } } }

  var objects: [RTMPObjectMessage] { compactMap { if case .sharedObject(let object) = $0 { object } else { nil } } }

  /// The sentence of the end.
  var closing: String? { compactMap { if case .closed(let sentence) = $0 { sentence } else { nil } }.first }

  /// The sentences about dropped messages.
  var dropped: [String] { compactMap { if case .dropped(let sentence) = $0 { sentence } else { nil } } }
}

extension [RTMPClient.Output] {
  var objects: [RTMPObjectMessage] { compactMap { if case .sharedObject(let object) = $0 { object } else { nil } } }

  var statuses: [String] { compactMap { if case .status(_, let status) = $0 { status.code } else { nil } } }

  var closing: String? { compactMap { if case .closed(let sentence) = $0 { sentence } else { nil } }.first }
}
