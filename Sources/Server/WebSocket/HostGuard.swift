import HTTPTypes
import NIOCore
import NIOHTTP1
import Signaling

/// Refuses requests without exactly one valid `Host` (RFC 9112 section 3.2).
///
/// A proxy and this service could otherwise take one request for two different hosts, and the check of the origin
/// (`OriginPolicy`) would compare with only one of them.
final class HostGuard: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private var isOver = false
  /// Requests passed on whose responses have not ended.
  private var unanswered = 0

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isOver else { return }
    guard case .head(let head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
    guard let objection = HostGuard.objection(to: head) else {
      unanswered += 1
      return context.fireChannelRead(data)
    }
    isOver = true
    // An answer in the middle of another would be read as part of it.
    guard unanswered == 0 else { return context.close(promise: nil) }
    let problem = Problem(.badRequest, "malformed", "The request cannot be read", objection, field: "Host")
    problem.end(context) { wrapOutboundOut($0) }
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data) { unanswered = max(0, unanswered - 1) }
    context.write(data, promise: promise)
  }

  /// Nil for a request with one host, or of HTTP/1.0 with none.
  static func objection(to head: HTTPRequestHead) -> String? {
    let hosts = head.headers["Host"]
    guard hosts.count <= 1 else {
      return "the request has \(hosts.count) fields Host; one is right (RFC 9112 section 3.2)"
    }
    guard let host = hosts.first else {
      return head.version == .http1_0 ? nil : "the request has no field Host (RFC 9112 section 3.2)"
    }
    guard isAuthority(host) else { return "the field Host is not HOST or HOST:PORT (RFC 9110 section 7.2)" }
    return nil
  }

  /// Longest host and port, in bytes (RFC 1035 section 2.3.4, and a port).
  private static let maximumBytes = 255 + 6

  /// `uri-host [":" port]` of RFC 3986 section 3.2.2.
  private static func isAuthority(_ text: String) -> Bool {
    guard (1...maximumBytes).contains(text.utf8.count) else { return false }
    var host = Substring(text)
    var rest = Substring()
    if host.first == "[" {
      guard let end = host.firstIndex(of: "]") else { return false }
      rest = host[host.index(after: end)...]
      host = host[host.index(after: host.startIndex)..<end]
      guard !host.isEmpty, host.utf8.allSatisfy({ isLiteral($0) }) else { return false }
    } else {
      let colon = host.firstIndex(of: ":") ?? host.endIndex
      rest = host[colon...]
      host = host[..<colon]
      guard !host.isEmpty, host.utf8.allSatisfy({ isRegistered($0) }) else { return false }
    }
    guard !rest.isEmpty else { return true }
    let port = rest.dropFirst()
    return rest.first == ":" && port.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
      && (port.isEmpty || UInt16(port) != nil)
  }

  /// The characters of an IPv6 address, with a dotted end or a zone.
  private static func isLiteral(_ byte: UInt8) -> Bool { isRegistered(byte) || byte == UInt8(ascii: ":") }

  /// The characters of a registered name or an IPv4 address.
  private static func isRegistered(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-._~%!$&'()*+,;=".utf8.contains(byte)
    }
  }
}

extension Problem {
  /// Answers a request that has not reached the router, and closes its connection.
  func end(_ context: ChannelHandlerContext, _ wrap: (HTTPServerResponsePart) -> NIOAny) {
    let body = ByteBuffer(string: JSONValue.object(json(instance: "")).text)
    let headers: HTTPHeaders = [
      "Content-Type": MediaTypeName.problem, "Content-Length": "\(body.readableBytes)", "Connection": "close",
    ]
    let head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: status.code), headers: headers)
    context.write(wrap(.head(head)), promise: nil)
    context.write(wrap(.body(.byteBuffer(body))), promise: nil)
    context.writeAndFlush(wrap(.end(nil)), promise: nil)
    context.close(promise: nil)
  }
}
