import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Signaling
import Synchronization
import TestSupport

/// A real HTTP server on loopback that keeps what it was sent and answers as it is told.
final class WebhookReceiver: Sendable {
  struct Received: Sendable {
    var uri: String
    var headers: HTTPHeaders
    var body: String
  }

  struct Reply: Sendable {
    var status: Int = 204
    var headers: [(String, String)] = []
    var body = ""
    /// Never answers.
    var isSilent = false
  }

  private let channel: any Channel
  let requests: AsyncStream<Received>
  private let arrivals: AsyncStream<Received>.Continuation
  private let taken = Mutex<[Received]>([])

  var port: Int { channel.localAddress?.port ?? 0 }
  /// Everything so far.
  var all: [Received] { taken.withLock { $0 } }

  /// - Parameter reply: what is answered to the nth request, from 0.
  static func with(
    tls: NIOSSLContext? = nil, reply: @escaping @Sendable (Int, Received) -> Reply = { _, _ in Reply() },
    _ body: (WebhookReceiver) async throws -> Void
  ) async throws {
    let box = Mutex<WebhookReceiver?>(nil)
    let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
          try pipeline.configureHTTPServerPipeline()
          try pipeline.addHandler(
            Handler { received in
              guard let receiver = box.withLock({ $0 }) else { return Reply(status: 500) }
              return receiver.take(received, reply)
            })
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    let receiver = WebhookReceiver(channel)
    box.withLock { $0 = receiver }
    do {
      try await body(receiver)
    } catch {
      try? await channel.close().get()
      throw error
    }
    try? await channel.close().get()
  }

  private init(_ channel: any Channel) {
    self.channel = channel
    (requests, arrivals) = AsyncStream.makeStream()
  }

  private func take(_ received: Received, _ reply: (Int, Received) -> Reply) -> Reply {
    let number = taken.withLock { taken in
      taken.append(received)
      return taken.count - 1
    }
    arrivals.yield(received)
    return reply(number, received)
  }

  /// Waits until so many have come.
  func first(_ count: Int) async -> [Received] {
    var found: [Received] = []
    guard count > 0 else { return found }
    for await request in requests {
      found.append(request)
      if found.count == count { break }
    }
    return found
  }

  private final class Handler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let answer: (Received) -> Reply
    private var received = Received(uri: "", headers: [:], body: "")

    init(_ answer: @escaping (Received) -> Reply) {
      self.answer = answer
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch unwrapInboundIn(data) {
      case .head(let head): received = Received(uri: head.uri, headers: head.headers, body: "")
      case .body(let buffer): received.body += String(buffer: buffer)
      case .end:
        let reply = answer(received)
        guard !reply.isSilent else { return }
        var headers = HTTPHeaders(reply.headers)
        if reply.status != 204 { headers.add(name: "Content-Length", value: "\(reply.body.utf8.count)") }
        let head = HTTPResponseHead(
          version: .http1_1, status: HTTPResponseStatus(statusCode: reply.status), headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if !reply.body.isEmpty {
          context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: reply.body)))), promise: nil)
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
      }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
  }
}

extension WebhookReceiver.Received {
  /// Python's own hmac over what came, as a receiver would do it.
  func isSigned(by secret: String) throws -> Bool {
    let script = """
      import sys, json, hmac, hashlib, base64
      m = json.load(sys.stdin)
      signed = f"{m['id']}.{m['timestamp']}.{m['body']}".encode()
      key = base64.b64decode(m['secret'].removeprefix('whsec_'))
      good = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
      sys.exit(0 if f"v1,{good}" in m['signature'].split(' ') else 1)
      """
    let message: JSONValue = [
      "id": .optional(headers.first(name: "webhook-id")),
      "timestamp": .optional(headers.first(name: "webhook-timestamp")),
      "signature": .optional(headers.first(name: "webhook-signature")), "body": .string(body),
      "secret": .string(secret),
    ]
    let pipe = Pipe()
    let program = try SpawnedProgram(
      "/usr/bin/python3", ["-c", script], input: pipe.fileHandleForReading.fileDescriptor)
    try pipe.fileHandleForReading.close()
    try pipe.fileHandleForWriting.write(contentsOf: Data(message.text.utf8))
    try pipe.fileHandleForWriting.close()
    return program.wait() == 0
  }
}
