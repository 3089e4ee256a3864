import HTTPTypes
import Hummingbird
import Machines
import NIOHTTP1
import Signaling

/// The address of a request, taken apart.
struct LinkAddress: Hashable, Sendable {
  /// The parts of the path as they were sent, without empty ones.
  let parts: [String]
  private let query: String?

  init(uri: String) {
    let withoutFragment = uri.prefix { $0 != "#" }
    let halves = withoutFragment.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    parts = halves[0].split(separator: "/").map(String.init)
    query = halves.count == 2 ? String(halves[1]) : nil
  }

  /// A parameter of the query.
  func query(_ name: String) -> String? {
    guard let query else { return nil }
    for pair in query.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1)
      if parts.first == name[...], parts.count == 2 { return String(parts[1]).percentDecoded }
    }
    return nil
  }
}

/// The request that opens a WebSocket at one of the doors.
struct LinkOpening: Sendable {
  let address: LinkAddress
  let headers: HTTPHeaders
  /// The key or token of the studio's cookie, which no script can put into a join.
  let cookie: String?
  /// Nil if the client offers none that is acceptable.
  let compression: MessageCompression?

  /// - Returns: nil if no door has a WebSocket at this address.
  init?(_ head: HTTPRequestHead) {
    address = LinkAddress(uri: head.uri)
    guard Doors.kind(at: address) != nil else { return nil }
    headers = head.headers
    cookie = AccessCookie.credential(in: head)
    compression = MessageCompression.accept(head.headers["Sec-WebSocket-Extensions"])
  }

  /// The `token` of the query, for clients that cannot send it elsewhere.
  var token: String? { address.query("token") }

  /// What the response to the upgrade says besides the handshake.
  var responseHeaders: HTTPHeaders {
    compression.map { ["Sec-WebSocket-Extensions": $0.response] } ?? [:]
  }

  /// Whether this head asks for a WebSocket (RFC 6455 section 4.2.1) at one of the doors.
  static func isUpgrade(_ head: HTTPRequestHead) -> Bool {
    head.method == .GET && head.version == .http1_1
      && head.headers[canonicalForm: "Upgrade"].contains { $0.lowercased() == "websocket" }
      && head.headers[canonicalForm: "Connection"].contains { $0.lowercased() == "upgrade" }
      && head.headers["Sec-WebSocket-Version"] == ["13"] && isKey(head.headers["Sec-WebSocket-Key"])
      && Doors.kind(at: LinkAddress(uri: head.uri)) != nil
  }

  /// One value, which is 16 bytes in base64 (RFC 6455 section 4.1, item 7).
  private static func isKey(_ values: [String]) -> Bool {
    values.count == 1 && values.first.flatMap { Base64.standard.decode($0) }?.count == 16
  }
}

extension Problem {
  /// The response to an upgrade for which no route is left, because another request came before it on its connection;
  /// nil for any other request.
  static func lateUpgrade(_ request: Request) -> Problem? {
    guard request.method == .get, request.headers[.secWebSocketKey] != nil,
      let door = Doors.kind(at: LinkAddress(uri: request.uri.path))
    else { return nil }
    return upgradeRequired(at: door)
  }

  /// The response to a plain GET on the address of a WebSocket.
  static func upgradeRequired(at door: any Door.Type) -> Problem {
    Problem(
      .upgradeRequired, "upgrade-required", "This is a WebSocket",
      "open a WebSocket (RFC 6455, version 13) here, as the first request of its connection; \(door.document) describes "
        + "its protocol",
      headers: [.upgrade: "websocket", .connection: "close", .secWebSocketVersion: "13"])
  }
}
