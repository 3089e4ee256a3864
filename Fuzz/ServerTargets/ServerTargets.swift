import Catalog
import FuzzTargets
import Machines
import Music
import Server
import Signaling

/// What comes in over HTTP besides the texts of dialects, in a module of its own, since the server takes long to build.
extension FuzzTarget {
  /// The targets of the server, in alphabetical order.
  package static let server = [cursor, deflate, range, token, trickle, webhook]

  /// The cursor of a list, for every list.
  static let cursor = FuzzTarget("http-cursor", longest: 1_024) { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    for kind in ListCursor.Kind.allCases {
      guard let cursor = try? ListCursor(text, of: kind) else { continue }
      try promise((try? ListCursor(cursor.text, of: kind)) == cursor, "the cursor is another once it was written")
    }
    for kind in [TextCursor.Kind.songs, .people] {
      guard let cursor = try? TextCursor.read(text, of: kind) else { continue }
      try promise((try? TextCursor.read(cursor.encoded, of: kind)) == cursor, "the cursor is another")
    }
  }

  /// A compressed message of a WebSocket; and the bytes as a message to compress.
  static let deflate = FuzzTarget("http-deflate", longest: 4_096) { bytes in
    let limit = 65_536
    if let message = try? Deflate.inflate(bytes, limit) {
      try promise(message.count <= limit, "a message of \(message.count) bytes")
    }
    guard let packed = Deflate.deflate(bytes, windowBits: 9 + Int(bytes.first ?? 0) % 7) else { return }
    try promise(packed.count < bytes.count, "it has become longer")
    try promise((try? Deflate.inflate(packed, bytes.count)) == bytes, "it inflates to something else")
  }

  /// The header field `Range`; the first byte gives the size of the file.
  static let range = FuzzTarget("http-range", longest: 1_024) { bytes in
    let size = Int64(bytes.first ?? 0) << (Int64(bytes.first ?? 0) % 50)
    guard case .part(let part) = ByteRange(String(decoding: bytes.dropFirst(), as: UTF8.self), size: size) else {
      return
    }
    try promise(!part.isEmpty && part.lowerBound >= 0 && part.upperBound <= size, "\(part) of \(size) bytes")
  }

  /// A token as it comes, and its claims under a good signature.
  static let token = FuzzTarget("http-token", longest: 4_096) { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    let key = Array("fuzz".utf8)
    try promise(JSONWebToken.verify(text, key: key) == nil, "a token is valid that nobody signed")
    guard let claims = (try? JSONValue(parsing: text))?.object else { return }
    let signed = JSONWebToken.sign(claims, key: key)
    guard let read = JSONWebToken.verify(signed, key: key) else { return }
    try promise(read == claims, "the claims are others once they were signed")
    guard let token = JoinToken(read) else { return }
    for time in [WallTime(nanoseconds: .min), WallTime(milliseconds: 0), WallTime(nanoseconds: .max)] {
      _ = (token.hasBegun(at: time), token.hasExpired(at: time))
    }
  }

  /// The candidates of a PATCH on a WHIP session, applied to an offer.
  static let trickle = FuzzTarget("http-trickle", longest: 8_192) { bytes in
    guard let fragment = try? TrickleFragment(parsing: String(decoding: bytes, as: UTF8.self)) else { return }
    try promise(fragment.messages.count <= 65, "\(fragment.messages.count) candidates")
    _ = fragment.applied(to: "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=mid:0\r\n")
    try promise((try? TrickleFragment(parsing: fragment.text)) != nil, "our own fragment cannot be read")
  }

  /// The address of a webhook.
  static let webhook = FuzzTarget("http-webhook", longest: 4_096) { bytes in
    guard let url = WebhookURL(String(decoding: bytes, as: UTF8.self)) else { return }
    _ = (url.address, url.origin)
    try promise(WebhookURL(url.text) == url || url.text.utf8.count > 2_048, "\(url.text) is another address")
  }
}
