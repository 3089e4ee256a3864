import Machines
import NIOCore
import NIOPosix
import NIOSSL
import Recording
import Signaling

/// A stream that a server of RTMP has for its players, in the codec in which it came.
struct RTMPSource: StreamSource {
  private typealias Stream = NIOAsyncChannel<ByteBuffer, ByteBuffer>

  private static let connectLimit = TimeAmount.seconds(5)
  /// The codecs of Enhanced RTMP that are recorded.
  private static let codecs = ["Opus", "mp4a", "fLaC", ".mp3", "ac-3", "ec-3"]
  private static let stop = "NetStream.Play.Stop"

  private let url: WebhookURL
  private let address: String
  private let trust: String?
  private let options: RTMPClientOptions
  /// What is played, with the query of the address.
  private let name: String

  /// - Parameter address: of the server, checked.
  init(_ there: BotAddress, at address: String, trust: String?) {
    url = there.url
    self.address = address
    self.trust = trust
    let path = there.target.prefix { $0 != "?" }
    let parts = path.split(separator: "/").map(String.init)
    let app = parts.dropLast().joined(separator: "/")
    name = (parts.last ?? "") + there.target.dropFirst(path.count)
    let host = url.host.contains(":") ? "[\(url.host)]" : url.host
    var options = RTMPClientOptions(
      app: app, tcURL: "\(url.isSecure ? "rtmps" : "rtmp")://\(host):\(url.port)/\(app)")
    options.codecs = RTMPSource.codecs
    self.options = options
  }

  func run(_ sink: @escaping StreamSink) async -> GuestFault {
    do {
      let stream = try await connect()
      return try await stream.executeThenClose { inbound, outbound in
        try await talk(inbound, outbound, sink)
      }
    } catch let fault as GuestFault {
      return fault
    } catch is CancellationError {
      return .left
    } catch {
      return GuestFault(.lost, "the server \(url.host):\(url.port) cannot be reached: \(error)")
    }
  }

  private func connect() async throws -> Stream {
    let tls = url.isSecure ? try context() : nil
    return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connectTimeout(RTMPSource.connectLimit)
      .connect(host: address, port: url.port) { channel in
        channel.eventLoop.makeCompletedFuture {
          if let tls {
            // An address is no server name (RFC 6066 section 3).
            let name = url.address == nil ? url.host : nil
            try channel.pipeline.syncOperations.addHandler(NIOSSLClientHandler(context: tls, serverHostname: name))
          }
          return try Stream(wrappingChannelSynchronously: channel)
        }
      }
  }

  private func context() throws -> NIOSSLContext {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.minimumTLSVersion = .tlsv12
    if let trust { configuration.additionalTrustRoots = [.certificates(try NIOSSLCertificate.fromPEMFile(trust))] }
    return try NIOSSLContext(configuration: configuration)
  }

  /// Whoever listens watches the time: a server that says nothing is left by ending the task.
  private func talk(
    _ inbound: NIOAsyncChannelInboundStream<ByteBuffer>, _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>,
    _ sink: StreamSink
  ) async throws -> GuestFault {
    var machine = RTMPClient(options, seed: .random(in: .min ... .max), at: MonotonicClock.now)
    machine.handle(.bytes([]), at: MonotonicClock.now)
    if let end = try await carryOut(&machine, outbound, sink) { return end }
    for try await chunk in inbound {
      machine.handle(.bytes(Array(chunk.readableBytesView)), at: MonotonicClock.now)
      if let end = try await carryOut(&machine, outbound, sink) { return end }
    }
    return GuestFault(.lost, "the server has closed the connection")
  }

  /// Does what the machine asks for; returns why the stream is over.
  private func carryOut(
    _ machine: inout RTMPClient, _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>, _ sink: StreamSink
  ) async throws -> GuestFault? {
    while let output = machine.next() {
      switch output {
      case .send(let bytes): try await outbound.write(ByteBuffer(bytes: bytes))
      case .connected: machine.handle(.play(name: name), at: MonotonicClock.now)
      case .rejected(let status): return GuestFault(.refused, "the server refuses: \(RTMPSource.words(status))")
      case .noStream(let error): return GuestFault(.refused, "the server refuses: \(error.description)")
      case .status(_, let status): if let fault = RTMPSource.fault(status) { return fault }
      case .streamEnd: return RTMPSource.over
      // One track: that which everybody hears.
      case .audio(_, let timestamp, let tag): if tag.track == 0 { try await sink(tag, timestamp) }
      case .closed(let sentence): return GuestFault(.lost, sentence)
      case .answered, .failed, .called, .sharedObject, .metadata: break
      }
    }
    return nil
  }

  private static let over = GuestFault(.lost, "the stream is over")

  private static func words(_ status: RTMPStatus) -> String {
    status.description.isEmpty ? status.code : status.description
  }

  private static func fault(_ status: RTMPStatus) -> GuestFault? {
    switch status.code {
    case RTMPStatus.Code.playStreamNotFound: return GuestFault(.empty, "nothing is played there yet: \(words(status))")
    case RTMPStatus.Code.playUnpublishNotify, stop: return over
    default: return status.level == "error" ? GuestFault(.refused, "the server refuses: \(words(status))") : nil
    }
  }
}
